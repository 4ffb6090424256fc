/**
 * The rules of `.gitignore` and `.npmignore` files. Owns how a line is read and which line decides; reads no file and
 * knows no package.
 */

/** The rules of one folder. A path is relative to it, with `/` between. */
export interface IgnoreRules {
  /** Whether it is left out; undefined: no line of this folder says. */
  readonly decide: (path: string, isFolder: boolean) => boolean | undefined
}

interface Rule {
  readonly shape: RegExp
  readonly keeps: boolean
  readonly foldersOnly: boolean
}

const patternCharsMax = 1_024

/** One piece of a glob as it is in an expression. */
const glob = /\*\*\/|\/\*\*|\*|\?|\[!?[^\]/]*\]|\\.|[^*?[\\]/gu

const expressionOf = (piece: string): string => {
  if (piece === "**/") return "(?:.*/)?"
  if (piece === "/**") return "/.*"
  if (piece === "*") return "[^/]*"
  if (piece === "?") return "[^/]"
  const set = /^\[(!?)(.+)\]$/u.exec(piece)
  if (set !== null) return `[${set[1] === "!" ? "^" : ""}${set[2]!.replace(/[\\\]^]/gu, "\\$&")}]`
  return piece.replace(/^\\(?=.)/u, "").replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&")
}

const ruleOf = (line: string): Rule | undefined => {
  const text = line.replace(/(?<!\\)\s+$/u, "")
  if (text === "" || text.startsWith("#") || text.length > patternCharsMax) return undefined
  const keeps = text.startsWith("!")
  const pattern = keeps ? text.slice(1) : text
  const bare = pattern.replace(/\/$/u, "")
  // with a slash before its end it is meant from this folder on, else at any depth
  const body = bare.includes("/") ? bare.replace(/^\//u, "") : `**/${bare}`
  const pieces = body.match(glob) ?? []
  if (pieces.length === 0) return undefined
  return { shape: new RegExp(`^${pieces.map(expressionOf).join("")}$`, "u"), keeps, foldersOnly: pattern !== bare }
}

/** Reads the rules of a file. The last line that fits decides. */
export const readIgnoreRules = (text: string): IgnoreRules => {
  const rules = text.split(/\r?\n/u).flatMap((line) => ruleOf(line) ?? [])
  return {
    decide: (path, isFolder) => {
      const last = rules.findLast(({ shape, foldersOnly }) => (isFolder || !foldersOnly) && shape.test(path))
      return last === undefined ? undefined : !last.keeps
    }
  }
}
