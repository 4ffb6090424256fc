/**
 * Which test files a changed file can break. Owns the graph of the tree: an edge goes from a file to each that it
 * imports, and to each that it names by its path in a text, as who starts `src/main.ts` or reads a document does.
 */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { root } from "../support/root.ts"

const isRead = /\.(?:tsx?|mjs|js|json|ya?ml|sh|md|css|html|py)$|(?:^|\/)(?:hub|Dockerfile|run|night|audit)$/u
const isCode = /\.(?:tsx?|mjs|js|sh|html)$|(?:^|\/)hub$/u
/** What may be a path: in quotes, or in the words of a shell script. */
const named = /["'`\s/]((?:\.{1,2}\/)+[\w@.-]+(?:\/[\w@.-]+)*|[\w@.-]+(?:\/[\w@.-]+)+|[\w@-]+\.[\w.-]+)["'`\s]/gu

const listed = (): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((path) => isRead.test(path))

/** Comments lead nowhere, and a type is the compiler's matter. */
const silent = /\/\*[\s\S]*?\*\/|^\s*\/\/[^\n]*|^(?:import|export) type [^"]*"[^"]*"/gmu

/** The files that a file's text leads to. */
export const edgesOf = (path: string, text: string, all: ReadonlySet<string>): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const [, name] of text.replace(silent, "").matchAll(named)) {
    const candidates = name!.startsWith(".") ? [join(dirname(path), name!)] : [name!, join(dirname(path), name!)]
    for (const one of candidates.map(normalize)) if (all.has(one) && one !== path) found.add(one)
  }
  return [...found]
}

/** What can be broken by a change of these files, itself included; the house rules read every file. */
export const reached = (
  graph: ReadonlyMap<string, ReadonlyArray<string>>,
  changed: ReadonlyArray<string>
): ReadonlySet<string> => {
  const users = new Map<string, Array<string>>()
  for (const [from, targets] of graph) for (const to of targets) users.set(to, [...(users.get(to) ?? []), from])
  const seen = new Set(changed)
  const waiting = [...changed]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const user of users.get(next) ?? []) {
      if (seen.has(user)) continue
      seen.add(user)
      waiting.push(user)
    }
  }
  return seen
}

/** The test files for these changed files, or a sentence about one that is not there. */
export const relatedTests = (changed: ReadonlyArray<string>): ReadonlyArray<string> | string => {
  const all = new Set(listed())
  const paths = changed.map((path) => normalize(path).replace(`${root}/`, ""))
  const unknown = paths.find((path) => !all.has(path))
  if (unknown !== undefined) return `${unknown} is no file of the project that a test can reach`
  const graph = new Map(
    [...all].map((path) => [path, isCode.test(path) ? edgesOf(path, readFileSync(join(root, path), "utf8"), all) : []])
  )
  return [...reached(graph, paths)].filter((path) => path.endsWith(".test.ts")).concat("test/house/")
}
