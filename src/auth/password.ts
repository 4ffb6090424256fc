/**
 * Passwords: argon2id, a bounded number of checks at a time (each takes a core and 19 MiB). Owns the hash's cost; never
 * sees an account. A check against no account takes as long as one that fails, so that time tells nobody who exists.
 */
import { type Algorithm, hash, verify } from "@node-rs/argon2"
import { Clock, Context, Effect, Layer } from "effect"
import { Overloaded, ValidationFailed } from "../errors.ts"
import { passwordBytesMax, passwordCharsMin } from "../limits.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { PasswordLine, type Waiter } from "./password-queue.ts"

const cost = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const busySeconds = 2
/** Whose the checks are that no caller asks for. */
const own = ""
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

const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const line = new PasswordLine(() => monotonicMillis(clock))
  const bounded = <A, E>(address: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E | Overloaded> =>
    Effect.suspend(() => {
      let waiter: Waiter | undefined
      const turn = Effect.callback<void, Overloaded>((resume) => {
        waiter = {
          address,
          start: () => resume(Effect.void),
          refuse: () => resume(Effect.fail(new Overloaded({ retryAfter: busySeconds })))
        }
        line.enter(waiter)
      })
      const leave = Effect.sync(() => {
        if (waiter !== undefined) line.leave(waiter)
      })
      return Effect.ensuring(Effect.andThen(turn, effect), leave)
    })
  return Passwords.of({
    hash: (password) =>
      Effect.andThen(
        fits(password),
        bounded(
          own,
          Effect.promise(() => hash(password, cost))
        )
      ),
    // A stored hash that does not parse is no match: whoever reads the log of a failed login sees the account.
    check: (password, stored, address = own) =>
      Buffer.byteLength(password) > passwordBytesMax
        ? Effect.succeed(false)
        : bounded(
            address,
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
    readonly check: (
      password: string,
      stored: string | undefined,
      /** Who asks; the administrator where nobody is named. */
      address?: string
    ) => Effect.Effect<boolean, Overloaded>
  }
>()("hub/Passwords") {
  static readonly layer = Layer.effect(Passwords, make)
}
