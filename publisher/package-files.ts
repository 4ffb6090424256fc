/**
 * Which files of a folder become a package. Owns what is left out, by itself and by ignore files, and that nothing that
 * looks like a secret goes in unless it is named; packs nothing.
 */
import { open, readdir, readFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { type IgnoreRules, readIgnoreRules } from "./ignore-rules.ts"
import { PackRefused } from "./refusal.ts"
import { looksSecret } from "./secret-files.ts"

/** Files of one package; more are refused. */
const filesMax = 10_000
/** Of each file so much is looked at for a secret. */
const lookedAtBytesMax = 65_536
const ignoreBytesMax = 1_048_576
/** The description of a package in its folder, which no rule leaves out. */
export const descriptionName = "provider.json"
/** The first of them that a folder has counts, as with npm. */
const ignoreNames = [".npmignore", ".gitignore"] as const
const leftOut: ReadonlySet<string> = new Set([".git", "node_modules", ".DS_Store", ...ignoreNames])

interface Placed {
  readonly at: string
  readonly rules: IgnoreRules
}

const pathIn = (root: string, path: string): string => relative(root, path).replaceAll(sep, "/")

const rulesIn = async (folder: string, names: ReadonlySet<string>): Promise<ReadonlyArray<Placed>> => {
  const name = ignoreNames.find((one) => names.has(one))
  if (name === undefined) return []
  const text = await readFile(join(folder, name), "utf8")
  if (text.length > ignoreBytesMax) throw new PackRefused(`${join(folder, name)} is too large`)
  return [{ at: folder, rules: readIgnoreRules(text) }]
}

/** The rules of the folder that lies deepest decide, where they say anything. */
const isIgnored = (placed: ReadonlyArray<Placed>, path: string, isFolder: boolean): boolean => {
  for (const { at, rules } of placed.toReversed()) {
    const decided = rules.decide(pathIn(at, path), isFolder)
    if (decided !== undefined) return decided
  }
  return false
}

const filesUnder = async (root: string, folder: string, above: ReadonlyArray<Placed>): Promise<Array<string>> => {
  const found: Array<string> = []
  const entries = await readdir(folder, { withFileTypes: true })
  const placed = [...above, ...(await rulesIn(folder, new Set(entries.map(({ name }) => name))))]
  for (const entry of entries) {
    const path = join(folder, entry.name)
    const isDescription = folder === root && entry.name === descriptionName
    if (leftOut.has(entry.name) || (!isDescription && isIgnored(placed, path, entry.isDirectory()))) continue
    if (entry.isDirectory()) found.push(...(await filesUnder(root, path, placed)))
    else if (entry.isFile()) found.push(pathIn(root, path))
    else throw new PackRefused(`${path} is neither a file nor a folder; links are not packed`)
    if (found.length > filesMax) throw new PackRefused(`${root} holds more than ${filesMax} files`)
  }
  return found
}

const startOf = async (path: string): Promise<string> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(lookedAtBytesMax), 0, lookedAtBytesMax, 0)
    return buffer.toString("latin1", 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Refuses what looks like a secret, unless it is named. `file` is its path on the disk, `name` in the package. */
export const refuseSecret = async (file: string, name: string, allowed: ReadonlySet<string>): Promise<void> => {
  const why = allowed.has(name) ? undefined : looksSecret(name, await startOf(file))
  if (why === undefined) return
  const ways = "leave it out by .gitignore or .npmignore, or publish it all the same with"
  throw new PackRefused(`${name} ${why}, and a package is public for good: ${ways} --allow-secret ${name}`)
}

/** The files of a package, sorted, by their paths in it. */
export const packageFiles = async (root: string, allowed: ReadonlySet<string>): Promise<ReadonlyArray<string>> => {
  const files = (await filesUnder(root, root, [])).sort((a, b) => (a < b ? -1 : 1))
  for (const name of files) await refuseSecret(join(root, name), name, allowed)
  return files
}
