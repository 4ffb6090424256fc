/**
 * Which traces are kept, by the standard samplers of OpenTelemetry. Owns their names and the ids of new traces; keeps
 * no span.
 */
import { randomFillSync } from "node:crypto"

/** The names of `OTEL_TRACES_SAMPLER`; any other counts as the first. */
export const samplers = [
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
  "always_on",
  "always_off",
  "traceidratio"
] as const

/** Decides about a trace that begins here, by its id; about one that came from elsewhere, by what was decided there. */
export interface Sampler {
  /** The id of a new trace that is kept; undefined: it is not. */
  readonly begin: () => string | undefined
  readonly goOn: (traceId: string, sampled: boolean) => boolean
}

const pool = Buffer.alloc(4_096)
let used = pool.length

const take = (bytes: number): number => {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return used - bytes
}

const traceIdBytes = 16
const spanIdBytes = 8
const judgedBytes = 4
const all = 2 ** (judgedBytes * 8)

/** The id of a new span. */
export const newSpanId = (): string => {
  const at = take(spanIdBytes)
  return pool.toString("hex", at, at + spanIdBytes)
}

const readRatio = (text: string | undefined): number => {
  const ratio = Number(text ?? "1")
  return ratio >= 0 && ratio <= 1 ? ratio : 1
}

/** The sampler of this name. `argument`: the share of traces that is kept, 0 to 1; anything else counts as 1. */
export const makeSampler = (name: string | undefined, argument: string | undefined): Sampler => {
  const known = samplers.find((one) => one === name) ?? samplers[0]
  const root = known.replace("parentbased_", "")
  const share = root === "always_off" ? 0 : root === "always_on" ? 1 : readRatio(argument)
  const kept = share * all
  const begin = (): string | undefined => {
    const at = take(traceIdBytes)
    if (pool.readUInt32BE(at + traceIdBytes - judgedBytes) >= kept) return undefined
    return pool.toString("hex", at, at + traceIdBytes)
  }
  const byId = (traceId: string): boolean => Number.parseInt(traceId.slice(-judgedBytes * 2), 16) < kept
  return { begin, goOn: (traceId, sampled) => (known === root ? byId(traceId) : sampled) }
}
