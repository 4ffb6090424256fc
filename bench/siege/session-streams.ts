/**
 * Streams of busy sessions whose readers read nothing, or slowly, or leave and come back with an old Last-Event-ID.
 * Owns the readers; log-talker.ts has the daemons.
 */
import type { Socket } from "node:net"
import { type Attack, attackerAddress, type Target } from "./attack.ts"
import { type DaemonTally, keepDaemons, repeatedly } from "./attacker-daemons.ts"
import { LogTalker } from "./log-talker.ts"
import { emptyTally, keepOpen } from "./sockets.ts"

const readers = 300
const daemons = 4
const keys = 10
const talkMillis = 12
const slowMillis = 500
/** What a reader that comes and goes takes before it leaves. */
const takesBytes = 20_000
/** How long one stays away that was refused. */
const refusedMillis = 1_000
const manners = ["unread", "slow", "returning"] as const

interface Streams {
  begun: number
  refused: number
  /** Ended by the hub, with a reason. */
  ended: number
  returned: number
}

/** What a reader has seen, beyond its one connection. */
interface Reader {
  /** The first place it was told; it comes back there each time. */
  place: string | undefined
}

const ask = (target: Target, at: number, reader: Reader): string => {
  const { keys: own = [], daemons: enrolled = [] } = target.holder ?? {}
  const daemon = enrolled[at % enrolled.length]
  const session = LogTalker.sessions[Math.floor(at / enrolled.length) % LogTalker.sessions.length]
  const place = reader.place === undefined ? "" : `last-event-id: ${reader.place}\r\n`
  return (
    `GET /api/v1/daemons/${daemon?.daemonId}/sessions/${session}/events/stream?after=0 HTTP/1.1\r\n` +
    `host: ${target.url.host}\r\nauthorization: Bearer ${own[at % own.length]}\r\n${place}\r\n`
  )
}

/** Reads in bits, with long pauses. */
const readSlowly = (socket: Socket): void => {
  const timer = setInterval(() => {
    socket.once("data", () => socket.pause())
    socket.resume()
  }, slowMillis)
  socket.pause()
  socket.on("close", () => clearInterval(timer))
}

const begin = (target: Target, socket: Socket, at: number, reader: Reader, streams: Streams): void => {
  const manner = manners[at % manners.length]!
  let [taken, text] = [0, ""]
  socket.on("data", (chunk) => {
    if (taken === 0) {
      const isRefused = !chunk.toString("latin1", 0, 12).endsWith(" 200")
      if (isRefused) {
        streams.refused++
        setTimeout(() => socket.destroy(), refusedMillis)
      } else {
        streams.begun++
        if (manner === "slow") readSlowly(socket)
        else if (manner === "unread") socket.pause()
      }
    }
    taken += chunk.length
    if (manner !== "returning") return
    text = (text + chunk.toString("latin1")).slice(-takesBytes)
    reader.place ??= /\nid: ([^\n]+)\n/u.exec(text)?.[1]
    if (text.includes("\nevent: end\n")) streams.ended++
    else if (taken < takesBytes) return
    streams.returned++
    socket.destroy()
  })
  socket.write(ask(target, at, reader))
}

/** Of one account without a bound of its own. */
export const sessionStreams: Attack = {
  finding: "streams",
  asks: `${readers} streams of busy sessions, a third each unread, read slowly, and begun again at an old place`,
  holds: (tiny) => ({ plan: "enterprise", keys: tiny ? 1 : keys, daemons: tiny ? 1 : daemons }),
  strike: async (target) => {
    const [tally, online]: [ReturnType<typeof emptyTally>, DaemonTally] = [emptyTally(), { online: 0, closed: 0 }]
    const streams: Streams = { begun: 0, refused: 0, ended: 0, returned: 0 }
    const said = { events: 0, pages: 0 }
    const known = new Map<number, Reader>()
    const talkers = new Map<number, LogTalker>()
    const talkerOf = (at: number): LogTalker => {
      const talker = talkers.get(at) ?? new LogTalker(said)
      talkers.set(at, talker)
      return talker
    }
    const readerOf = (at: number): Reader => {
      const reader = known.get(at) ?? { place: undefined }
      known.set(at, reader)
      return reader
    }
    const hears = LogTalker.hears()
    let reading: Promise<void> | undefined
    await keepDaemons(target, online, hears, (socket, at) => {
      const talker = talkerOf(at)
      talker.begin(socket)
      repeatedly(target, talkMillis, () => talker.talk())
      if (online.online < (target.holder?.daemons.length ?? 0)) return
      reading ??= keepOpen(target, target.tiny ? 9 : readers, attackerAddress, tally, (reader, nth) =>
        begin(target, reader, nth, readerOf(nth), streams)
      )
    })
    await reading
    return { ...streams, ...said, ...online, bytesReceived: tally.bytesReceived, connectionsClosed: tally.closed }
  }
}
