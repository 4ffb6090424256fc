/**
 * Passwords: argon2id, a bounded number of checks at a time (each takes a core and 19 MiB). Owns the hash's cost; never
 * sees an account. A check against no account takes as long as one that fails, so that time tells nobody who exists.
 */
import { type Algorithm, hash, verify } from "@node-rs/argon2"
import { Context, Effect, Layer, Semaphore } from "effect"
import { Overloaded, ValidationFailed } from "../errors.ts"
import { passwordBytesMax, passwordCharsMin, passwordChecksMax, passwordWaitersMax } from "../limits.ts"

const cost = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const busySeconds = 2
// What nobody's password hashes to: a random one of the same cost.
const nobody = "$argon2id$v=19$m=19456,t=2,p=1$G0NOmtZTVuWVSuImxw35Vw$cOVFl9zvVh/R0MrMKbrLZD6CG1AzkwQ2UXxX69LU9gM"

const fits = (password: string): Effect.Effect<void, ValidationFailed> =>
  password.length < passwordCharsMin || Buffer.byteLength(password) > passwordBytesMax
    ? Effect.fail(
        new ValidationFailed({
          issues: [
            { path: "password", message: `${passwordCharsMin} characters or more, ${passwordBytesMax} bytes or less` }
          ]
        })
      )
    : Effect.void

const make = Effect.sync(() => {
  const places = Semaphore.makeUnsafe(passwordChecksMax)
  let waiting = 0
  const bounded = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | Overloaded> =>
    Effect.suspend((): Effect.Effect<A, E | Overloaded> => {
      if (waiting >= passwordChecksMax + passwordWaitersMax)
        return Effect.fail(new Overloaded({ retryAfter: busySeconds }))
      waiting++
      return places.withPermit(effect).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            waiting--
          })
        )
      )
    })
  return Passwords.of({
    hash: (password) => Effect.andThen(fits(password), bounded(Effect.promise(() => hash(password, cost)))),
    // A stored hash that does not parse is no match: whoever reads the log of a failed login sees the account.
    check: (password, stored) =>
      Buffer.byteLength(password) > passwordBytesMax
        ? Effect.succeed(false)
        : bounded(
            Effect.promise(() => verify(stored ?? nobody, password).catch(() => false)).pipe(
              Effect.map((matches) => matches && stored !== undefined)
            )
          )
  })
})

/** Passwords. */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** The hash to store. */
    readonly hash: (password: string) => Effect.Effect<string, ValidationFailed | Overloaded>
    /** Whether it matches; `stored` undefined takes as long and never does. */
    readonly check: (password: string, stored: string | undefined) => Effect.Effect<boolean, Overloaded>
  }
>()("hub/Passwords") {
  static readonly layer = Layer.effect(Passwords, make)
}
