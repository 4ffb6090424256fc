/**
 * JSON objects in files that only their user may read, in the folder of this user's settings. Owns how they are written
 * so that a reader never sees half of one; knows nothing of what they hold.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { Refusal } from "./refusal.ts"

const bytesMax = 65_536

/** Where the file of this name is. A folder that is set to no absolute path counts as none (XDG Base Directory). */
export const ownFile = (environment: Readonly<Record<string, string | undefined>>, name: string): string => {
  const { XDG_CONFIG_HOME: set = "" } = environment
  return join(isAbsolute(set) ? set : join(homedir(), ".config"), "hub", name)
}

/** Its members; none where there is no such file. `holds` names them in the sentence that refuses another content. */
export const readOwnFile = (file: string, holds: string): Readonly<Record<string, unknown>> => {
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {}
    throw new Refusal(`${file} cannot be read: ${(error as Error).message}`)
  }
  const refusal = (why: string): Refusal => new Refusal(`${file} holds no ${holds}: ${why}; remove it and log in again`)
  if (text.length > bytesMax) throw refusal("it is too large")
  try {
    return Object.fromEntries(Object.entries(JSON.parse(text) as Record<string, unknown>))
  } catch {
    // the parser's own words may quote a key
    throw refusal("it is no JSON object")
  }
}

/** Written beside and moved: a reader never sees half a file, and it is never readable by others. */
export const writeOwnFile = (file: string, content: Readonly<Record<string, unknown>>): void => {
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
    chmodSync(draft, 0o600)
    renameSync(draft, file)
  } catch (error) {
    throw new Refusal(`${file} cannot be written: ${(error as Error).message}`)
  }
}
