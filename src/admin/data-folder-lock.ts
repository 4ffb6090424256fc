/**
 * The lock on the data folder: the embedded database has one owner, and a command line must know whether it is the one.
 * Owns the lock file (0600). It takes over the lock of a dead process, never that of a live one.
 */
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Data, Effect, type Scope } from "effect"
import { fileFault } from "../runtime/file-fault.ts"

/** Another living process owns the data folder. */
export class DataFolderInUse extends Data.TaggedError("DataFolderInUse")<{
  readonly dataDir: string
  readonly pid: number
}> {
  override get message(): string {
    return `${this.dataDir} is in use by process ${this.pid}; does a hub run there already?`
  }
}

/** The data folder cannot be used at all. */
class DataFolderUnusable extends Data.TaggedError("DataFolderUnusable")<{
  readonly dataDir: string
  readonly fault: unknown
}> {
  override get message(): string {
    return fileFault(`the data folder ${this.dataDir} (HUB_DATA_DIR)`, this.fault)
  }
}

interface Owner {
  readonly pid: number
  /** When that process started, by the system: a process id alone may be reused. */
  readonly born: string
}

/**
 * Locks this process holds: its own id in a lock file proves nothing after a restart in a container, where it is always
 * 1.
 */
const held = new Set<string>()
const attemptsMax = 20

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === "ENOENT" || code === "ESRCH" || code === "ENOTDIR") return undefined
    throw error
  }
}

/** The 22nd field of /proc/<pid>/stat; "" where there is no such file. */
const bornOf = (pid: number): string => {
  const stat = read(`/proc/${pid}/stat`)
  return stat === undefined ? "" : (stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "")
}

const lives = (owner: Owner, file: string): boolean => {
  if (owner.pid === process.pid) return held.has(file)
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  const born = bornOf(owner.pid)
  return born === "" || owner.born === "" || born === owner.born
}

const ownerIn = (text: string): Owner | undefined => {
  try {
    const owner = JSON.parse(text) as Owner
    return Number.isInteger(owner.pid) && typeof owner.born === "string" ? owner : undefined
  } catch {
    return undefined // written by hand: it has no owner
  }
}

/** Removes a lock that was judged dead, and only that one: a rename is atomic, and the file may be another's by now. */
const takeAway = (file: string, judged: string): void => {
  const caught = `${file}.${process.pid}`
  try {
    renameSync(file, caught)
    if (read(caught) !== judged) linkSync(caught, file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== "ENOENT" && code !== "EEXIST") throw error
  } finally {
    rmSync(caught, { force: true })
  }
}

// Step by step: where a file system makes no folders (/proc), Node's own recursion never ends, and it hides the reason
// of a failure.
const makeFolder = (folder: string): void => {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || existsSync(dirname(folder))) throw error
    makeFolder(dirname(folder))
    makeFolder(folder)
  }
}

const take = (dataDir: string, file: string): Owner | undefined => {
  makeFolder(dataDir)
  const mine = JSON.stringify({ pid: process.pid, born: bornOf(process.pid) } satisfies Owner)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const draft = `${file}.new.${process.pid}`
    writeFileSync(draft, mine, { mode: 0o600 })
    try {
      linkSync(draft, file) // atomic, content and all
      held.add(file)
      return undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
    } finally {
      rmSync(draft, { force: true })
    }
    const text = read(file)
    if (text === undefined) continue
    const owner = ownerIn(text)
    if (owner !== undefined && lives(owner, file)) return owner
    takeAway(file, text)
  }
  return { pid: 0, born: "" }
}

/** Holds the data folder until the scope closes. */
export const lockDataFolder = (
  dataDir: string
): Effect.Effect<void, DataFolderInUse | DataFolderUnusable, Scope.Scope> => {
  const file = join(resolve(dataDir), "hub.lock")
  const acquire = Effect.flatMap(
    Effect.try({
      try: () => take(dataDir, file),
      catch: (fault) => new DataFolderUnusable({ dataDir: resolve(dataDir), fault })
    }),
    (owner) => (owner === undefined ? Effect.void : Effect.fail(new DataFolderInUse({ dataDir, pid: owner.pid })))
  )
  const release = Effect.sync(() => {
    held.delete(file)
    rmSync(file, { force: true })
  })
  return Effect.acquireRelease(acquire, () => release)
}
