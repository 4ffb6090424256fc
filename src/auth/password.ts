/**
 * Hashes and checks passwords with argon2id, a bounded number at a time (each takes a core and 19 MiB). Owns the cost
 * of the hash; never sees an account. A check for an account that does not exist takes as long as one that fails, so
 * its duration does not tell who exists.
 */
import { type Algorithm, hash, verify } from "@node-rs/argon2"
import { Clock, Context, Effect, Layer } from "effect"
import { Overloaded, ValidationFailed } from "../errors.ts"
import { passwordBytesMax, passwordCharsMin } from "../limits.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { PasswordQueue, type Waiter } from "./password-queue.ts"

const cost = { algorithm: 2 satisfies Algorithm.Argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
const busySeconds = 2
/** The address of checks that no caller asks for. */
const administrator = ""
// The hash of a random password of the same cost, for accounts that do not exist.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$G0NOmtZTVuWVSuImxw35Vw$cOVFl9zvVh/R0MrMKbrLZD6CG1AzkwQ2UXxX69LU9gM"

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
  const queue = new PasswordQueue(() => monotonicMillis(clock))
  const bounded = <A, E>(address: string, effect: Effect.Effect<A, E>): Effect.Effect<A, E | Overloaded> =>
    Effect.suspend(() => {
      let waiter: Waiter | undefined
      const turn = Effect.callback<void, Overloaded>((resume) => {
        waiter = {
          address,
          start: () => resume(Effect.void),
          refuse: () => resume(Effect.fail(new Overloaded({ retryAfter: busySeconds })))
        }
        queue.enter(waiter)
      })
      const leave = Effect.sync(() => {
        if (waiter !== undefined) queue.leave(waiter)
      })
      return Effect.ensuring(Effect.andThen(turn, effect), leave)
    })
  return Passwords.of({
    hash: (password) =>
      Effect.andThen(
        fits(password),
        bounded(
          administrator,
          Effect.promise(() => hash(password, cost))
        )
      ),
    // A stored hash that does not parse never matches: the log of the failed login names the account.
    check: (password, stored, address = administrator) =>
      Buffer.byteLength(password) > passwordBytesMax
        ? Effect.succeed(false)
        : bounded(
            address,
            Effect.promise(() => verify(stored ?? dummyHash, password).catch(() => false)).pipe(
              Effect.map((matches) => matches && stored !== undefined)
            )
          )
  })
})

export class Passwords extends Context.Service<
  Passwords,
  {
    /** The hash to store. */
    readonly hash: (password: string) => Effect.Effect<string, ValidationFailed | Overloaded>
    /** Whether it matches. With `stored` undefined it takes as long and never matches. */
    readonly check: (
      password: string,
      stored: string | undefined,
      /** The caller's address; the administrator's when absent. */
      address?: string
    ) => Effect.Effect<boolean, Overloaded>
  }
>()("hub/Passwords") {
  static readonly layer = Layer.effect(Passwords, make)
}
