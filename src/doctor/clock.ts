/** Whether this computer's clock agrees with that of a server. Owns the measurement and the judgement; sets none. */
import { Clock, Effect } from "effect"
import { clockApartMillis, clockApartMillisMax } from "../limits/doctor.ts"
import { error, type Finding, ok, warning } from "./finding.ts"

/** By how much a server's clock is ahead of this one's, and how far off that may be. */
export interface ClockOffset {
  readonly millis: number
  readonly uncertain: number
}

/** Asks a server for its time, in epoch milliseconds. */
export const clockOffset = <E, R>(ask: Effect.Effect<number, E, R>): Effect.Effect<ClockOffset, E, R> =>
  Effect.gen(function* () {
    const before = yield* Clock.currentTimeMillis
    const there = yield* ask
    const after = yield* Clock.currentTimeMillis
    return { millis: Math.round(there - (before + after) / 2), uncertain: Math.ceil((after - before) / 2) }
  })

const remedy = "set both clocks by NTP (chrony, systemd-timesyncd; timedatectl shows it)"

/** `server` in a word: Postgres, Redis. */
export const judgeClock = (server: string, { millis, uncertain }: ClockOffset): Finding => {
  const check = `clock of ${server}`
  const apart = Math.max(0, Math.abs(millis) - uncertain)
  const way = millis >= 0 ? "ahead of" : "behind"
  if (apart < clockApartMillis) return ok(check, `agrees with this one (${millis} ms, ±${uncertain} ms)`)
  const found = `is ${(apart / 1_000).toFixed(1)} s ${way} this one`
  if (apart <= clockApartMillisMax) return warning(check, `${found}; times shown differ by that`, remedy)
  return error(check, `${found}: sessions, keys and retries of deliveries end or begin at the wrong time`, remedy)
}
