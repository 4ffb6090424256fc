/**
 * At most one run per Idempotency-Key. Owns this node's runs in progress, and that bodies are stored sealed: they may
 * have chats and what a terminal printed. A run continues when its caller disconnects. A run whose node died is never
 * repeated. stored-outcome.ts says what is stored.
 */
import { Cause, Clock, Context, Effect, Exit, Fiber, Latch, Layer, type Scope } from "effect"
import { type AccountVolume, type VolumeBudget, VolumeBudgets } from "../../actors/limits/volume-budgets.ts"
import { SecretBox, sealedUnder } from "../../src/auth/secret-box.ts"
import { Config } from "../../src/config.ts"
import { planLimits } from "../../src/domain/account/plans.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { noVolume } from "../../src/domain/account/volume.ts"
import {
  type HubError,
  IdempotencyConflict,
  IdempotencyLimitReached,
  IdempotencyMismatch,
  invalid,
  OutcomeNotKept,
  OutcomeUnknown,
  Overloaded,
  type StoreFailed,
  type ValidationFailed
} from "../../src/errors.ts"
import {
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
import { Idempotency, type IdempotencyKey, type KeyState } from "../../src/store/accounts/idempotency.ts"
import { outcomesPart } from "../../src/store/accounts/volumes.ts"
import type { Answer } from "./response.ts"
import { bodyHashOf, isStored, replayOf, type StoredOutcome, storedOutcomeOf } from "./stored-outcome.ts"

/** One call that carries an Idempotency-Key. */
export interface KeyedCall {
  /** `POST /api/v1/daemons/:daemonId/command`. */
  readonly route: string
  /** The path of the request, with its parameters' values. */
  readonly path: string
  readonly query: string
  readonly key: string
  readonly principal: Principal
  readonly body: string
  /** Members of a success that are never stored. */
  readonly secrets: ReadonlyArray<string>
}

/** Runs the actions of calls with an Idempotency-Key, after the checks of their bodies. */
export class IdempotentRuns extends Context.Service<
  IdempotentRuns,
  {
    /**
     * Runs the action at most once per key and returns its outcome. A replay returns the stored outcome with
     * `Idempotency-Replayed: true` and is not charged to the quota. Interruption does not interrupt the action.
     */
    readonly runOnce: (call: KeyedCall, action: Effect.Effect<Answer>) => Effect.Effect<Answer, HubError>
    /** Ends once no run is in progress, runs without a caller included. */
    readonly settled: Effect.Effect<void>
  }
>()("hub/IdempotentRuns") {}

const keyShape = /^[\x21-\x7e]+$/u
const busySeconds = 1
const oneMore = { number: 1, bytes: 0 }

type RunPlace = IdempotencyKey & { readonly node: string }

const checkKey = (key: string): Effect.Effect<void, ValidationFailed> =>
  key.length <= idempotencyKeyCharsMax && keyShape.test(key)
    ? Effect.void
    : Effect.fail(invalid("Idempotency-Key", `1 to ${idempotencyKeyCharsMax} printable ASCII characters, no spaces`))

/** Seconds until the oldest stored outcome of an account is removed. */
const retryAfterOf = (oldest: number | undefined, now: number): number =>
  Math.max(1, Math.ceil(((oldest ?? now) + idempotencyMillis + idempotencySweepMillis - now) / 1_000))

/** The runs in progress on this node. */
class Runs {
  private readonly names = new Set<string>()
  private readonly idle = Latch.makeUnsafe(true)

  static nameOf(call: KeyedCall): string {
    return `${call.principal.accountId} ${call.route} ${call.key}`
  }
  get size(): number {
    return this.names.size
  }
  has(call: KeyedCall): boolean {
    return this.names.has(Runs.nameOf(call))
  }
  begin(call: KeyedCall): void {
    this.names.add(Runs.nameOf(call))
    this.idle.closeUnsafe()
  }
  end(call: KeyedCall): void {
    this.names.delete(Runs.nameOf(call))
    if (this.names.size === 0) this.idle.openUnsafe()
  }
  /** When there is none. */
  get settled(): Effect.Effect<void> {
    return Effect.asVoid(this.idle.await)
  }
}

interface FailureToStore {
  readonly route: string
  readonly cause: Cause.Cause<unknown>
}

interface RunContext {
  readonly store: Idempotency["Service"]
  readonly box: Pick<SecretBox["Service"], "seal" | "open">
  readonly outcomes: VolumeBudget
  readonly now: () => number
  readonly node: string
  readonly runs: Runs
  readonly lifetime: Scope.Scope
  readonly failures: { readonly add: (kind: string, failure: FailureToStore) => void }
  /** How long a run may take before it counts as that of a dead node. */
  readonly runningMillisMax: number
}

/** The owner that a body is sealed for. */
const ownerOf = ({ accountId, route, key }: IdempotencyKey): string => `outcome ${accountId} ${route} ${key}`

/** Stores an outcome; without its body when its account's stored bytes are at their limit. */
const keep = (
  { store, box, outcomes, now }: RunContext,
  account: AccountVolume,
  call: KeyedCall,
  place: RunPlace,
  kept: StoredOutcome
) => {
  const sealed = kept.body === undefined ? undefined : box.seal(kept.body, ownerOf(place))
  const volume = { number: 0, bytes: sealed?.length ?? 0 }
  const bodyDropped = outcomes.beyond(account, volume, outcomesPart, call.principal.plan) === "bytes"
  const body = bodyDropped ? undefined : sealed
  const held = bodyDropped ? noVolume : volume
  account.begin(outcomesPart, held)
  return Effect.onExit(store.finish({ ...place, ...kept, body, bodyDropped, now: now() }), () =>
    Effect.sync(() => account.end(outcomesPart, held, held))
  )
}

/** The answer of a replay. One that was sealed under a key which this hub has no more counts as not kept. */
const replayed = (
  { box }: RunContext,
  place: IdempotencyKey,
  { status, headers, body }: StoredOutcome
): Effect.Effect<Answer, OutcomeNotKept> => {
  // a node of an earlier version stored it as it was
  if (body === undefined || sealedUnder(body) === undefined) return Effect.succeed(replayOf({ status, headers, body }))
  return Effect.matchEffect(box.open(body, ownerOf(place)), {
    onSuccess: (opened) => Effect.succeed(replayOf({ status, headers, body: opened })),
    onFailure: () => Effect.fail(new OutcomeNotKept({ status }))
  })
}

/** Runs the action and stores its outcome, also when no caller waits any more. */
const run = (context: RunContext, call: KeyedCall, action: Effect.Effect<Answer>, account: AccountVolume) =>
  Effect.gen(function* () {
    const { node, store, failures } = context
    const place = { accountId: call.principal.accountId, route: call.route, key: call.key, node }
    const answer = yield* action
    const write = isStored(answer.status)
      ? keep(context, account, call, place, storedOutcomeOf(answer, call.secrets))
      : store.forget(place)
    // The caller gets its answer even when storing fails: a replay then finds a run whose node seems dead.
    const kind = (failure: StoreFailed) => `${call.route} ${kindOf(Cause.fail(failure))}`
    yield* Effect.catch(write, (failure) =>
      Effect.sync(() => failures.add(kind(failure), { route: call.route, cause: Cause.fail(failure.cause) }))
    )
    return answer
  })

const forkRun = (context: RunContext, call: KeyedCall, action: Effect.Effect<Answer>, account: AccountVolume) =>
  Effect.suspend(() => {
    const { runs, lifetime } = context
    runs.begin(call)
    const ended = Effect.ensuring(
      run(context, call, action, account),
      Effect.sync(() => runs.end(call))
    )
    // Interruptible whatever the caller's mask is: deadlines inside the action work by interruption.
    const forked = Effect.forkIn(Effect.interruptible(ended), lifetime, { startImmediately: true })
    return Effect.flatMap(forked, Fiber.join)
  })

/** Begins a run if the account may store one more outcome; at the limit it still finds an existing one. */
const begin = (
  { store, outcomes, node }: RunContext,
  call: KeyedCall,
  account: AccountVolume,
  bodyHash: Uint8Array,
  now: number
) =>
  Effect.gen(function* () {
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

const runOnce = (context: RunContext, call: KeyedCall, action: Effect.Effect<Answer>) =>
  Effect.gen(function* () {
    const { runs, outcomes, runningMillisMax } = context
    yield* checkKey(call.key)
    if (runs.size >= idempotencyRunsMax) return yield* new Overloaded({ retryAfter: busySeconds })
    const bodyHash = bodyHashOf(call)
    const now = context.now()
    const account = outcomes.of(call.principal.accountId)
    const found: KeyState = yield* begin(context, call, account, bodyHash, now)
    if (found.state === "begun") return yield* forkRun(context, call, action, account)
    if (!Buffer.from(found.bodyHash).equals(bodyHash)) return yield* new IdempotencyMismatch()
    if (found.state === "done") {
      if (found.bodyDropped) return yield* new OutcomeNotKept({ status: found.status })
      const { route, key } = call
      return yield* replayed(context, { accountId: call.principal.accountId, route, key }, found)
    }
    if (runs.has(call) || now - found.startedAt < runningMillisMax)
      return yield* new IdempotencyConflict({ retryAfter: busySeconds })
    return yield* new OutcomeUnknown()
  })

const make = Effect.gen(function* () {
  const store = yield* Idempotency
  const clock = yield* Clock.Clock
  const { commandTimeoutMillis } = yield* Config
  const { after } = yield* Timers
  const now = (): number => clock.currentTimeMillisUnsafe()
  const prune = Effect.suspend(() => store.prune(now() - idempotencyMillis))
  yield* repeatEvery(idempotencySweepMillis, "old outcomes could not be removed", prune)
  const context: RunContext = {
    store,
    box: yield* SecretBox,
    outcomes: (yield* VolumeBudgets).outcomes,
    now,
    node: yield* NodeId,
    runs: new Runs(),
    lifetime: yield* Effect.scope,
    failures: yield* failureLog<FailureToStore>(after, ({ route, cause }, heldBack) =>
      Effect.logError("an outcome could not be kept", { route, heldBack }, cause)
    ),
    runningMillisMax: Math.max(idempotencyRunningMillisMax, commandTimeoutMillis + idempotencyMarginMillis)
  }
  return IdempotentRuns.of({
    // An interrupt between the begin and the run would leave a key that answers 409, then 503, without a run.
    runOnce: (call, action): Effect.Effect<Answer, HubError> => Effect.uninterruptible(runOnce(context, call, action)),
    settled: context.runs.settled
  })
})

export const idempotencyLayer = Layer.effect(IdempotentRuns, make)
