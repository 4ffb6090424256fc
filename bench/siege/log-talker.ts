/**
 * An attacker's daemon whose sessions never stop talking: it says as much as a daemon may, and answers each read of its
 * log by pages as large as they may be. Owns its numbers; keeps no event, as each can be made again.
 */
import type { DaemonListener, DaemonSocket } from "./daemon-socket.ts"
import { resultText } from "./daemon-socket.ts"

const sessionCount = 5
const eventChars = 1_200
/** Frames of so many events each `talkMillis` are just below 1 MiB in a second. */
const eventsPerFrame = 8
/** As many as fit into 512 KiB. */
const eventsPerPage = 380
const logId = "siege"
const words = "x".repeat(eventChars)
const talkers = new WeakMap<DaemonSocket, LogTalker>()

const eventOf = (seq: number): string =>
  `{"seq":${seq},"type":"message_delta","timestamp":1790000000000,"messageId":"m1","role":"agent","delta":"${words}"}`
const eventsFrom = (first: number, count: number): string =>
  Array.from({ length: count }, (_, at) => eventOf(first + at)).join(",")

interface Asked {
  readonly log?: { readonly kind: string; readonly id: string }
  readonly after?: { readonly seq: number }
  readonly limit?: number
}

/** One daemon. */
export class LogTalker {
  /** Ids of its sessions. */
  static readonly sessions = Array.from({ length: sessionCount }, (_, at) => `siege${at}`)
  readonly #numbers = new Map<string, number>()
  readonly #said: { events: number; pages: number }
  #socket: DaemonSocket | undefined
  #turn = 0

  constructor(said: { events: number; pages: number }) {
    this.#said = said
  }

  /** What the sockets of all talkers listen to. */
  static hears(): DaemonListener {
    return {
      capabilities: ["session_log"],
      other: (type, data, socket) => {
        if (type === "log_subscribe") talkers.get(socket)?.stand((data as Asked).log?.id ?? "")
      },
      command: (id, socket, payload) => talkers.get(socket)?.page(id, payload as Asked)
    }
  }

  /** It is connected: reports its sessions. */
  begin(socket: DaemonSocket): void {
    this.#socket = socket
    talkers.set(socket, this)
    const sessions = LogTalker.sessions.map(
      (id) => `{"id":"${id}","providerType":"siege","kind":"agent","transport":"acp","status":"generating"}`
    )
    socket.send([`{"type":"status_report","data":{"timestamp":${Date.now()},"sessions":[${sessions.join(",")}]}}`])
  }

  /** The next session says the next words; false once the connection is gone. */
  talk(): boolean {
    const session = LogTalker.sessions[this.#turn++ % sessionCount]!
    const first = (this.#numbers.get(session) ?? 0) + 1
    this.#numbers.set(session, first + eventsPerFrame - 1)
    this.#said.events += eventsPerFrame
    this.#send(session, eventsFrom(first, eventsPerFrame))
    return this.#socket?.ready === true
  }

  /** Says where a log stands. */
  stand(session: string): void {
    this.#send(session, "")
  }

  /** Answers a read with a whole page behind the place that is asked for, though it was never kept. */
  page(id: string, { log, after, limit = eventsPerPage }: Asked): void {
    const last = this.#numbers.get(log?.id ?? "") ?? 0
    const first = (after?.seq ?? 0) + 1
    const count = Math.max(0, Math.min(limit, eventsPerPage, last - first + 1))
    this.#said.pages++
    const more = first + count <= last
    const result = `{"logId":"${logId}","firstSeq":1,"lastSeq":${last},"events":[${eventsFrom(first, count)}],"more":${more}}`
    this.#socket?.send([resultText(id, result)])
  }

  #send(session: string, events: string): void {
    const last = this.#numbers.get(session) ?? 0
    const log = `{"kind":"session","id":"${session}"}`
    this.#socket?.send([
      `{"type":"log_events","data":{"log":${log},"logId":"${logId}","lastSeq":${last},"events":[${events}]}}`
    ])
  }
}
