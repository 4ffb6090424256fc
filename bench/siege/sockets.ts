/**
 * Connections of an attacker: opened again as soon as they are closed, and written to as fast as they take it. Owns the
 * counts of openings, closes and bytes; what is said on them is the attack's.
 */
import type { Socket } from "node:net"
import { upgradeRequest } from "../fleet/frames.ts"
import { dial, whenOpen } from "../load/dial.ts"
import type { Target } from "./attack.ts"

const againMillis = 20
const headEnd = "\r\n\r\n"

/** What came of them. */
export interface Tally {
  opened: number
  /** By the hub. */
  closed: number
  bytesSent: number
  bytesReceived: number
}

/** None of it yet. */
export const emptyTally = (): Tally => ({ opened: 0, closed: 0, bytesSent: 0, bytesReceived: 0 })

/** Keeps this many connections until the attack is over; `begin` is called with each that is open. */
export const keepOpen = async (
  { url, over, ended, reach }: Target,
  count: number,
  from: (at: number) => string,
  tally: Tally,
  begin: (socket: Socket, at: number) => void
): Promise<void> => {
  const sockets = new Set<Socket>()
  const open = (at: number): void => {
    if (over()) return
    const socket = dial(url, from(at))
    sockets.add(socket)
    whenOpen(socket, () => {
      tally.opened++
      begin(socket, at)
    })
    socket.on("data", (chunk) => {
      tally.bytesReceived += chunk.length
      reach()
    })
    socket.on("error", () => socket.destroy())
    socket.on("close", () => {
      sockets.delete(socket)
      if (over()) return
      tally.closed++
      reach()
      setTimeout(() => open(at), againMillis)
    })
  }
  for (let at = 0; at < count; at++) open(at)
  await ended
  for (const socket of sockets) socket.destroy()
}

/** Writes the same bytes again and again, as fast as the other side takes them. */
export const flood = (socket: Socket, bytes: Buffer, tally: Tally, over: () => boolean): void => {
  const more = (): void => {
    if (over() || socket.destroyed) return
    socket.write(bytes, () => {
      tally.bytesSent += bytes.length
      setImmediate(more)
    })
  }
  more()
}

/** Upgrades a connection without a credential; `then` once the hub has accepted it. */
export const upgradeUnauthenticated = (socket: Socket, url: URL, then: () => void): void => {
  const said = upgradeRequest(url.host, "/api/v1/daemons/connect", "")
  socket.write(said.replace(/Authorization: [^\r]*\r\n/u, ""))
  let head = ""
  const read = (chunk: Buffer): void => {
    head += chunk.toString("latin1")
    if (!head.includes(headEnd)) return
    socket.off("data", read)
    if (head.startsWith("HTTP/1.1 101")) then()
    else socket.destroy()
  }
  socket.on("data", read)
}
