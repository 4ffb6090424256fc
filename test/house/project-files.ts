/**
 * The project's own text, for the tests that hold it against the house rules. Owns reading and scanning; holds no rule.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { root } from "../support/root.ts"

/** One file: its path from the root with `/`, its text, and its code with comments, texts and patterns blanked out. */
export interface HouseFile {
  readonly path: string
  readonly text: string
  readonly code: string
}

const folders = "src actors http client/src build daemon integrator publisher console examples bench test".split(" ")

const walk = (folder: string): ReadonlyArray<string> =>
  !existsSync(folder)
    ? []
    : readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) return ["node_modules", "generated", "dist"].includes(entry.name) ? [] : walk(path)
        return /\.tsx?$/u.test(entry.name) ? [path] : []
      })

const blank = (text: string): string => text.replace(/[^\n]/gu, " ")

// Alternatives in the order in which they must win: comments, templates, texts, then patterns (only where a value may
// begin).
const silent =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:\\[\s\S]|\$\{[^}`]*\}|[^\\`])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?<=[(,=:[!&|?{};+>]\s*|return\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[dgimsuvy]*/gu

/** Every TypeScript file of the project. */
export const houseFiles: ReadonlyArray<HouseFile> = folders
  .flatMap((folder) => walk(join(root, folder)))
  .map((file) => {
    const text = readFileSync(file, "utf8")
    const path = relative(root, file).split(sep).join("/")
    return { path, text, code: text.replace(silent, (part) => (part.startsWith("`") ? keepHoles(part) : blank(part))) }
  })

/** The holes of a template are code. */
function keepHoles(template: string): string {
  let code = ""
  let at = 0
  for (const hole of template.matchAll(/\$\{([^}`]*)\}/gu)) {
    code += blank(template.slice(at, hole.index)) + hole[0]
    at = hole.index + hole[0].length
  }
  return code + blank(template.slice(at))
}

/** A place where a rule is broken, as `path:line  what`. */
export const place = (file: HouseFile, index: number, what: string): string =>
  `${file.path}:${file.text.slice(0, index).split("\n").length}  ${what}`

/** Every match of a pattern in a file's code (or its text) as a place. */
export const places = (
  file: HouseFile,
  pattern: RegExp,
  what: string,
  where: "code" | "text" = "code"
): Array<string> =>
  [...file[where].matchAll(pattern)].map((match) => place(file, match.index, `${match[0].trim()}: ${what}`))

/** What a file imports: the specifier, where it stands, and whether only types come in. */
export const imports = (
  file: HouseFile
): ReadonlyArray<{ readonly from: string; readonly index: number; readonly typeOnly: boolean }> =>
  [
    ...file.text.matchAll(
      /^(?:import|export)\b([^"'`;]*?)from\s+"([^"]+)"|\bimport\(\s*"([^"]+)"|^import\s+"([^"]+)"/gmu
    )
  ].map((match) => ({
    from: match[2] ?? match[3] ?? match[4]!,
    index: match.index,
    typeOnly: match[1]?.trimStart().startsWith("type ") ?? false
  }))

/** The path from the root that a relative specifier means; undefined for a package. */
export const target = (file: HouseFile, from: string): string | undefined =>
  from.startsWith(".")
    ? relative(root, resolve(root, dirname(file.path), from))
        .split(sep)
        .join("/")
    : undefined
