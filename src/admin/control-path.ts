/**
 * The path of a socket in the data folder, also for a folder whose path is longer than a socket's may be. Owns only
 * that path.
 */
import { closeSync, openSync } from "node:fs"
import { join, resolve } from "node:path"

/** A socket's path may have 107 bytes on Linux and 103 on macOS. */
const pathBytesMax = 103

/** The path to pass to the system, valid until it is released. */
export interface SocketPath {
  readonly path: string
  readonly release: () => void
}

/** The control socket of this data folder, or its socket of another name. */
export const socketPath = (dataDir: string, name = "control.sock"): SocketPath => {
  const path = join(resolve(dataDir), name)
  if (Buffer.byteLength(path) <= pathBytesMax || process.platform !== "linux") return { path, release: () => {} }
  // The same folder by this process's descriptor of it: short, whatever its name.
  const folder = openSync(dataDir, "r")
  return { path: `/proc/self/fd/${folder}/${name}`, release: () => closeSync(folder) }
}
