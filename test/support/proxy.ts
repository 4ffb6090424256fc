/**
 * A line between a client and a server that can be broken: stalled (bytes wait, as on a network that drops packets) or
 * cut. Owns the connections through it; reads nothing of what passes.
 */

import type { AddressInfo } from "node:net"
import { connect, createServer, type Socket } from "node:net"

/** The line. */
export interface Proxy {
  readonly port: number
  /** From now on nothing passes: no byte, no end, and a new connection is taken but goes nowhere. */
  readonly stall: () => void
  /** Drops what stalled, and lets new connections pass. */
  readonly heal: () => void
  readonly close: () => Promise<void>
}

/** A line to a port of this machine, at an address of it. */
export const startProxy = async (to: number, host = "127.0.0.1"): Promise<Proxy> => {
  const open = new Set<Socket>()
  let stalled = false
  const hold = (socket: Socket): void => {
    open.add(socket)
    socket.on("error", () => {})
    socket.once("close", () => open.delete(socket))
    if (stalled) socket.pause()
  }
  const server = createServer((near) => {
    hold(near)
    if (stalled) return
    const far = connect(to, "127.0.0.1")
    hold(far)
    near.pipe(far)
    far.pipe(near)
    const both = [near, far]
    for (const [at, socket] of both.entries()) {
      socket.once("close", () => {
        if (!stalled) both[1 - at]!.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    stall: () => {
      stalled = true
      for (const socket of open) {
        socket.unpipe()
        socket.pause()
      }
    },
    heal: () => {
      stalled = false
      for (const socket of open) socket.destroy()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.destroy()
      })
  }
}
