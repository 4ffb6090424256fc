/**
 * A sign of life that reaches into other containers, where a process id says nothing: a unix socket in the data folder
 * that is open for as long as its process lives. Owns opening and asking; who owns the folder is the lock's.
 */
import { randomBytes } from "node:crypto"
import { readlinkSync, rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { type SocketPath, socketPath } from "./control-path.ts"

/** An open sign of life. */
export interface LivenessSocket {
  /** Its file's name in the data folder; "" where the folder's file system has no sockets. */
  readonly name: string
  readonly close: () => void
}

const form = /^hub\.alive\.[0-9a-f]{16}$/u
const dead: ReadonlySet<string | undefined> = new Set(["ECONNREFUSED", "ENOENT", "ENOTSOCK"])

/** Which processes this one sees by their ids; "" where the system does not say. */
export const processSpace = (): string => {
  try {
    return readlinkSync("/proc/self/ns/pid")
  } catch {
    return ""
  }
}

/** Opens one, which keeps no process alive. */
export const openLifeSocket = (dataDir: string): Promise<LivenessSocket> => {
  const name = `hub.alive.${randomBytes(8).toString("hex")}`
  const place: SocketPath = socketPath(dataDir, name)
  const server = createServer((asking) => asking.destroy())
  server.unref()
  return new Promise((resolve) => {
    server.once("error", () => {
      place.release()
      resolve({ name: "", close: () => {} })
    })
    server.listen(place.path, () =>
      resolve({
        name,
        close: () => {
          server.close()
          rmSync(join(dataDir, name), { force: true })
          place.release()
        }
      })
    )
  })
}

/** Whether the process that opened it lives; in doubt it does. */
export const isAlive = (dataDir: string, name: string): Promise<boolean> => {
  if (!form.test(name)) return Promise.resolve(false)
  const place = socketPath(dataDir, name)
  return new Promise((resolve) => {
    const asking = connect(place.path)
    const say = (alive: boolean): void => {
      asking.destroy()
      place.release()
      resolve(alive)
    }
    asking.once("connect", () => say(true))
    asking.once("error", ({ code }: NodeJS.ErrnoException) => say(!dead.has(code)))
  })
}

/** Removes what a dead process left. */
export const removeLifeSocket = (dataDir: string, name: string): void => {
  if (form.test(name)) rmSync(join(dataDir, name), { force: true })
}
