/**
 * Where the control socket lies, also when the data folder's path is longer than a socket's may be. Owns that path
 * only.
 */
import { closeSync, openSync } from "node:fs"
import { join, resolve } from "node:path"

/** A socket's path may have 107 bytes on Linux and 103 on macOS. */
const pathBytesMax = 103

/** The path to give to the system, good until it is released. */
export interface SocketPath {
  readonly path: string
  readonly release: () => void
}

/** The control socket of this data folder. */
export const socketPath = (dataDir: string): SocketPath => {
  const path = join(resolve(dataDir), "control.sock")
  if (Buffer.byteLength(path) <= pathBytesMax || process.platform !== "linux") return { path, release: () => {} }
  // The same folder by the number under which this process has it open: short, whatever its name.
  const folder = openSync(dataDir, "r")
  return { path: `/proc/self/fd/${folder}/control.sock`, release: () => closeSync(folder) }
}
