/**
 * The W3C trace context: which trace something belongs to, and by which span. Owns its two headers as one text, in
 * which it travels between nodes and lies in rows; decides nothing.
 */
import { traceStateCharsMax } from "../limits/tracing.ts"

/** A span as others refer to it. Ids are lower-case hex. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
  /** The `tracestate` that came; "" without one. */
  readonly state: string
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/u
const noId = /^0+$/u
const stateShape = /^[\x20-\x7e]*$/u
const sampledFlag = 1

/** A context from `traceparent`, a blank and `tracestate`, which may be missing; undefined when it is none. */
export const readTrace = (text: string): TraceContext | undefined => {
  const blank = text.indexOf(" ")
  const [, version, traceId, spanId, flags, more] = shape.exec(blank < 0 ? text : text.slice(0, blank)) ?? []
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return undefined
  // a later version may have more members
  if (version === "ff" || (version === "00" && more !== undefined) || noId.test(traceId) || noId.test(spanId))
    return undefined
  const given = blank < 0 ? "" : text.slice(blank + 1)
  const state = given.length > traceStateCharsMax || !stateShape.test(given) ? "" : given
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag, state }
}

/** The header of that name. */
export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** The text that `readTrace` reads. */
export const traceText = (context: TraceContext): string =>
  context.state === "" ? traceparentOf(context) : `${traceparentOf(context)} ${context.state}`
