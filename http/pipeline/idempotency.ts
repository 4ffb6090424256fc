/**
 * At most one run per Idempotency-Key: the live `IdempotentRuns`. Owns what is stored of an outcome (no secrets, 1 MiB
 * at most, nothing of a refusal) and this node's runs in progress. A run continues when its caller disconnects. A run
 * whose node died is never repeated.
 */
import { hash } from "node:crypto"
import { Cause, Clock, Effect, Exit, Fiber, Latch, Layer, type Scope } from "effect"
import { type Account, VolumeBudgets } from "../../actors/limits/volume-budgets.ts"
import { Config } from "../../src/config.ts"
import { planLimits } from "../../src/domain/account/plans.ts"
import { noVolume } from "../../src/domain/account/volume.ts"
import {
  type HubError,
  IdempotencyConflict,
  IdempotencyLimitReached,
  IdempotencyMismatch,
  OutcomeNotKept,
  OutcomeUnknown,
  Overloaded,
  type StoreFailed,
  ValidationFailed
} from "../../src/errors.ts"
import {
  idempotencyBytesMax,
  idempotencyKeyCharsMax,
  idempotencyMarginMillis,
  idempotencyMillis,
  idempotencyRunningMillisMax,
  idempotencyRunsMax,
  idempotencySweepMillis
} from "../../src/limits.ts"
import { NodeId } from "../../src/runtime/node-id.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { failureLog, kindOf } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { type Found, Idempotency, type IdempotencyPlace } from "../../src/store/accounts/idempotency.ts"
import { outcomesPart } from "../../src/store/accounts/volumes.ts"
import { IdempotentRuns, type KeyedCall } from "./idempotency-port.ts"
import { Answer, type Headers } from "./response.ts"

const keyShape = /^[\x21-\x7e]+$/u
const busySeconds = 1
const oneMore = { number: 1, bytes: 0 }
const replayedHeader = ["idempotency-replayed", "true"] as const

type RunPlace = IdempotencyPlace & { readonly node: string }

/** What is stored of an outcome. `body` undefined: its status only. */
export interface KeptOutcome {
  readonly status: number
  readonly headers: Headers
  readonly body: string | undefined
}

/** Whether an outcome is stored. A refused call never reached the action and may be retried under the same key. */
export const isKept = (status: number): boolean => status < 400 || status > 429

const omit = (body: string, secrets: ReadonlyArray<string>): string => {
  if (secrets.length === 0) return body
  const members = JSON.parse(body) as Record<string, unknown> // our own answer
  return JSON.stringify(Object.fromEntries(Object.entries(members).filter(([name]) => !secrets.includes(name))))
}

/** What is stored of an answer: never its secrets, and only its status when the body exceeds the bound. */
export const keptOf = (answer: Answer, secrets: ReadonlyArray<string>): KeptOutcome => {
  const { status, headers, body: given } = answer
  const isLarge = given instanceof Uint8Array && given.byteLength > idempotencyBytesMax
  if (isLarge) return { status, headers: [], body: undefined }
  const body = given instanceof Uint8Array ? Buffer.from(given).toString() : given
  if (typeof body !== "string") return { status, headers, body: undefined }
  if (Buffer.byteLength(body) > idempotencyBytesMax) return { status, headers: [], body: undefined }
  return { status, headers, body: status < 300 ? omit(body, secrets) : body }
}

/** The answer of a replay. */
export const replayOf = (kept: KeptOutcome): Answer =>
  new Answer(kept.status, [...kept.headers, replayedHeader], kept.body)

const checkKey = (key: string): Effect.Effect<void, ValidationFailed> =>
  key.length <= idempotencyKeyCharsMax && keyShape.test(key)
    ? Effect.void
    : Effect.fail(
        new ValidationFailed({
          issues: [
            { path: "Idempotency-Key", message: `1 to ${idempotencyKeyCharsMax} printable ASCII characters, no spaces` }
          ]
        })
      )

/** Seconds until the oldest stored outcome of an account is removed. */
const retryAfterOf = (oldest: number | undefined, now: number): number =>
  Math.max(1, Math.ceil(((oldest ?? now) + idempotencyMillis + idempotencySweepMillis - now) / 1_000))

/** Two calls under one key are the same call when these hashes are equal. */
export const bodyHashOf = (call: Pick<KeyedCall, "path" | "query" | "body">): Uint8Array =>
  hash("sha256", JSON.stringify([call.path, call.query, call.body]), "buffer")

const make = Effect.gen(function* () {
  const store = yield* Idempotency
  const clock = yield* Clock.Clock
  const settings = yield* Config
  const { outcomes } = yield* VolumeBudgets
  const { after } = yield* Timers
  const lifetime: Scope.Scope = yield* Effect.scope
  const node = yield* NodeId
  const runs = new Set<string>()
  const idle = Latch.makeUnsafe(true)
  const runningMillisMax = Math.max(
    idempotencyRunningMillisMax,
    settings.commandTimeoutMillis + idempotencyMarginMillis
  )

  const prune = Effect.suspend(() => store.prune(clock.currentTimeMillisUnsafe() - idempotencyMillis))
  yield* repeatEvery(idempotencySweepMillis, "old outcomes could not be removed", prune)

  const failures = yield* failureLog<{ readonly route: string; readonly cause: Cause.Cause<unknown> }>(
    after,
    ({ route, cause }, heldBack) => Effect.logError("an outcome could not be kept", { route, heldBack }, cause)
  )

  const runOf = (call: KeyedCall): string => `${call.principal.accountId} ${call.route} ${call.key}`

  /** Stores an outcome; without its body when its account's stored bytes are at their limit. */
  const keep = (account: Account, call: KeyedCall, place: RunPlace, kept: KeptOutcome) => {
    const volume = { number: 0, bytes: Buffer.byteLength(kept.body ?? "") }
    const bodyDropped = outcomes.beyond(account, volume, outcomesPart, call.principal.plan) === "bytes"
    const body = bodyDropped ? undefined : kept.body
    const held = bodyDropped ? noVolume : volume
    account.begin(outcomesPart, held)
    return Effect.onExit(
      store.finish({ ...place, ...kept, body, bodyDropped, now: clock.currentTimeMillisUnsafe() }),
      () => Effect.sync(() => account.end(outcomesPart, held, held))
    )
  }

  /** Runs the action and stores its outcome, also when no caller waits any more. */
  const run = Effect.fnUntraced(function* (call: KeyedCall, action: Effect.Effect<Answer>, account: Account) {
    const place = { accountId: call.principal.accountId, route: call.route, key: call.key, node }
    const answer = yield* action
    const write = isKept(answer.status) ? keep(account, call, place, keptOf(answer, call.secrets)) : store.forget(place)
    // The caller gets its answer even when storing fails: a replay then finds a run whose node seems dead.
    const kind = (failure: StoreFailed) => `${call.route} ${kindOf(Cause.fail(failure))}`
    yield* Effect.catch(write, (failure) =>
      Effect.sync(() => failures.add(kind(failure), { route: call.route, cause: Cause.fail(failure.cause) }))
    )
    return answer
  })

  const forkRun = (call: KeyedCall, action: Effect.Effect<Answer>, account: Account): Effect.Effect<Answer> =>
    Effect.suspend(() => {
      const name = runOf(call)
      runs.add(name)
      idle.closeUnsafe()
      const onEnd = Effect.sync(() => {
        runs.delete(name)
        if (runs.size === 0) idle.openUnsafe()
      })
      return Effect.flatMap(
        // Interruptible whatever the caller's mask is: deadlines inside the action work by interruption.
        Effect.forkIn(Effect.interruptible(Effect.ensuring(run(call, action, account), onEnd)), lifetime, {
          startImmediately: true
        }),
        Fiber.join
      )
    })

  /** Begins a run if the account may store one more outcome; at the limit it still finds an existing one. */
  const begin = Effect.fnUntraced(function* (call: KeyedCall, account: Account, bodyHash: Uint8Array, now: number) {
    const { accountId, plan } = call.principal
    const place = { accountId, route: call.route, key: call.key, forgottenBefore: now - idempotencyMillis }
    if (outcomes.beyond(account, oneMore, outcomesPart, plan) === "number") {
      const found = yield* store.find(place)
      if (found !== undefined) return found
      const retryAfter = retryAfterOf(account.oldest, now)
      return yield* new IdempotencyLimitReached({ limit: planLimits[plan].keptOutcomes, plan, retryAfter })
    }
    account.begin(outcomesPart, oneMore)
    return yield* Effect.onExit(store.begin({ ...place, bodyHash, node, now }), (exit) =>
      Effect.sync(() => {
        const written = Exit.isFailure(exit) || exit.value.state === "begun"
        account.end(outcomesPart, oneMore, written ? oneMore : noVolume)
      })
    )
  })

  const runOnce = Effect.fnUntraced(function* (call: KeyedCall, action: Effect.Effect<Answer>) {
    yield* checkKey(call.key)
    if (runs.size >= idempotencyRunsMax) return yield* new Overloaded({ retryAfter: busySeconds })
    const bodyHash = bodyHashOf(call)
    const now = clock.currentTimeMillisUnsafe()
    const account = outcomes.of(call.principal.accountId)
    const found: Found = yield* begin(call, account, bodyHash, now)
    if (found.state === "begun") return yield* forkRun(call, action, account)
    if (!Buffer.from(found.bodyHash).equals(bodyHash)) return yield* new IdempotencyMismatch()
    if (found.state === "done") {
      return found.bodyDropped ? yield* new OutcomeNotKept({ status: found.status }) : replayOf(found)
    }
    if (runs.has(runOf(call)) || now - found.startedAt < runningMillisMax) return yield* new IdempotencyConflict()
    return yield* new OutcomeUnknown()
  })

  return IdempotentRuns.of({
    // An interrupt between the begin and the run would leave a key that answers 409, then 503, without a run.
    runOnce: (call, action): Effect.Effect<Answer, HubError> => Effect.uninterruptible(runOnce(call, action)),
    settled: idle.await
  })
})

/** The live `IdempotentRuns`. */
export const idempotencyLayer = Layer.effect(IdempotentRuns, make)
