/**
 * At most one run per Idempotency-Key: the live `Around`. Owns what is kept of an outcome (no secrets, 1 MiB at most,
 * nothing of a refusal) and the runs under way on this node. A run goes on when its caller hangs up; one whose node
 * ended is never run again.
 */
import { hash } from "node:crypto"
import { Cause, Clock, Effect, Fiber, Layer, type Scope } from "effect"
import { Wheel } from "../actors/wheel.ts"
import { Config } from "../src/config.ts"
import { newId } from "../src/domain/ids.ts"
import {
  type HubError,
  IdempotencyConflict,
  IdempotencyMismatch,
  OutcomeUnknown,
  Overloaded,
  type StoreFailed,
  ValidationFailed
} from "../src/errors.ts"
import { failureLog, kindOf } from "../src/failurelog.ts"
import {
  idempotencyBytesMax,
  idempotencyKeyCharsMax,
  idempotencyMarginMillis,
  idempotencyMillis,
  idempotencyRunningMillisMax,
  idempotencyRunsMax,
  idempotencySweepMillis
} from "../src/limits.ts"
import { Idempotency } from "../src/store/idempotency.ts"
import { Answer, type Headers } from "./answer.ts"
import { Around, type KeyedCall } from "./around.ts"

const keyShape = /^[\x21-\x7e]+$/u
const busySeconds = 1
const replayed = ["idempotency-replayed", "true"] as const

/** What is kept of an outcome; `body` undefined: its status only. */
export interface KeptOutcome {
  readonly status: number
  readonly headers: Headers
  readonly body: string | undefined
}

/** Whether an outcome is kept: what was refused never reached the action and may be tried again under the same key. */
export const keeps = (status: number): boolean => status < 400 || status > 429

const without = (body: string, secrets: ReadonlyArray<string>): string => {
  if (secrets.length === 0) return body
  const members = JSON.parse(body) as Record<string, unknown> // our own answer
  return JSON.stringify(Object.fromEntries(Object.entries(members).filter(([name]) => !secrets.includes(name))))
}

/** What is kept of an answer: not its secrets, and past the bound its status only. */
export const keptOf = (answer: Answer, secrets: ReadonlyArray<string>): KeptOutcome => {
  const { status, headers, body: given } = answer
  const isLarge = given instanceof Uint8Array && given.byteLength > idempotencyBytesMax
  if (isLarge) return { status, headers: [], body: undefined }
  const body = given instanceof Uint8Array ? Buffer.from(given).toString() : given
  if (typeof body !== "string") return { status, headers, body: undefined }
  if (Buffer.byteLength(body) > idempotencyBytesMax) return { status, headers: [], body: undefined }
  return { status, headers, body: status < 300 ? without(body, secrets) : body }
}

/** The answer of a replay. */
export const replayOf = (kept: KeptOutcome): Answer => new Answer(kept.status, [...kept.headers, replayed], kept.body)

const keyFits = (key: string): Effect.Effect<void, ValidationFailed> =>
  key.length <= idempotencyKeyCharsMax && keyShape.test(key)
    ? Effect.void
    : Effect.fail(
        new ValidationFailed({
          issues: [
            { path: "Idempotency-Key", message: `1 to ${idempotencyKeyCharsMax} printable ASCII characters, no spaces` }
          ]
        })
      )

/** What makes two calls under one key the same call. */
export const bodyHashOf = (call: Pick<KeyedCall, "path" | "query" | "body">): Uint8Array =>
  hash("sha256", JSON.stringify([call.path, call.query, call.body]), "buffer")

const make = Effect.gen(function* () {
  const store = yield* Idempotency
  const clock = yield* Clock.Clock
  const settings = yield* Config
  const { after } = yield* Wheel
  const lifetime: Scope.Scope = yield* Effect.scope
  const node = newId("session")
  const runs = new Set<string>()
  const waiting = new Set<() => void>()
  const runningMillisMax = Math.max(
    idempotencyRunningMillisMax,
    settings.commandTimeoutMillis + idempotencyMarginMillis
  )

  const prune = Effect.suspend(() => store.prune(clock.currentTimeMillisUnsafe() - idempotencyMillis)).pipe(
    Effect.catch((failure) => Effect.logWarning("old outcomes could not be removed", failure.cause))
  )
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(idempotencySweepMillis), prune)))

  const unkept = yield* failureLog<{ readonly route: string; readonly cause: Cause.Cause<unknown> }>(
    after,
    ({ route, cause }, heldBack) => Effect.logError("an outcome could not be kept", { route, heldBack }, cause)
  )

  const runOf = (call: KeyedCall): string => `${call.principal.accountId} ${call.route} ${call.key}`

  /** Runs the action and keeps what came of it, whoever still waits. */
  const run = Effect.fnUntraced(function* (call: KeyedCall, action: Effect.Effect<Answer>) {
    const place = { accountId: call.principal.accountId, route: call.route, key: call.key, node }
    const answer = yield* action
    const kept = keptOf(answer, call.secrets)
    const write = keeps(answer.status)
      ? store.finish({ ...place, ...kept, now: clock.currentTimeMillisUnsafe() })
      : store.forget(place)
    // The caller has an outcome even when it cannot be kept: a replay then finds a run whose node seems dead.
    const kind = (failure: StoreFailed) => `${call.route} ${kindOf(Cause.fail(failure))}`
    yield* Effect.catch(write, (failure) =>
      Effect.sync(() => unkept.add(kind(failure), { route: call.route, cause: Cause.fail(failure.cause) }))
    )
    return answer
  })

  const begun = (call: KeyedCall, action: Effect.Effect<Answer>): Effect.Effect<Answer> =>
    Effect.suspend(() => {
      const name = runOf(call)
      runs.add(name)
      const ended = Effect.sync(() => {
        runs.delete(name)
        if (runs.size > 0) return
        for (const wake of waiting) wake()
        waiting.clear()
      })
      return Effect.flatMap(
        // The action may be interrupted inside (deadlines work so), whatever the caller of this is.
        Effect.forkIn(Effect.interruptible(Effect.ensuring(run(call, action), ended)), lifetime, {
          startImmediately: true
        }),
        Fiber.join
      )
    })

  const once = Effect.fnUntraced(function* (call: KeyedCall, action: Effect.Effect<Answer>) {
    yield* keyFits(call.key)
    if (runs.size >= idempotencyRunsMax) return yield* new Overloaded({ retryAfter: busySeconds })
    const bodyHash = bodyHashOf(call)
    const now = clock.currentTimeMillisUnsafe()
    const found = yield* store.begin({
      accountId: call.principal.accountId,
      route: call.route,
      key: call.key,
      bodyHash,
      node,
      now,
      forgottenBefore: now - idempotencyMillis
    })
    if (found.state === "begun") return yield* begun(call, action)
    if (!Buffer.from(found.bodyHash).equals(bodyHash)) return yield* new IdempotencyMismatch()
    if (found.state === "done") return replayOf(found)
    if (runs.has(runOf(call)) || now - found.startedAt < runningMillisMax) return yield* new IdempotencyConflict()
    return yield* new OutcomeUnknown()
  })

  return Around.of({
    // What is begun must be run: an interrupt between the two would leave a key that answers 409, then 503, for nothing.
    once: (call, action): Effect.Effect<Answer, HubError> => Effect.uninterruptible(once(call, action)),
    settled: Effect.callback<void>((resume) => {
      if (runs.size === 0) return resume(Effect.void)
      const wake = () => resume(Effect.void)
      waiting.add(wake)
      return Effect.sync(() => waiting.delete(wake))
    })
  })
})

/** The live hook. */
export const idempotencyLayer = Layer.effect(Around, make)
