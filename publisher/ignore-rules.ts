/**
 * The rules of `.gitignore` and `.npmignore` files. Owns how a line is read and which line decides; reads no file and
 * knows no package.
 */
import { PackRefused } from "./refusal.ts"

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
const glob = /\/\*\*\/|\*\*\/|\/\*\*$|\*+|\?|\[[!^]?\]?(?:\\.|[^\]\\/])*\]|\\.|[^*?\\]/gu

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/gu, "\\$&")

const setOf = (negated: string, members: string): string => {
  const each = members.replace(/\\(.)|[\\\][^]/gu, (one, escaped = one) => (escaped === "-" ? "\\-" : literal(escaped)))
  return `(?!/)[${negated === "" ? "" : "^"}${each}]`
}

const expressionOf = (piece: string): string => {
  if (piece === "**/") return "(?:.*/)?"
  if (piece === "/**/") return "/(?:.*/)?"
  if (piece === "/**") return "/.*"
  if (piece.startsWith("*")) return "[^/]*"
  if (piece === "?") return "[^/]"
  const set = /^\[([!^]?)(.+)\]$/u.exec(piece)
  return set === null ? literal(piece.replace(/^\\(?=.)/u, "")) : setOf(set[1]!, set[2]!)
}

const shapeOf = (body: string, line: string): RegExp => {
  try {
    if (/\[\[:[a-z]+:\]/u.test(body)) throw new SyntaxError("classes of POSIX are not known")
    if (line.length > patternCharsMax) throw new SyntaxError("it is too long")
    return new RegExp(`^${(body.match(glob) ?? []).map(expressionOf).join("")}$`, "u")
  } catch (cause) {
    // a line that is passed over would let out what it was to keep in
    throw new PackRefused(`the line ${JSON.stringify(line)} of an ignore file cannot be read`, { cause })
  }
}

const ruleOf = (line: string): Rule | undefined => {
  const text = line.replace(/(?<!\\)\s+$/u, "")
  if (text === "" || text.startsWith("#")) return undefined
  const keeps = text.startsWith("!")
  const pattern = keeps ? text.slice(1) : text
  const bare = pattern.replace(/\/$/u, "")
  // with a slash before its end it is meant from this folder on, else at any depth
  const body = bare.includes("/") ? bare.replace(/^\//u, "") : `**/${bare}`
  return bare === "" ? undefined : { shape: shapeOf(body, line), keeps, foldersOnly: pattern !== bare }
}

/** Reads the rules of a file. The last line that fits decides. Throws `PackRefused` for one that cannot be read. */
export const readIgnoreRules = (text: string): IgnoreRules => {
  const rules = text
    .replace(/^\uFEFF/u, "")
    .split(/\r?\n/u)
    .flatMap((line) => ruleOf(line) ?? [])
  return {
    decide: (path, isFolder) => {
      const last = rules.findLast(({ shape, foldersOnly }) => (isFolder || !foldersOnly) && shape.test(path))
      return last === undefined ? undefined : !last.keeps
    }
  }
}
