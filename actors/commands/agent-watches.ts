/**
 * Waits until an agent is another than it was seen, wherever its daemon is: here, on another node, or about to come
 * back. Owns how a daemon is followed meanwhile, and the end of all waits when this node drains.
 */
import { Deferred, Effect } from "effect"
import { type AgentWatch, isAnother } from "../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { NotFound, Overloaded, StoreFailed } from "../../src/errors.ts"
import { watchLookMillis, watchMillisMax } from "../../src/limits/agent-waits.ts"
import type { Cluster } from "../cluster/cluster.ts"
import type { LocalDaemons } from "../cluster/local-daemons.ts"

/** What came of a wait. */
export interface Watched {
  readonly snapshot: Snapshot
  /** This node drains: no further wait is worth it here. */
  readonly ended: boolean
}

type WatchFailure = NotFound | Overloaded | StoreFailed

/** What the waits are made of. */
export interface WatchContext {
  readonly local: Pick<LocalDaemons, "snapshot" | "watch">
  readonly cluster: Pick<Cluster["Service"], "watch">
  readonly snapshot: (accountId: string, daemonId: string) => Effect.Effect<Snapshot, WatchFailure>
  readonly now: () => number
}

export interface AgentWatches {
  /** The snapshot once its agent is another, or as it is when the time is over. */
  readonly watch: (watch: AgentWatch, millis: number) => Effect.Effect<Watched, WatchFailure>
  /** Every wait ends now, and each one after at once. */
  readonly end: Effect.Effect<void>
}

const follow = Effect.fnUntraced(function* (
  { local, cluster, snapshot, now }: WatchContext,
  watch: AgentWatch,
  millis: number
): Effect.fn.Return<Snapshot, WatchFailure> {
  const until = now() + millis
  for (;;) {
    const left = Math.max(0, until - now())
    const found =
      local.snapshot(watch.accountId, watch.daemonId) !== undefined
        ? yield* local.watch(watch, left)
        : yield* cluster.watch(watch, Math.min(left, watchMillisMax))
    const current = found ?? (yield* snapshot(watch.accountId, watch.daemonId))
    if (isAnother(current, watch) || now() >= until) return current
    if (found === undefined) yield* Effect.sleep(Math.min(watchLookMillis, until - now()))
  }
})

export const makeAgentWatches = (context: WatchContext): AgentWatches => {
  const draining = Deferred.makeUnsafe<void>()
  const asItIs = ({ accountId, daemonId }: AgentWatch): Effect.Effect<Watched, WatchFailure> =>
    Effect.map(context.snapshot(accountId, daemonId), (snapshot) => ({ snapshot, ended: true }))
  return {
    watch: (watch, millis) => {
      const followed = Effect.map(follow(context, watch, millis), (snapshot): Watched => ({ snapshot, ended: false }))
      return Effect.raceFirst(followed, Effect.andThen(Deferred.await(draining), asItIs(watch)))
    },
    end: Effect.asVoid(Deferred.succeed(draining, undefined))
  }
}
