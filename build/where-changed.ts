/**
 * Builds a folder of files where the sources that it is made of have changed since the last build. Owns the change from
 * old to new; a build that fails is said, and the process then ends with 1.
 */
import { hash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"

/** What is built. */
export interface Build {
  /** In sentences: `the console`. */
  readonly name: string
  /** The folder that it fills. */
  readonly into: string
  /** Files, and folders with all that is in them. */
  readonly sources: ReadonlyArray<string>
  /** Fills a new, empty folder. */
  readonly make: (folder: string) => Promise<unknown>
}

const filesOf = (path: string): ReadonlyArray<string> =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((file) => !file.includes("/node_modules/") && !file.includes("/dist"))
        .sort()

/** The hash of everything that it is made of. */
const hashOf = (sources: ReadonlyArray<string>): string =>
  hash(
    "sha256",
    sources
      .flatMap(filesOf)
      .map((file) => readFileSync(file, "utf8"))
      .join("\n")
  )

/** Takes one folder's name for another's; false where the first is gone, or the other is there. */
const renamed = (from: string, to: string): boolean => {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (["ENOENT", "ENOTEMPTY", "EEXIST"].includes(String((error as NodeJS.ErrnoException).code))) return false
    throw error
  }
}

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Takes away what builds left beside the folder that were killed. */
const sweep = (into: string): void => {
  const [folder, start] = [dirname(into), `${basename(into)}.`]
  for (const name of readdirSync(folder)) {
    const [, pid] = name.startsWith(start) ? (/^(\d+)(?:\.before)?$/u.exec(name.slice(start.length)) ?? []) : []
    if (pid !== undefined && !runs(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * Builds beside the folder and changes over by renaming: two starts at once, or one that is interrupted, leave no half
 * of a build. Where another was first its files are as good.
 */
export const buildWhereChanged = async ({ name, into, sources, make }: Build): Promise<void> => {
  const stamp = join(into, ".sources")
  const draft = `${into}.${process.pid}`
  const before = `${draft}.before`
  try {
    const found = hashOf(sources)
    if (existsSync(stamp) && readFileSync(stamp, "utf8") === found) {
      // a source that was written anew as it was is no newer than the build
      const now = new Date()
      return utimesSync(stamp, now, now)
    }
    sweep(into)
    if (process.stderr.isTTY) process.stderr.write(`hub: building ${name}\n`)
    mkdirSync(draft, { recursive: true })
    await make(draft)
    writeFileSync(join(draft, ".sources"), found)
    renamed(into, before)
    renamed(draft, into)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    process.stderr.write(`hub: ${name} was not built: ${reason}\n`)
    process.exitCode = 1
  } finally {
    for (const path of [draft, before]) rmSync(path, { recursive: true, force: true })
  }
}
