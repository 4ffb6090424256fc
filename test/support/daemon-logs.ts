/**
 * What a daemon does about its logs: keeps them, answers `log_subscribe` and `read_log`, and sends what happens while
 * it is asked to. Owns that, over any way to send frames; a test that wants a daemon to misbehave sends its own.
 */

interface Kept {
  logId: string
  readonly events: Array<Record<string, unknown> & { readonly seq: number; readonly type: string }>
  lastSeq: number
  subscribed: { readonly deltas: boolean } | undefined
}

/** A frame from the hub, as far as it is about logs. */
interface Asked {
  readonly type: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into frames of every shape
  readonly data: any
}

interface LogName {
  readonly kind: string
  readonly id: string
}

const keyOf = ({ kind, id }: LogName): string => `${kind} ${id}`

/** The logs of a daemon. */
export class DaemonLogs {
  /** Sends a frame to the hub. */
  send: (type: string, data: unknown) => void
  /** The requests for pages that came, in order. */
  readonly pages: Array<Readonly<Record<string, unknown>>> = []
  /** Answers pages; a test may keep them waiting. */
  answers = true
  /** Says of every log that there is none. */
  refuses = false
  private readonly waiting: Array<() => void> = []
  private readonly logs = new Map<string, Kept>()

  constructor(send: (type: string, data: unknown) => void) {
    this.send = send
  }

  /** A log of a session that begins, or begins to number anew. */
  begin(id: string, logId: string, kind = "session"): void {
    const before = this.logs.get(keyOf({ kind, id }))
    this.logs.set(keyOf({ kind, id }), { logId, events: [], lastSeq: 0, subscribed: before?.subscribed })
  }

  /** Something happens in a session; `told` false: the frame about it is lost. */
  happen(id: string, type: string, more: Record<string, unknown> = {}, told = true): void {
    this.happenIn({ kind: "session", id }, type, more, told)
  }

  /** The same in any log. */
  happenIn(log: LogName, type: string, more: Record<string, unknown> = {}, told = true): void {
    const kept = this.logs.get(keyOf(log))!
    const event = { seq: ++kept.lastSeq, type, timestamp: 1_790_000_000_000 + kept.lastSeq, ...more }
    kept.events.push(event)
    const { logId, lastSeq, subscribed } = kept
    if (!told || subscribed === undefined || (!subscribed.deltas && type.endsWith("_delta"))) return
    this.send("log_events", { log, logId, lastSeq, events: [event] })
  }

  /** Forgets all but the newest events. */
  forget(id: string, keep: number): void {
    const kept = this.logs.get(keyOf({ kind: "session", id }))!
    kept.events.splice(0, kept.events.length - keep)
  }

  /** Whether somebody listens, and to what. */
  subscribed(id: string): { readonly deltas: boolean } | undefined {
    return this.logs.get(keyOf({ kind: "session", id }))?.subscribed
  }

  /** The connection is new: nobody listens. */
  reconnect(): void {
    for (const kept of this.logs.values()) kept.subscribed = undefined
  }

  /** Answers the pages that wait. */
  release(): void {
    this.answers = true
    for (const answer of this.waiting.splice(0)) answer()
  }

  /** Takes a frame from the hub. */
  take({ type, data }: Asked): void {
    if (type === "log_subscribe") this.subscribe(data)
    else if (type === "log_unsubscribe") {
      const kept = this.logs.get(keyOf(data.log))
      if (kept !== undefined) kept.subscribed = undefined
    } else if (type === "command" && data.type === "read_log") {
      this.pages.push(data.payload)
      if (this.answers) this.page(data)
      else this.waiting.push(() => this.page(data))
    }
  }

  private subscribe({ log, deltas }: Asked["data"]): void {
    const kept = this.logs.get(keyOf(log))
    if (kept === undefined) return this.send("log_events", { log, logId: null, lastSeq: 0, events: [] })
    kept.subscribed = { deltas }
    this.send("log_events", { log, logId: kept.logId, lastSeq: kept.lastSeq, events: [] })
  }

  private page({ id, payload }: Asked["data"]): void {
    const kept = this.logs.get(keyOf(payload.log))
    if (kept === undefined || this.refuses)
      return this.send("command_result", { id, success: false, error: "no such log", code: "log_not_found" })
    const { logId, lastSeq, events } = kept
    const after = payload.after?.logId === logId ? payload.after.seq : 0
    const left = events.filter(({ seq, type }) => seq > after && (payload.deltas !== false || !type.endsWith("_delta")))
    const shown = left.slice(0, payload.limit)
    const firstSeq = events[0]?.seq ?? lastSeq + 1
    const result = { logId, firstSeq, lastSeq, events: shown, more: shown.length < left.length }
    this.send("command_result", { id, success: true, result })
  }
}
