/**
 * The rollouts of versions, looked at by any node: the store has one decide at a time, src/domain/daemon/rollout.ts
 * says what. Owns the period, who is told, and what a daemon's state is as this node read it last.
 */
import { type Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../../src/bus/bus.ts"
import { type Decided, decideRollouts, stateOf } from "../../src/domain/daemon/rollout.ts"
import { type Offered, policyOf, type Release, targetOf } from "../../src/domain/daemon/version-policy.ts"
import type { UpdateView } from "../../src/domain/daemon/views.ts"
import type { StoreFailed } from "../../src/errors.ts"
import {
  failedUpdatesMax,
  failedUpdatesMillis,
  rolloutAccountsStep,
  rolloutMillis,
  updateMillisMax,
  versionStatesAccountsMax,
  versionStatesMillis
} from "../../src/limits/daemon-versions.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import { programPath } from "../../src/runtime/daemon-release.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import { count } from "../../src/runtime/metrics.ts"
import { flushEvery, repeatEvery } from "../../src/runtime/repeat-every.ts"
import { singleFlight } from "../../src/runtime/single-flight.ts"
import { type Fleet, DaemonVersions as Store, type UpdateFailure } from "../../src/store/daemons/daemon-versions.ts"
import { Roster } from "../presence/roster.ts"
import { OfferedReleases } from "./offered-releases.ts"

/** By daemon; one that no policy applies to has none. */
export type VersionStates = ReadonlyMap<string, UpdateView>

export class Rollouts extends Context.Service<
  Rollouts,
  {
    /** Looks at every account, now. */
    readonly round: Effect.Effect<void, StoreFailed>
    /**
     * How the daemons of an account stand, as of a few seconds ago at most; empty where it has no policies. While they
     * cannot be read: as they were read last, as no list of daemons fails for it.
     */
    readonly states: (accountId: string) => Effect.Effect<VersionStates>
    /**
     * The same where it was read a moment ago; undefined: it is to be read. Spares the plain list of daemons an
     * effect per call: 3 µs of 20 (`hub bench rest`).
     */
    readonly fresh: (accountId: string) => VersionStates | undefined
  }
>()("hub/Rollouts") {
  static readonly layer = Layer.effect(
    Rollouts,
    Effect.suspend(() => make)
  )
}

const none: VersionStates = new Map()

const statesOf = ({ policies, daemons }: Fleet, offered: Offered): VersionStates => {
  const states = new Map<string, UpdateView>()
  for (const daemon of daemons) {
    const policy = policyOf(policies, daemon)
    const state = stateOf(policy, offered, daemon)
    if (policy === undefined || state === undefined) continue
    const version = targetOf(policy, offered)?.version ?? null
    const reason = state === "failed" ? (daemon.update?.reason ?? null) : null
    states.set(daemon.daemonId, { state, policy: policy.id, version, reason })
  }
  return states.size === 0 ? none : states
}

/** What this node has read of accounts, for some seconds. */
const makeStates = Effect.gen(function* () {
  const store = yield* Store
  const releases = yield* OfferedReleases
  const clock = yield* Clock.Clock
  const read = new LRUCache<string, { readonly states: VersionStates; readonly until: number }>({
    ...entriesAtMost(versionStatesAccountsMax)
  })
  const flights = singleFlight<VersionStates, never>()
  const readNow = (accountId: string): Effect.Effect<VersionStates> =>
    store.fleet(accountId).pipe(
      Effect.map((fleet) => statesOf(fleet, releases.known())),
      Effect.catch((failure) =>
        Effect.as(
          Effect.logWarning("the versions of daemons could not be read", { accountId }, failure),
          read.get(accountId)?.states ?? none
        )
      ),
      Effect.tap((states) =>
        Effect.sync(() => read.set(accountId, { states, until: clock.currentTimeMillisUnsafe() + versionStatesMillis }))
      )
    )
  const fresh = (accountId: string): VersionStates | undefined => {
    const known = read.get(accountId)
    return known !== undefined && clock.currentTimeMillisUnsafe() < known.until ? known.states : undefined
  }
  return {
    fresh,
    states: (accountId: string) =>
      Effect.suspend(() => {
        const known = fresh(accountId)
        return known === undefined ? flights.ask(accountId, readNow(accountId)) : Effect.succeed(known)
      }),
    /** What was read of it is out of date; it is kept for the time that nothing can be read. */
    changed: (accountId: string): void => {
      const known = read.get(accountId)
      if (known !== undefined) read.set(accountId, { ...known, until: 0 })
      flights.forget()
    }
  }
})

const counted = ({ ask, done, failed }: Decided): void => {
  count("hub_daemon_updates_total", "told", ask.length)
  count("hub_daemon_updates_total", "done", done.length)
  count("hub_daemon_updates_total", "failed", failed.length)
}

/** Who is told of which release. */
const byRelease = ({ ask, again }: Decided) => {
  const told = new Map<string, { readonly release: Release; readonly daemonIds: Array<string> }>()
  for (const { daemonId, release } of [...ask, ...again]) {
    const { daemonIds } = told.get(release.sha256) ?? { daemonIds: [] }
    told.set(release.sha256, { release, daemonIds: [...daemonIds, daemonId] })
  }
  return told.values()
}

/** What follows from messages of the bus: frames to the daemons of this node, and what daemons say of their updates. */
const follow = Effect.fnUntraced(function* (changed: (accountId: string) => void) {
  const bus = yield* Bus
  const store = yield* Store
  const roster = yield* Roster
  yield* bus.subscribe("daemon_update", ({ daemonIds, ...data }) => {
    const text = encodeFrame({ type: "update", data: { ...data, deadlineMs: updateMillisMax } })
    for (const daemonId of daemonIds) roster.find(daemonId)?.daemon?.tell({ type: "update", text })
  })
  // of a daemon the last counts: it says so as often as it likes
  const failures = new Map<string, UpdateFailure>()
  yield* bus.subscribe("update_failed", ({ daemonId, sha256, reason }) => {
    if (failures.has(daemonId) || failures.size < failedUpdatesMax) failures.set(daemonId, { daemonId, sha256, reason })
  })
  const note = Effect.gen(function* () {
    const all = [...failures.values()]
    failures.clear()
    if (all.length === 0) return
    const noted = yield* store.failed(all, yield* Clock.currentTimeMillis)
    count("hub_daemon_updates_total", "failed", noted)
  })
  yield* flushEvery(failedUpdatesMillis, "failed updates were not noted", note)
  yield* bus.subscribe("daemon_versions_changed", ({ accountId }) => changed(accountId))
})

const make = Effect.gen(function* () {
  const bus = yield* Bus
  const store = yield* Store
  const releases = yield* OfferedReleases
  const { states, fresh, changed } = yield* makeStates
  yield* follow(changed)

  const look = Effect.fnUntraced(function* (accountId: string, offered: Offered) {
    const now = yield* Clock.currentTimeMillis
    const decide = ({ policies, daemons }: Fleet) => decideRollouts(policies, daemons, offered, now)
    const decided = yield* store.round(accountId, now, decide)
    counted(decided)
    for (const { release, daemonIds } of byRelease(decided))
      bus.publish("daemon_update", { daemonIds, ...release, url: programPath(release) })
    changed(accountId)
  }, Effect.uninterruptible)

  const round = Effect.gen(function* () {
    const offered = yield* releases.read
    let trouble: Cause.Cause<StoreFailed> | undefined
    for (let after = ""; ; ) {
      const accounts = yield* store.accounts(after)
      // the trouble with one account is not that of those behind it
      for (const accountId of accounts) {
        const looked = yield* Effect.exit(look(accountId, offered))
        if (Exit.isFailure(looked)) trouble ??= looked.cause
      }
      if (accounts.length < rolloutAccountsStep) break
      after = accounts.at(-1)!
    }
    if (trouble !== undefined) yield* Effect.failCause(trouble)
  })
  yield* repeatEvery(rolloutMillis, "versions of daemons could not be rolled out", round, { warnOnce: true })

  return Rollouts.of({ round, states, fresh })
})
