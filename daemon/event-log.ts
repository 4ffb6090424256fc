/**
 * The log of one session or command: numbered events in memory. Owns their numbers, how many are kept, and that text
 * which comes in pieces is one event until it has been read; sends nothing.
 */
import { randomUUID } from "node:crypto"
import { logBytesMax, logEventsMax, logFrameEventsMax, logFrameValuesMax, logPieceCharactersMax } from "./limits.ts"
import { fitted, jsonBytes, type LogEvent, type LogEventBody } from "./log-event.ts"

interface Kept {
  readonly event: LogEvent
  readonly bytes: number
  readonly values: number
}

/** Text that may go on in the last event. */
interface Open {
  readonly key: string
  readonly member: string
  readonly length: number
}

/** What is wanted of a log. */
export interface Wanted {
  /** Events after this number. */
  readonly after: number
  readonly limit: number
  readonly bytes: number
  /** Whether pieces of texts are wanted too. */
  readonly deltas: boolean
}

/** What a log gave. */
export interface Page {
  readonly events: ReadonlyArray<LogEvent>
  /** Up to where it was looked at. */
  readonly cursor: number
  /** Whether there is more of what is wanted. */
  readonly more: boolean
}

const isDelta = ({ type }: LogEvent): boolean => type.endsWith("_delta")

/** Room for the number in an event's JSON, and for the comma behind it. */
const numberBytes = 24
/** The number is a value, and its name. */
const numberValues = 2

/** Where a text may be cut: not between the two halves of a character. */
const cutAt = (text: string, at: number): number => {
  if (at >= text.length) return text.length
  const before = text.charCodeAt(at - 1)
  return at > 1 && before >= 0xd8_00 && before <= 0xdb_ff ? at - 1 : at
}

/** A log. */
export class EventLog {
  /** New each time the numbers begin again. */
  readonly logId = `log_${randomUUID()}`
  readonly #changed: () => void
  readonly #kept: Array<Kept> = []
  #bytes = 0
  #lastSeq = 0
  #open: Open | undefined

  constructor(changed: () => void = () => undefined) {
    this.#changed = changed
  }

  /** The oldest number that is kept. */
  get firstSeq(): number {
    return this.#kept[0]?.event.seq ?? this.#lastSeq + 1
  }

  /** The newest number. Its event does not change any more. */
  get lastSeq(): number {
    this.#open = undefined
    return this.#lastSeq
  }

  /** Adds an event. */
  add(body: LogEventBody): void {
    this.#open = undefined
    const { value, bytes, values } = fitted(body)
    const event: LogEvent = { seq: ++this.#lastSeq, ...value }
    this.#kept.push({ event, bytes: bytes + numberBytes, values: values + numberValues })
    this.#bytes += bytes + numberBytes
    this.#trim()
    this.#changed()
  }

  /** Adds text, in pieces: it goes on in the last event when that is of the same key and has not been read yet. */
  stream(key: string, body: LogEventBody, member: string, text: string): void {
    let rest = text
    while (rest !== "") {
      const open = this.#open
      const goesOn = open?.key === key && open.length < logPieceCharactersMax - 1
      const at = cutAt(rest, logPieceCharactersMax - (goesOn ? open.length : 0))
      const piece = rest.slice(0, at)
      rest = rest.slice(at)
      if (goesOn) this.#goOn(open, piece)
      else this.add({ ...body, [member]: piece })
      this.#open = { key, member, length: (goesOn ? open.length : 0) + piece.length }
    }
  }

  #goOn({ member }: Open, piece: string): void {
    const { event, bytes, values } = this.#kept.pop()!
    const more = jsonBytes(piece)
    this.#kept.push({ event: { ...event, [member]: String(event[member]) + piece }, bytes: bytes + more, values })
    this.#bytes += more
    this.#trim()
    this.#changed()
  }

  #trim(): void {
    while (this.#kept.length > 1 && (this.#kept.length > logEventsMax || this.#bytes > logBytesMax)) {
      this.#bytes -= this.#kept.shift()!.bytes
    }
  }

  /** What is kept after a number, oldest first, within bounds; one event at least where there is one. */
  read({ after, limit, bytes, deltas }: Wanted): Page {
    this.#open = undefined
    const events: Array<LogEvent> = []
    const most = Math.min(limit, logFrameEventsMax)
    let cursor = Math.max(after, this.firstSeq - 1)
    let bytesLeft = bytes
    let valuesLeft = logFrameValuesMax
    for (let at = cursor + 1 - this.firstSeq; at < this.#kept.length; at++) {
      const one = this.#kept[at]!
      if (deltas || !isDelta(one.event)) {
        bytesLeft -= one.bytes
        valuesLeft -= one.values
        const isFull = events.length > 0 && (bytesLeft < 0 || valuesLeft < 0)
        if (isFull || events.length >= most) return { events, cursor, more: true }
        events.push(one.event)
      }
      cursor = one.event.seq
    }
    return { events, cursor, more: false }
  }
}
