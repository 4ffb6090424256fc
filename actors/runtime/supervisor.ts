/**
 * Who is alive. Owns one map a kind, the restart rules and the residency caps; knows no domain.
 *
 *   node
 *   └─ supervisor ─┬─ daemon:<daemonId>       never restarted: truth is the socket (4500, the daemon comes back)
 *                  ├─ subscriber:<webhookId>  backoff 1 s to 1 min: truth is the deliveries table
 *                  └─ bucket:<key>            backoff 50 ms to 1 s: restarts empty
 *
 * An ended actor leaves its map first and then stops, so that a late message builds a fresh one. A normal ending is
 * silent, a crash is loud.
 */
import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { healthyMillis, residentActorsMax } from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import { type Actor, ActorCell, type ActorHost, type ActorKind, type Behaviour } from "./actor.ts"

/** When a crashed actor is started again. */
export type RestartRule =
  | { readonly rule: "never" }
  | { readonly rule: "backoff"; readonly firstMillis: number; readonly lastMillis: number }

/** Restart where the truth is durable, die where the truth is the peer. */
export const restartRules: Record<ActorKind, RestartRule> = {
  daemon: { rule: "never" },
  subscriber: { rule: "backoff", firstMillis: 1_000, lastMillis: 60_000 },
  bucket: { rule: "backoff", firstMillis: 50, lastMillis: 1_000 }
}

/** How long to wait before the life after the `streak`th crash in a row; undefined: never again. */
export const restartDelay = (rule: RestartRule, streak: number): number | undefined =>
  rule.rule === "never" ? undefined : Math.min(rule.lastMillis, rule.firstMillis * 2 ** Math.min(streak - 1, 30))

/** The supervisor. */
export class Supervisor extends Context.Service<
  Supervisor,
  {
    /** Starts an actor with a parked fiber. Undefined at the residency cap or when the key is taken. */
    readonly spawn: <S, M, A>(behaviour: Behaviour<S, M, A>, key: string, start: () => S) => Actor<M> | undefined
    /** The same without a fiber until something must be awaited: for cheap residents that mostly answer at once. */
    readonly spawnDormant: <S, M, A>(behaviour: Behaviour<S, M, A>, key: string, start: () => S) => Actor<M> | undefined
    /** The actor of a key, if it is alive. The caller names the message type its kind takes. */
    readonly find: <M>(kind: ActorKind, key: string) => Actor<M> | undefined
    /** How many are alive. */
    readonly size: (kind: ActorKind) => number
    /** Crashes since the start. */
    readonly crashes: (kind: ActorKind) => number
    /** Tells every actor of a kind. Gives back how many took it. */
    readonly tellAll: <M>(kind: ActorKind, message: M) => number
    /** Waits until no actor of these kinds is left; past the deadline it names who is (`kind:key`). */
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
  const emptied = new Set<() => void>()

  const leaving = (actor: ActorCell<never, never, never>): void => {
    const map = maps[actor.kind]
    if (map.get(actor.key) === actor) map.delete(actor.key)
    if (map.size === 0) for (const wake of [...emptied]) wake()
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
      const later = Effect.andThen(
        Effect.sleep(delay),
        Effect.sync(() => revive(actor))
      )
      run(Effect.forkIn(later, lifetime))
    }
  }

  /** A `start` that throws is one more crash. */
  const revive = (actor: ActorCell<never, never, never>): void => {
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

  const overseer: ActorHost = { fork: (work) => run(work), leaving, ended }

  const start = <S, M, A>(behaviour: Behaviour<S, M, A>, key: string, state: () => S, resident: boolean) => {
    const map = maps[behaviour.kind]
    if (map.size >= residentActorsMax[behaviour.kind] || map.has(key)) return undefined
    const actor = new ActorCell(overseer, behaviour, key, state, resident)
    actor.startedAt = monotonicMillis(clock)
    map.set(key, actor as never)
    actor.open()
    return actor
  }

  const left = (kinds: ReadonlyArray<ActorKind>): ReadonlyArray<string> =>
    kinds.flatMap((kind) => [...maps[kind].keys()].map((key) => `${kind}:${key}`))

  const awaitEmpty = (deadlineMillis: number, kinds = everyKind): Effect.Effect<ReadonlyArray<string>> =>
    Effect.callback<void>((resume) => {
      const look = (): void => {
        if (kinds.some((kind) => maps[kind].size > 0)) return
        emptied.delete(look)
        resume(Effect.void)
      }
      emptied.add(look)
      look()
      return Effect.sync(() => emptied.delete(look))
    }).pipe(
      Effect.timeoutOption(deadlineMillis),
      Effect.map(() => left(kinds))
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
      let took = 0
      for (const actor of maps[kind].values()) if ((actor as unknown as Actor<M>).tell(message)) took++
      return took
    },
    awaitEmpty
  })
})
