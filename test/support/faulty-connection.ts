/**
 * A line between a node and a server of this machine, with the faults of a network: bytes that wait, and answers that
 * are lost after the server has done what was asked. Owns the connections through it; what passes is read by the watch
 * alone.
 */
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** Reads what passes through one connection. */
export interface LineWatch {
  readonly request: (bytes: Buffer) => void
  /** Whether this answer, and the connection with it, is lost. */
  readonly isLost: (bytes: Buffer) => boolean
}

/** The line. */
export interface FaultyLine {
  readonly port: number
  /** Nothing passes: bytes wait, and a new connection waits with them. */
  readonly stall: () => void
  /** Whole again; what waits is lost with its connections. */
  readonly mend: () => void
  readonly close: () => Promise<void>
}

/** A line to a port of this machine, at an address of it. */
export const startFaultyLine = async (
  to: number,
  { host = "127.0.0.1", watch }: { readonly host?: string; readonly watch?: () => LineWatch } = {}
): Promise<FaultyLine> => {
  const connections = new Set<{ readonly near: Socket; readonly far: Socket }>()
  let isStalled = false

  const join = (near: Socket, far: Socket): void => {
    const connection = { near, far }
    connections.add(connection)
    const reader = watch?.()
    const reset = (): void => {
      near.resetAndDestroy()
      far.destroy()
    }
    for (const end of [near, far]) {
      end.setNoDelay(true)
      end.on("error", () => {})
      end.once("close", () => connections.delete(connection))
      if (isStalled) end.pause()
    }
    near.on("data", (bytes: Buffer) => {
      reader?.request(bytes)
      far.write(bytes)
    })
    far.on("data", (bytes: Buffer) => {
      if (reader?.isLost(bytes) === true) reset()
      else near.write(bytes)
    })
    near.once("close", () => far.destroy())
    far.once("close", () => near.destroy())
  }
  const reset = (): void => {
    for (const { near, far } of connections) {
      near.resetAndDestroy()
      far.destroy()
    }
    connections.clear()
  }
  const server = createServer((near) => join(near, connect({ port: to, host: "127.0.0.1" })))
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stall: () => {
      isStalled = true
      for (const { near, far } of connections) for (const end of [near, far]) end.pause()
    },
    mend: () => {
      isStalled = false
      reset()
    },
    close: () =>
      new Promise((resolve) => {
        reset()
        server.close(() => resolve())
      })
  }
}
