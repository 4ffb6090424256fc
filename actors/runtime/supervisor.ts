/**
 * The supervision tree. Owns the fibers of all actors, one map per kind, the restart rules and the caps. Knows no
 * domain.
 *
 *   node
 *   └─ supervisor ─┬─ daemon:<daemonId>#<n>       no restart: the socket is the truth (4500, the daemon reconnects)
 *                  │  └─ children: a fresh set of ICE servers, the reading of a large frame
 *                  ├─ subscriber:<webhookId>      backoff 1 s to 1 min: the deliveries table is the truth
 *                  │  └─ children: attempts, reads
 *                  ├─ job:<jobId>                 backoff 1 s to 1 min: the rows of its targets are the truth
 *                  │  └─ children: looks into the store, commands that are handed to their daemons
 *                  └─ bucket:<policy>:<name>      backoff 50 ms to 1 s: restarts with an empty window
 *
 * Each actor is one fiber at any time: it runs a life or sleeps until its restart. The supervisor acts on the exit of
 * that fiber only. An actor that ends keeps its key until its children have ended; `find` does not show it. Crashes
 * are counted and logged, normal exits are not.
 */
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { actorKinds, healthyMillis } from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import { type FailureLog, failureLog, kindOf } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { type Actor, ActorCell, type ActorKind, type Behaviour, type RunFork } from "./actor.ts"

/** The delay before the restart after the `streak`th consecutive crash. Undefined: no restart. */
export const restartDelay = (kind: ActorKind, streak: number): number | undefined => {
  const { restart } = actorKinds[kind]
  return restart && Math.min(restart.lastMillis, restart.firstMillis * 2 ** Math.min(streak - 1, 30))
}

/** Starts, finds, counts and restarts actors. */
export class Supervisor extends Context.Service<
  Supervisor,
  {
    /** Starts an actor. Returns undefined at the cap of its kind and for a key in use. */
    readonly spawn: <S, M, A>(behaviour: Behaviour<S, M, A>, key: string, start: () => S) => Actor<M> | undefined
    /** The live actor of a key. The caller names the message type of the kind. */
    readonly find: <M>(kind: ActorKind, key: string) => Actor<M> | undefined
    /** Number of actors, those that are ending included. */
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
  static readonly layer = Layer.effect(Supervisor)(Effect.suspend(() => make))
}

type AnyCell = ActorCell<never, never, never>

const everyKind = Object.keys(actorKinds) as ReadonlyArray<ActorKind>
const ofEach = <A>(make: () => A) => Object.fromEntries(everyKind.map((kind) => [kind, make()])) as Record<ActorKind, A>

interface Crash {
  readonly kind: ActorKind
  readonly key: string
  readonly restartMillis: number | undefined
  readonly cause: Cause.Cause<unknown>
}

/** All actors, and what follows the exit of a fiber. */
class Tree {
  readonly maps = ofEach(() => new Map<string, AnyCell>())
  readonly crashes = ofEach(() => 0)
  private readonly emptyWaiters = new Set<() => void>()
  private readonly run: RunFork
  private readonly timers: Timers["Service"]
  private readonly log: FailureLog<Crash>

  constructor(run: RunFork, timers: Timers["Service"], log: FailureLog<Crash>) {
    this.run = run
    this.timers = timers
    this.log = log
  }

  spawn<S, M, A>(behaviour: Behaviour<S, M, A>, key: string, start: () => S): Actor<M> | undefined {
    const map = this.maps[behaviour.kind]
    if (map.size >= actorKinds[behaviour.kind].residentMax || map.has(key)) return undefined
    const actor = new ActorCell(this.run, this.timers.after, behaviour, key, start)
    actor.startedAt = this.timers.monotonic()
    map.set(key, actor as never)
    this.fork(actor as never, actor.life)
    return actor
  }

  /** Ends when these kinds have no actors. */
  readonly empty = (kinds: ReadonlyArray<ActorKind>): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const resumeIfEmpty = (): void => {
        if (kinds.some((kind) => this.maps[kind].size > 0)) return
        this.emptyWaiters.delete(resumeIfEmpty)
        resume(Effect.void)
      }
      this.emptyWaiters.add(resumeIfEmpty)
      resumeIfEmpty()
      return Effect.sync(() => this.emptyWaiters.delete(resumeIfEmpty))
    })

  /** Kills all actors and waits for their exits. */
  readonly close = Effect.suspend(() => {
    for (const kind of everyKind) for (const actor of [...this.maps[kind].values()]) actor.kill()
    return this.empty(everyKind)
  })

  private fork(actor: AnyCell, life: Effect.Effect<unknown, unknown>): void {
    const fiber = this.run(life)
    actor.fiber = fiber
    fiber.addObserver((exit) => this.exited(actor, exit))
  }

  private exited(actor: AnyCell, exit: Exit.Exit<unknown, unknown>): void {
    const isCrash = Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)
    const restartMillis = isCrash ? this.crashed(actor, exit.cause) : undefined
    if (restartMillis === undefined) return this.remove(actor)
    actor.endLife()
    const restart = Effect.suspend(() => {
      actor.startedAt = this.timers.monotonic()
      actor.reset()
      return actor.life
    })
    this.fork(actor, Effect.andThen(Effect.sleep(restartMillis), restart))
  }

  /** Counts and logs a crash. Returns when the restart follows. */
  private crashed(actor: AnyCell, cause: Cause.Cause<unknown>): number | undefined {
    const { kind, key } = actor
    this.crashes[kind]++
    count("hub_actor_crashes_total", kind)
    actor.streak = this.timers.monotonic() - actor.startedAt > healthyMillis ? 1 : actor.streak + 1
    const restartMillis = actor.gone ? undefined : restartDelay(kind, actor.streak)
    this.log.add(`${kind} ${kindOf(cause)}`, { kind, key, restartMillis, cause })
    return restartMillis
  }

  private remove(actor: AnyCell): void {
    const map = this.maps[actor.kind]
    map.delete(actor.key)
    try {
      actor.finish()
    } catch (defect) {
      this.crashed(actor, Cause.die(defect))
    }
    if (map.size === 0) for (const wake of [...this.emptyWaiters]) wake()
  }
}

const make = Effect.gen(function* () {
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const timers = yield* Timers
  const log = yield* failureLog<Crash>(timers.after, ({ kind, key, restartMillis, cause }, heldBack) =>
    Effect.logError("actor crashed", { kind, key, restartMillis, heldBack }, cause)
  )
  const tree = new Tree(run, timers, log)
  const { maps } = tree
  yield* Effect.addFinalizer(() => tree.close)

  return Supervisor.of({
    spawn: (behaviour, key, start) => tree.spawn(behaviour, key, start),
    find: <M>(kind: ActorKind, key: string) => {
      const actor = maps[kind].get(key)
      return actor?.gone === false ? (actor as unknown as Actor<M>) : undefined
    },
    size: (kind) => maps[kind].size,
    crashes: (kind) => tree.crashes[kind],
    tellAll: <M>(kind: ActorKind, message: M) => {
      let accepted = 0
      for (const actor of maps[kind].values()) if ((actor as unknown as Actor<M>).tell(message)) accepted++
      return accepted
    },
    awaitEmpty: (deadlineMillis, kinds = everyKind) =>
      tree.empty(kinds).pipe(
        Effect.timeoutOption(deadlineMillis),
        Effect.map(() => kinds.flatMap((kind) => [...maps[kind].keys()].map((key) => `${kind}:${key}`)))
      )
  })
})
