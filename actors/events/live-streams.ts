/**
 * Live streams of an account's events. Owns one bounded buffer per account, kept while it has a reader and for a while
 * after, from which a reader resumes. A reader that fell behind is told so (`gap`). Writes to no socket.
 */
import { randomBytes } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../../src/bus/bus.ts"
import type { Tags } from "../../src/domain/daemon/tags.ts"
import {
  streamAccountsMax,
  streamBufferCharsMax,
  streamBufferCharsMin,
  streamBufferMax,
  streamBuffersCharsMax,
  streamLingerMillis,
  streamsPerAccountMax
} from "../../src/limits/delivery.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import { watchInScope } from "../../src/runtime/metrics.ts"
import { Timers } from "../../src/runtime/timers.ts"

/** One event of a live stream. Ids of one buffer grow by one; they say nothing of other accounts. */
export interface StreamEvent {
  readonly id: string
  readonly event: string
  readonly daemonId: string | undefined
  /** Of that daemon when it happened; undefined: not known, or it tells of no daemon. */
  readonly tags: Tags | undefined
  /** The JSON text that is sent; made once for all readers. */
  readonly text: string
}

/** A reader: told in order, must not block. */
export type StreamReader = (event: StreamEvent) => void

/** A stream that was opened. */
export interface OpenStream {
  /** What happened since the id that the reader saw last. */
  readonly missed: ReadonlyArray<StreamEvent>
  /** Some of what happened since then is not held any more, or the id was never given here. */
  readonly gap: boolean
  /** What to resume after when nothing else was seen. */
  readonly lastId: string
  readonly close: () => void
}

/** The live streams of this node. */
export class LiveStreams extends Context.Service<
  LiveStreams,
  {
    /** Opens a stream, resuming after an id; undefined when the account has too many. */
    readonly open: (accountId: string, after: string | undefined, reader: StreamReader) => OpenStream | undefined
    /** Whether the account may open one more. */
    readonly room: (accountId: string) => boolean
    readonly size: () => number
  }
>()("hub/LiveStreams") {
  static readonly layer = Layer.effect(LiveStreams)(Effect.suspend(() => make))
}

interface Buffer {
  /**
   * Tells its ids from those of another buffer: of another account or node, or of before a time when nothing was held.
   */
  readonly era: string
  readonly readers: Set<StreamReader>
  readonly events: Array<StreamEvent>
  /** Of the texts of these. */
  chars: number
  /** The number of the last event. */
  made: number
  /** When the last reader left. */
  leftAt: number
}

const idOf = (buffer: Buffer): string => `${buffer.era}-${buffer.made}`

const numberIn = (buffer: Buffer, id: string): number | undefined => {
  const parts = /^([0-9a-f]{12})-(\d{1,15})$/u.exec(id)
  return parts?.[1] === buffer.era ? Number(parts[2]) : undefined
}

/** What a reader that has seen this id missed; one without a number in this buffer was never given here. */
const missedBy = (
  buffer: Buffer,
  id: string
): { readonly missed: ReadonlyArray<StreamEvent>; readonly gap: boolean } => {
  const number = numberIn(buffer, id)
  if (number === undefined) return { missed: buffer.events, gap: true }
  if (number > buffer.made) return { missed: [], gap: true }
  const since = buffer.made - number
  const { length } = buffer.events
  return { missed: buffer.events.slice(Math.max(0, length - since)), gap: since > length }
}

const newBuffer = (): Buffer => ({
  era: randomBytes(6).toString("hex"),
  readers: new Set(),
  events: [],
  chars: 0,
  made: 0,
  leftAt: 0
})

const nothing = { missed: [], gap: false } as const

const make = Effect.gen(function* () {
  const bus = yield* Bus
  const timers = yield* Timers
  const reading = new Map<string, Buffer>()
  let held = 0
  const lingering = new LRUCache<string, Buffer>({
    ...entriesAtMost(streamAccountsMax),
    dispose: (buffer, accountId) => {
      if (reading.get(accountId) !== buffer) held -= buffer.chars
    }
  })
  let size = 0

  const isFull = ({ events, chars }: Buffer): boolean =>
    events.length > streamBufferMax ||
    chars > streamBufferCharsMax ||
    (held > streamBuffersCharsMax && chars > streamBufferCharsMin)
  /** Keeps an event for those who resume, in place of the oldest where there is no room. */
  const keep = (buffer: Buffer, happened: StreamEvent): void => {
    const add = (chars: number): void => {
      buffer.chars += chars
      held += chars
    }
    buffer.events.push(happened)
    add(happened.text.length)
    while (isFull(buffer)) add(-buffer.events.shift()!.text.length)
  }

  const bufferOf = (accountId: string): Buffer | undefined => {
    const read = reading.get(accountId)
    if (read !== undefined) return read
    const left = lingering.get(accountId)
    if (left === undefined || timers.monotonic() - left.leftAt <= streamLingerMillis) return left
    lingering.delete(accountId)
    return undefined
  }

  yield* bus.subscribe("event_happened", ({ accountId, event, tags, payload, timestamp }) => {
    const buffer = bufferOf(accountId)
    if (buffer === undefined) return
    const { daemonId } = payload as { readonly daemonId?: unknown }
    buffer.made++
    const happened: StreamEvent = {
      id: idOf(buffer),
      event,
      daemonId: typeof daemonId === "string" ? daemonId : undefined,
      tags,
      text: JSON.stringify({ event, payload, timestamp })
    }
    keep(buffer, happened)
    for (const reader of [...buffer.readers]) reader(happened)
  })

  const open = (accountId: string, after: string | undefined, reader: StreamReader): OpenStream | undefined => {
    const buffer: Buffer = bufferOf(accountId) ?? newBuffer()
    if (buffer.readers.size >= streamsPerAccountMax) return undefined
    const { missed, gap } = after === undefined ? nothing : missedBy(buffer, after)
    reading.set(accountId, buffer)
    lingering.delete(accountId)
    buffer.readers.add(reader)
    size++
    const close = (): void => {
      if (!buffer.readers.delete(reader)) return
      size--
      if (buffer.readers.size > 0) return
      buffer.leftAt = timers.monotonic()
      reading.delete(accountId)
      lingering.set(accountId, buffer)
    }
    return { missed, gap, lastId: idOf(buffer), close }
  }

  yield* watchInScope("hub_streams", () => size)
  const room = (accountId: string): boolean => (reading.get(accountId)?.readers.size ?? 0) < streamsPerAccountMax
  return LiveStreams.of({ open, room, size: () => size })
})
