/**
 * One event of a log. Owns its shape and that it fits: how many bytes, how many values, how deep; keeps nothing.
 */
import { cutToChars } from "../src/domain/text/truncate.ts"
import { logEventBytesMax, logEventDepthMax, logEventValuesMax } from "./limits.ts"

/** What happened, before it has a number. */
export interface LogEventBody {
  readonly type: string
  readonly timestamp: number
  readonly [member: string]: unknown
}

/** What happened, with its number in the log. */
export interface LogEvent extends LogEventBody {
  readonly seq: number
}

/** Something that fits, and what it counts. */
export interface Weighed<A> {
  readonly value: A
  readonly bytes: number
  readonly values: number
}

/** Bytes of a value as JSON. */
export const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** Values as the hub counts them, names of members included; undefined above the bounds, where it stops. */
const valuesIn = (value: unknown, depth: number, room: number): number | undefined => {
  if (typeof value !== "object" || value === null) return room < 1 ? undefined : 1
  if (depth > logEventDepthMax) return undefined
  const named = !Array.isArray(value)
  let count = 1
  for (const one of Object.values(value)) {
    const inside = valuesIn(one, depth + 1, room - count - (named ? 1 : 0))
    if (inside === undefined) return undefined
    count += inside + (named ? 1 : 0)
  }
  return count > room ? undefined : count
}

const weighed = (body: LogEventBody): Weighed<LogEventBody> | undefined => {
  const values = valuesIn(body, 1, logEventValuesMax)
  if (values === undefined) return undefined
  const bytes = jsonBytes(body)
  return bytes > logEventBytesMax ? undefined : { value: body, bytes, values }
}

/** A text without its last quarter, and not in the middle of a character. */
const shortened = (text: string): string => cutToChars(text, Math.floor(text.length * 0.75)).toWellFormed()

/** A body without its largest text's end. */
const withLessText = (body: LogEventBody): LogEventBody => {
  const texts = Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  const [name, text] = texts.reduce((longest, one) => (one[1].length > longest[1].length ? one : longest))
  return { ...body, [name]: shortened(text) }
}

/**
 * The event as it fits into a log. Of one that is too large, objects and lists go, the last first, then ends of texts,
 * and it says `truncated`.
 */
export const fitted = (body: LogEventBody): Weighed<LogEventBody> => {
  const whole = weighed(body)
  if (whole !== undefined) return whole
  let less: LogEventBody = { ...body, truncated: true }
  const structures = Object.keys(body).filter((name) => typeof body[name] === "object" && body[name] !== null)
  for (const name of structures.reverse()) {
    const { [name]: _, ...rest } = less
    less = rest as LogEventBody
    const found = weighed(less)
    if (found !== undefined) return found
  }
  for (;;) {
    const found = weighed(less)
    if (found !== undefined) return found
    less = withLessText(less)
  }
}
