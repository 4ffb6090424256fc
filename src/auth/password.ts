/**
 * Hashes and checks passwords with argon2id, a bounded number at a time (each takes a core and 19 MiB), checks in
 * threads below the event loop's priority. Owns the cost of the hash, and the threads; never sees an account. A check
 * for an account that does not exist takes as long as one that fails, so its duration does not tell who exists.
 */
import { Worker } from "node:worker_threads"
import { type Algorithm, hash } from "@node-rs/argon2"
import { Clock, Context, Effect, Layer } from "effect"
import { Overloaded, ValidationFailed } from "../errors.ts"
import { passwordBytesMax, passwordCharsMin } from "../limits.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { PasswordQueue, type Waiter } from "./password-queue.ts"
import type { Comparison } from "./password-thread.ts"

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

/** Compares in a thread. A comparison that has begun is waited for, so that a caller who hangs up frees no place. */
type Compare = (asked: Comparison) => Effect.Effect<boolean>

/** The threads that compare: one is started when all are busy, and kept until the scope closes. */
const makeCompare = Effect.gen(function* () {
  const idle: Array<Worker> = []
  const all = new Set<Worker>()
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...all].map((thread) => thread.terminate()))))
  const start = (): Worker => {
    const thread = new Worker(new URL("./password-thread.ts", import.meta.url), { stdin: false })
    all.add(thread)
    // one that breaks while it is idle is forgotten: a question to it would have no answer
    thread.on("error", () => undefined)
    thread.once("exit", () => {
      all.delete(thread)
      const at = idle.indexOf(thread)
      if (at >= 0) idle.splice(at, 1)
    })
    return thread
  }
  const compare: Compare = (asked) =>
    Effect.uninterruptible(
      Effect.callback<boolean>((resume) => {
        const thread = idle.pop() ?? start()
        const broke = (cause: unknown): void => resume(Effect.die(cause))
        const ended = (): void => broke("the thread ended")
        // a process that waits for its answer does not end before it
        thread.ref()
        thread.once("error", broke).once("exit", ended)
        thread.once("message", (matches: boolean) => {
          thread.off("error", broke).off("exit", ended).unref()
          idle.push(thread)
          resume(Effect.succeed(matches))
        })
        thread.postMessage(asked)
      })
    )
  return compare
})

const make = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const compare = yield* makeCompare
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
    check: (password, whose, address = administrator) =>
      Buffer.byteLength(password) > passwordBytesMax
        ? Effect.map(whose, (person) => ({ person, matches: false }))
        : bounded(
            address,
            Effect.flatMap(whose, (person) => {
              const stored = person?.passwordHash ?? undefined
              return Effect.map(compare({ stored: stored ?? dummyHash, password }), (matches) => ({
                person,
                matches: matches && stored !== undefined
              }))
            })
          )
  })
})

export class Passwords extends Context.Service<
  Passwords,
  {
    /** The hash to store. */
    readonly hash: (password: string) => Effect.Effect<string, ValidationFailed | Overloaded>
    /** Who it was compared with and whether it matches; with no one it takes as long and never does. */
    readonly check: <P extends { readonly passwordHash: string | null }, E>(
      password: string,
      /** Asked when it is its turn: a check that is refused costs the store nothing. */
      whose: Effect.Effect<P | undefined, E>,
      /** The caller's address; the administrator's when absent. */
      address?: string
    ) => Effect.Effect<{ readonly person: P | undefined; readonly matches: boolean }, E | Overloaded>
  }
>()("hub/Passwords") {
  static readonly layer = Layer.effect(Passwords, make)
}
