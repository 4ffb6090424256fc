/**
 * A log as Server-Sent Events for one reader. Owns the texts, each event's made once for all its readers, and what
 * happens to a reader that is too slow. The log is opened before the answer begins, so that an error has a status;
 * until then texts wait here.
 */
import type { LogReader } from "../../actors/logs/log-stream.ts"
import { cursorHead, type LogPlace } from "../../src/domain/log/cursor.ts"
import type { LogEndReason, LogEvent } from "../../src/domain/log/log.ts"
import type { GapReason } from "../../src/domain/log/position.ts"
import { logDrainBytes, logStreamBufferBytesMax, logTurnBytes } from "../../src/limits/logs.ts"
import type { LogEnd, LogGap } from "../api/sessions.ts"
import type { Outlet } from "../pipeline/response.ts"
import { type StreamWriter, startFrame } from "./event-stream.ts"
import type { SlowReaders } from "./slow-readers.ts"

/** What is known of a log before its answer begins. */
export type FirstWord = { readonly is: "there" } | { readonly is: "ended"; readonly reason: LogEndReason }

const frameOf = (event: "gap" | "end", data: typeof LogGap.Type | typeof LogEnd.Type): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

export class LogSink implements LogReader {
  readonly accountId: string
  private leave: (() => void) | undefined
  private readonly tag: string
  private readonly slow: SlowReaders
  private readonly first: (word: FirstWord) => void
  private waiting: Array<string> | undefined = []
  private ended: LogEndReason | undefined
  private writer: StreamWriter | undefined
  private outlet: Outlet | undefined
  private keepsUp = true
  private logId = ""
  private head = ""

  constructor(accountId: string, tag: string, slow: SlowReaders, first: (word: FirstWord) => void) {
    this.accountId = accountId
    this.tag = tag
    this.slow = slow
    this.first = first
  }

  /** Its log is open; this leaves it. It may have ended at once. */
  opened(leave: () => void): void {
    this.leave = leave
    if (this.ended !== undefined) this.close()
  }

  /** Leaves the log. */
  close(): void {
    this.leave?.()
  }

  /** The answer begins: from now on all goes there. What it returns ends that. */
  attach(outlet: Outlet, writer: StreamWriter): () => void {
    this.outlet = outlet
    this.writer = writer
    const { waiting, ended } = this
    this.waiting = undefined
    for (const text of waiting ?? []) this.write(text)
    if (ended !== undefined) this.finish(ended)
    return () => {
      this.slow.remove(this)
      this.writer = undefined
      this.close()
    }
  }

  begin({ logId, seq }: LogPlace): void {
    this.write(startFrame(this.headOf(logId) + String(seq)))
    this.first({ is: "there" })
  }

  event(event: LogEvent, logId: string): void {
    event.sent ??= `id: ${this.headOf(logId)}${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event.given)}\n\n`
    this.write(event.sent)
  }

  gap(reason: GapReason, { logId, seq }: LogPlace): void {
    const after = logId === "" ? null : this.headOf(logId) + String(seq)
    this.write(frameOf("gap", { after, reason }))
  }

  end(reason: LogEndReason): void {
    if (this.ended !== undefined) return
    this.ended = reason
    this.close()
    if (this.writer !== undefined) return this.finish(reason)
    this.first({ is: "ended", reason })
  }

  isBehind(): boolean {
    return this.buffered() > logDrainBytes
  }

  hasEnough(): boolean {
    return this.keepsUp && this.buffered() > logTurnBytes
  }

  /** Bytes that wait for its reader. */
  buffered(): number {
    return this.outlet?.buffered() ?? 0
  }

  private finish(reason: LogEndReason): void {
    const { writer } = this
    this.writer = undefined
    this.slow.remove(this)
    writer?.send(frameOf("end", { reason }))
    writer?.end()
  }

  private headOf(logId: string): string {
    if (logId === this.logId) return this.head
    this.logId = logId
    this.head = cursorHead(this.tag, logId)
    return this.head
  }

  private write(text: string): void {
    if (this.waiting !== undefined) return void this.waiting.push(text)
    const sent = this.writer?.send(text)
    this.keepsUp = sent === "sent"
    if (sent !== "buffered") return
    if (this.buffered() > logStreamBufferBytesMax) this.cut()
    else this.slow.add(this, text.length)
  }

  /** It reads too slowly. */
  cut(): void {
    this.slow.ended()
    this.end("slow_reader")
  }
}
