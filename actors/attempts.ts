/**
 * The limits of the auth endpoints: calls of one address, and failures of one address and account, each in five
 * minutes. Owns those windows; knows nothing of passwords. In memory and per node, like the rate limits.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { hashCredential } from "../src/auth/credential.ts"
import { AuthInvalid, RateLimited } from "../src/errors.ts"
import {
  attemptCallsMax,
  attemptEntriesMax,
  attemptFailuresMax,
  attemptsSpanMillis,
  overflowBuckets
} from "../src/limits.ts"
import { makePopulation, type Population, type Turn } from "./bucket.ts"
import { steadyMillis, sweepFor } from "./buckets.ts"
import { Supervisor } from "./supervisor.ts"

const population = (supervisor: Supervisor["Service"], name: string, limit: number): Population =>
  makePopulation(supervisor, {
    name,
    limit,
    spanMillis: attemptsSpanMillis,
    bucketsMax: attemptEntriesMax,
    overflow: overflowBuckets,
    idleMillis: attemptsSpanMillis
  })

const refused = (limit: number, turn: Turn): RateLimited =>
  new RateLimited({ limit, retryAfter: Math.max(1, Math.ceil(turn.millisToNext / 1000)) })

// Hashed, so that what a caller types as an account never lies about in memory at its length.
const pair = (address: string, account: string): string => hashCredential(`${address}\n${account.toLowerCase()}`)

const make = Effect.gen(function* () {
  const supervisor = yield* Supervisor
  const clock = yield* Clock.Clock
  const now = () => steadyMillis(clock)
  const calls = population(supervisor, "auth", attemptCallsMax)
  const failures = population(supervisor, "failure", attemptFailuresMax)
  // Tries under way count as failures until they end, or a burst would try as often as it is wide.
  const trying = new Map<string, number>()
  yield* Effect.forkScoped(sweepFor(calls, now))
  yield* Effect.forkScoped(sweepFor(failures, now))

  const ended = (name: string): void => {
    const left = (trying.get(name) ?? 1) - 1
    if (left === 0) trying.delete(name)
    else trying.set(name, left)
  }

  return Attempts.of({
    spent: (address) => {
      const turn = calls.look(address, now())
      return turn.admitted ? undefined : refused(attemptCallsMax, turn)
    },
    call: (address) => {
      calls.take(address, now())
    },
    attempt: <A, E>(address: string, account: string, effect: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | RateLimited> => {
        const name = pair(address, account)
        const turn = failures.look(name, now())
        const underWay = trying.get(name) ?? 0
        if (turn.count + underWay >= attemptFailuresMax) return Effect.fail(refused(attemptFailuresMax, turn))
        trying.set(name, underWay + 1)
        return effect.pipe(
          Effect.tapError((error) =>
            Effect.sync(() => {
              if (error instanceof AuthInvalid) failures.take(name, now())
            })
          ),
          Effect.ensuring(Effect.sync(() => ended(name)))
        )
      })
  })
})

/** The attempts at signing in. */
export class Attempts extends Context.Service<
  Attempts,
  {
    /** The refusal of an address whose calls to the auth endpoints are used up; charges nothing. */
    readonly spent: (address: string) => RateLimited | undefined
    /** Charges one call of this address to the auth endpoints. */
    readonly call: (address: string) => void
    /** Tries to sign in, unless this address failed too often for this account; AuthInvalid is charged as a failure. */
    readonly attempt: <A, E>(
      address: string,
      account: string,
      effect: Effect.Effect<A, E>
    ) => Effect.Effect<A, E | RateLimited>
  }
>()("hub/Attempts") {
  static readonly layer = Layer.effect(Attempts, make)
}
