/**
 * What a machine that joined by a join key keeps between its starts: which hub, what it names itself by, and its own
 * token. Owns the file, which only its user may read; asks no hub.
 */
import { randomUUID } from "node:crypto"
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { stateBytesMax } from "./limits.ts"
import { FileUnusable, words } from "./refusal.ts"

/** What is kept. */
export interface MachineState {
  /** The hub's socket. */
  readonly url: string
  /** Random, and known to this machine alone: a hub that is asked twice gives it one daemon. */
  readonly machineId: string
  /** Absent until the hub has given one. */
  readonly daemonId?: string
  readonly token?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** A user that the system does not know has no home: only what is to be written there then fails. */
const homeOrRoot = (home: () => string): string => {
  try {
    return home()
  } catch {
    return "/"
  }
}

/** Where it is kept when nothing else is said. */
export const usualStateFile = (environment: Environment, home: () => string = homedir): string =>
  join(environment["XDG_STATE_HOME"] || join(homeOrRoot(home), ".local", "state"), "hub", "daemon.json")

const isState = (value: unknown): value is MachineState => {
  const { url, machineId, daemonId, token } = (value ?? {}) as Record<string, unknown>
  const isText = (one: unknown): boolean => typeof one === "string" && /^[\x21-\x7e]+$/u.test(one)
  return [url, machineId].every(isText) && [daemonId, token].every((one) => one === undefined || isText(one))
}

const read = (file: string): MachineState | undefined => {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw new FileUnusable(`the state file ${file} cannot be read: ${words(error)}`)
  }
  try {
    const value: unknown = text.length > stateBytesMax ? undefined : JSON.parse(text)
    if (isState(value)) return value
  } catch {
    // no JSON: the same as another object
  }
  throw new FileUnusable(`the state file ${file} holds no state of a daemon; remove it, or name another with --state`)
}

/** The state of this machine at a hub; a new one has no token. Throws where the file is another hub's. */
export const readState = (file: string, url: string): MachineState => {
  const found = read(file)
  if (found === undefined) return { url, machineId: randomUUID() }
  if (found.url === url) return found
  throw new FileUnusable(`the state file ${file} is of ${found.url}; remove it, or name another with --state`)
}

/** Written beside and moved: never half a file, and never readable by others. */
export const writeState = (file: string, state: MachineState): void => {
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
    chmodSync(draft, 0o600)
    renameSync(draft, file)
  } catch (error) {
    throw new FileUnusable(`the state file ${file} cannot be written: ${words(error)}`)
  }
}
