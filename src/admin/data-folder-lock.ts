/**
 * The lock on the data folder: the embedded database has one owner, and a command line must know whether it is the one.
 * Owns the lock file (0600). It takes over the lock of a dead process, never that of a live one.
 */
import { randomUUID } from "node:crypto"
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Data, Effect, type Scope } from "effect"
import { fileFault } from "../runtime/file-fault.ts"
import { isAlive, type LivenessSocket, openLifeSocket, processSpace, removeLifeSocket } from "./liveness-socket.ts"

/** Another living process owns the data folder. */
export class DataFolderInUse extends Data.TaggedError("DataFolderInUse")<{
  readonly dataDir: string
  readonly pid: number
  /** It runs in another container, where its id is another process's. */
  readonly isElsewhere: boolean
  /** Where the hub that owns it listens; undefined: it does not, or not yet. */
  readonly address?: string | undefined
}> {
  override get message(): string {
    const where = this.isElsewhere ? " of another container" : ""
    const hub = this.address === undefined ? "does a hub run there already?" : `the hub at ${this.address}`
    return `${this.dataDir} is in use by process ${this.pid}${where}; ${hub}`
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
  /** Where its id means it; missing in a lock of an earlier version. */
  readonly space?: string
  /** The socket that is open while it lives. */
  readonly socket?: string
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

/** What /proc/<pid>/stat says from its third field on; nothing where there is no such file. */
const statOf = (pid: number): ReadonlyArray<string> => {
  const stat = read(`/proc/${pid}/stat`)
  return stat === undefined ? [] : stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** The 22nd field. */
const bornOf = (pid: number): string => statOf(pid)[19] ?? ""

/** A process that has ended, all its threads, and that its parent has not asked about yet, keeps its id. */
const isZombie = (pid: number): boolean => {
  const stat = statOf(pid)
  return stat[0] === "Z" && Number(stat[17]) <= 1
}

const isElsewhere = ({ space }: Owner): boolean => space !== undefined && space !== processSpace()

const lives = async (owner: Owner, dataDir: string, file: string): Promise<boolean> => {
  if (isElsewhere(owner)) return isAlive(dataDir, owner.socket ?? "")
  if (owner.pid === process.pid) return held.has(file)
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false
  }
  if (isZombie(owner.pid)) return false
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
  const caught = `${file}.${randomUUID()}`
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

/** The living owner, or nothing: then the lock is this process's. */
const take = async (dataDir: string, file: string, socket: string): Promise<Owner | undefined> => {
  const mine = JSON.stringify({
    pid: process.pid,
    born: bornOf(process.pid),
    space: processSpace(),
    socket
  } satisfies Owner)
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const draft = `${file}.new.${randomUUID()}`
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
    if (owner !== undefined && (await lives(owner, dataDir, file))) return owner
    takeAway(file, text)
    removeLifeSocket(dataDir, owner?.socket ?? "")
  }
  return { pid: 0, born: "" }
}

const addressFile = (folder: string): string => join(folder, "hub.address")

/** The sign of life of the owner that this process is now, or another owner. */
const own = async (dataDir: string, file: string): Promise<LivenessSocket | Owner> => {
  makeFolder(dataDir)
  const life = await openLifeSocket(dataDir)
  try {
    const owner = await take(dataDir, file, life.name)
    if (owner !== undefined) {
      life.close()
      return owner
    }
    // of one that was killed
    rmSync(addressFile(dataDir), { force: true })
    return life
  } catch (fault) {
    life.close()
    throw fault
  }
}

/** Says in the data folder where the hub that owns it listens, for who starts another one there. */
export const noteAddress = (dataDir: string, address: string): Effect.Effect<void, DataFolderUnusable> =>
  Effect.try({
    try: () => writeFileSync(addressFile(resolve(dataDir)), address, { mode: 0o600 }),
    catch: (fault) => new DataFolderUnusable({ dataDir, fault })
  })

/** Holds the data folder until the scope closes. */
export const lockDataFolder = (
  dataDir: string
): Effect.Effect<void, DataFolderInUse | DataFolderUnusable, Scope.Scope> => {
  const folder = resolve(dataDir)
  const file = join(folder, "hub.lock")
  const acquire = Effect.flatMap(
    Effect.tryPromise({
      try: () => own(folder, file),
      catch: (fault) => new DataFolderUnusable({ dataDir: folder, fault })
    }),
    (got) =>
      "close" in got
        ? Effect.succeed(got)
        : Effect.fail(
            new DataFolderInUse({
              dataDir,
              pid: got.pid,
              isElsewhere: isElsewhere(got),
              address: read(addressFile(folder))
            })
          )
  )
  // the lock first: without the sign of life it would be taken for a dead owner's
  const release = (life: LivenessSocket) =>
    Effect.sync(() => {
      held.delete(file)
      rmSync(addressFile(folder), { force: true })
      rmSync(file, { force: true })
      life.close()
    })
  return Effect.asVoid(Effect.acquireRelease(acquire, release))
}
