/**
 * The limits of the auth endpoints: calls per address, and failures per address and account, each in five minutes. Owns
 * these windows. All nodes share them while Redis is available; otherwise each node counts alone. Knows no passwords.
 */
import { Context, Effect, Layer } from "effect"
import { hashCredential } from "../../src/auth/api-key.ts"
import { emailKey } from "../../src/domain/account/email-address.ts"
import { AuthInvalid, RateLimited } from "../../src/errors.ts"
import { attemptCallsMax, attemptEntriesMax, attemptFailuresMax, attemptsSpanMillis } from "../../src/limits.ts"
import { flatMap, type MaybeSync, toEffect } from "../../src/runtime/maybe-sync.ts"
import type { Admission } from "./bucket.ts"
import { makePolicyWindows, sharedWindows } from "./rate-limits.ts"

const inSpan = { spanMillis: attemptsSpanMillis, bucketsMax: attemptEntriesMax, idleMillis: attemptsSpanMillis }

const refused = (limit: number, answer: Admission): RateLimited =>
  new RateLimited({ limit, retryAfter: Math.max(1, Math.ceil(answer.millisToNext / 1000)) })

// Hashed, so that the input is not kept in memory at its full length. By its e-mail key: otherwise each spelling
// of one address would have its own limit.
const pair = (address: string, account: string): string => hashCredential(`${address}\n${emailKey(account)}`)

const make = Effect.gen(function* () {
  const shared = yield* sharedWindows(attemptsSpanMillis)
  const callWindows = yield* makePolicyWindows(shared, { ...inSpan, name: "auth", limit: attemptCallsMax })
  const failureWindows = yield* makePolicyWindows(shared, { ...inSpan, name: "failure", limit: attemptFailuresMax })
  // Running attempts count as failures until they end; otherwise a concurrent burst would pass the limit.
  const trying = new Map<string, number>()

  const ended = (name: string): void => {
    const left = (trying.get(name) ?? 1) - 1
    if (left === 0) trying.delete(name)
    else trying.set(name, left)
  }

  const judged = (answer: Admission): Spent =>
    answer.admitted ? undefined : { refusal: refused(attemptCallsMax, answer) }
  const judge = (answer: MaybeSync<Admission>): MaybeSync<Spent> => flatMap(answer, judged)
  const seen = (name: string) => Effect.suspend(() => toEffect(failureWindows.look(name)))
  const failed = (name: string) => Effect.suspend(() => toEffect(failureWindows.take(name)))

  return LoginLimits.of({
    spent: (address) => judge(callWindows.look(address)),
    call: (address) => judge(callWindows.take(address)),
    attempt: <A, E>(address: string, account: string, effect: Effect.Effect<A, E>) => {
      const name = pair(address, account)
      return Effect.flatMap(seen(name), (answer): Effect.Effect<A, E | RateLimited> => {
        const underWay = trying.get(name) ?? 0
        if (answer.count + underWay >= attemptFailuresMax) return Effect.fail(refused(attemptFailuresMax, answer))
        trying.set(name, underWay + 1)
        return effect.pipe(
          Effect.tapError((error) => (error instanceof AuthInvalid ? failed(name) : Effect.void)),
          Effect.ensuring(Effect.sync(() => ended(name)))
        )
      })
    }
  })
})

/** The refusal of an address, if any. In an object, because an error by itself is an effect, which would fail. */
export type Spent = { readonly refusal: RateLimited } | undefined

export class LoginLimits extends Context.Service<
  LoginLimits,
  {
    /** The refusal of an address without calls left. Charges nothing. Synchronous without Redis. */
    readonly spent: (address: string) => MaybeSync<Spent>
    /** Charges one call of this address to the auth endpoints, or refuses it. Synchronous without Redis. */
    readonly call: (address: string) => MaybeSync<Spent>
    /** Runs a sign-in unless this address failed too often for this account. AuthInvalid counts as a failure. */
    readonly attempt: <A, E>(
      address: string,
      account: string,
      effect: Effect.Effect<A, E>
    ) => Effect.Effect<A, E | RateLimited>
  }
>()("hub/LoginLimits") {
  static readonly layer = Layer.effect(LoginLimits, make)
}
