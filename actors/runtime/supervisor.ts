/**
 * The supervision tree. Owns one map of actors per kind, the restart rules and the residency caps. Knows no domain.
 *
 *   node
 *   └─ supervisor ─┬─ daemon:<daemonId>       no restart: the socket is the truth (4500, the daemon reconnects)
 *                  ├─ subscriber:<webhookId>  backoff 1 s to 1 min: the deliveries table is the truth
 *                  └─ bucket:<key>            backoff 50 ms to 1 s: restarts with an empty window
 *
 * The supervisor removes an actor from its map before the actor stops, so that a late message starts a new actor. It
 * logs and counts crashes; it does not log normal exits.
 */
import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { healthyMillis, residentActorsMax } from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import { type Actor, ActorCell, type ActorHost, type ActorKind, type Behaviour } from "./actor.ts"

/** Whether and when the supervisor restarts a crashed actor. */
export type RestartRule =
  | { readonly rule: "never" }
  | { readonly rule: "backoff"; readonly firstMillis: number; readonly lastMillis: number }

/** A daemon actor never restarts, because nothing can rebuild its socket. */
export const restartRules: Record<ActorKind, RestartRule> = {
  daemon: { rule: "never" },
  subscriber: { rule: "backoff", firstMillis: 1_000, lastMillis: 60_000 },
  bucket: { rule: "backoff", firstMillis: 50, lastMillis: 1_000 }
}

/** The delay before the restart after the `streak`th consecutive crash. Undefined: no restart. */
export const restartDelay = (rule: RestartRule, streak: number): number | undefined =>
  rule.rule === "never" ? undefined : Math.min(rule.lastMillis, rule.firstMillis * 2 ** Math.min(streak - 1, 30))

/** Starts, finds, counts and restarts actors. */
export class Supervisor extends Context.Service<
  Supervisor,
  {
    /** Starts an actor with a parked fiber. Returns undefined at the residency cap and for a key in use. */
    readonly spawn: <S, M, A>(behaviour: Behaviour<S, M, A>, key: string, start: () => S) => Actor<M> | undefined
    /** Like `spawn`, but forks a fiber only to await an effect. For actors whose actions are mostly synchronous. */
    readonly spawnDormant: <S, M, A>(behaviour: Behaviour<S, M, A>, key: string, start: () => S) => Actor<M> | undefined
    /** The live actor of a key. The caller names the message type of the kind. */
    readonly find: <M>(kind: ActorKind, key: string) => Actor<M> | undefined
    /** Number of live actors. */
    readonly size: (kind: ActorKind) => number
    /** Crashes since the start. */
    readonly crashes: (kind: ActorKind) => number
    /** Sends a message to every actor of a kind. Returns the number of actors that accepted it. */
    readonly tellAll: <M>(kind: ActorKind, message: M) => number
    /** Waits until these kinds have no actors. After the deadline, returns the remaining ones as `kind:key`. */
    readonly awaitEmpty: (
      deadlineMillis: number,
      kinds?: ReadonlyArray<ActorKind>
    ) => Effect.Effect<ReadonlyArray<string>>
  }
>()("hub/Supervisor") {
  static readonly layer: Layer.Layer<Supervisor> = Layer.effect(
    Supervisor,
    Effect.suspend(() => make)
  )
}

const everyKind: ReadonlyArray<ActorKind> = ["daemon", "subscriber", "bucket"]

const make = Effect.gen(function* () {
  const context = yield* Effect.context<never>()
  const clock = yield* Clock.Clock
  const lifetime = yield* Effect.scope
  const run = Effect.runForkWith(context)
  const maps: Record<ActorKind, Map<string, ActorCell<never, never, never>>> = {
    daemon: new Map(),
    subscriber: new Map(),
    bucket: new Map()
  }
  const crashes: Record<ActorKind, number> = { daemon: 0, subscriber: 0, bucket: 0 }
  const emptyWaiters = new Set<() => void>()

  const leaving = (actor: ActorCell<never, never, never>): void => {
    const map = maps[actor.kind]
    if (map.get(actor.key) === actor) map.delete(actor.key)
    if (map.size === 0) for (const wake of [...emptyWaiters]) wake()
  }

  const ended = (actor: ActorCell<never, never, never>, exit: Exit.Exit<unknown, unknown>): void => {
    if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) {
      leaving(actor)
      actor.finish(exit)
      return
    }
    crashes[actor.kind]++
    count("hub_actor_crashes_total", actor.kind)
    const now = monotonicMillis(clock)
    actor.streak = now - actor.startedAt > healthyMillis ? 1 : actor.streak + 1
    const delay = restartDelay(restartRules[actor.kind], actor.streak)
    run(Effect.logError("actor crashed", { kind: actor.kind, key: actor.key, restartMillis: delay }, exit.cause))
    if (delay === undefined) {
      leaving(actor)
      actor.finish(exit)
    } else {
      const delayedRestart = Effect.andThen(
        Effect.sleep(delay),
        Effect.sync(() => restart(actor))
      )
      run(Effect.forkIn(delayedRestart, lifetime))
    }
  }

  /** Counts a `start` that throws as another crash. */
  const restart = (actor: ActorCell<never, never, never>): void => {
    if (actor.gone) return
    actor.startedAt = monotonicMillis(clock)
    try {
      actor.reset()
    } catch (defect) {
      ended(actor, Exit.die(defect))
      return
    }
    actor.open()
  }

  const host: ActorHost = { fork: (work) => run(work), leaving, ended }

  const start = <S, M, A>(behaviour: Behaviour<S, M, A>, key: string, state: () => S, resident: boolean) => {
    const map = maps[behaviour.kind]
    if (map.size >= residentActorsMax[behaviour.kind] || map.has(key)) return undefined
    const actor = new ActorCell(host, behaviour, key, state, resident)
    actor.startedAt = monotonicMillis(clock)
    map.set(key, actor as never)
    actor.open()
    return actor
  }

  const remaining = (kinds: ReadonlyArray<ActorKind>): ReadonlyArray<string> =>
    kinds.flatMap((kind) => [...maps[kind].keys()].map((key) => `${kind}:${key}`))

  const awaitEmpty = (deadlineMillis: number, kinds = everyKind): Effect.Effect<ReadonlyArray<string>> =>
    Effect.callback<void>((resume) => {
      const resumeIfEmpty = (): void => {
        if (kinds.some((kind) => maps[kind].size > 0)) return
        emptyWaiters.delete(resumeIfEmpty)
        resume(Effect.void)
      }
      emptyWaiters.add(resumeIfEmpty)
      resumeIfEmpty()
      return Effect.sync(() => emptyWaiters.delete(resumeIfEmpty))
    }).pipe(
      Effect.timeoutOption(deadlineMillis),
      Effect.map(() => remaining(kinds))
    )

  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const kind of everyKind) for (const actor of [...maps[kind].values()]) actor.kill()
    })
  )

  return Supervisor.of({
    spawn: (behaviour, key, state) => start(behaviour, key, state, true),
    spawnDormant: (behaviour, key, state) => start(behaviour, key, state, false),
    find: <M>(kind: ActorKind, key: string) => maps[kind].get(key) as unknown as Actor<M> | undefined,
    size: (kind) => maps[kind].size,
    crashes: (kind) => crashes[kind],
    tellAll: <M>(kind: ActorKind, message: M) => {
      let accepted = 0
      for (const actor of maps[kind].values()) if ((actor as unknown as Actor<M>).tell(message)) accepted++
      return accepted
    },
    awaitEmpty
  })
})
