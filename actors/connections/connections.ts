/**
 * A daemon's socket from open to close, as the socket side sees it. Owns the port, the admission of tokens, and what
 * connections (daemon-connection.ts) work with. Touches no socket: it speaks to a Peer.
 */

import { Context, Effect, type Exit, Layer } from "effect"
import { hashCredential } from "../../src/auth/api-key.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import {
  connectRetryMillisMin,
  lookUpRetryMillisMax,
  lookUpRetryMillisMin,
  unauthenticatedRetryMillisMax,
  unauthenticatedRetryMillisMin
} from "../../src/limits/drain.ts"
import { Ice } from "../../src/outbound/ice.ts"
import { close } from "../../src/protocol/close.ts"
import type { Auth } from "../../src/protocol/frames.ts"
import type { SchemaViolation } from "../../src/protocol/tolerant.ts"
import { watchInScope } from "../../src/runtime/metrics.ts"
import { NodeCost } from "../../src/runtime/node-cost.ts"
import { failureLog } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"
import { CommandRecords } from "../command-records/command-records.ts"
import { type DaemonContext, daemonBehaviour } from "../daemon/perform.ts"
import { ReportScheduler } from "../daemon/report-scheduler.ts"
import type { Connection, Peer } from "../daemon/socket-port.ts"
import type { DaemonMessage, DaemonState } from "../daemon/state.ts"
import { DaemonEvents } from "../events/daemon-events.ts"
import { Roster } from "../presence/roster.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { WorkerThread } from "../runtime/worker-thread.ts"
import type { Admitted, Declined } from "./authentication.ts"
import { DaemonThrottle, RetrySchedule } from "./connect-throttle.ts"
import { makeConnectionLog } from "./connection-log.ts"
import { type ConnectionContext, DaemonConnection } from "./daemon-connection.ts"
import { TokenCache } from "./token-cache.ts"
import { UnauthenticatedSockets } from "./unauthenticated.ts"
import { makeUpgradeAdmission, type Throttle, type UpgradeAdmission, type UpgradePass } from "./upgrade-admission.ts"

export class Connections extends Context.Service<
  Connections,
  {
    /** Checks the token of an upgrade, and calls `then` once unless the returned function cancels the check. */
    readonly check: UpgradeAdmission["check"]
    /** Takes a new socket; without a pass only one whose address is admitted. */
    readonly open: (peer: Peer, pass?: UpgradePass) => Connection
    /** Whether a socket without a token from this address would be taken; ask before the upgrade. */
    readonly admits: (address: string) => boolean
    /** After how many milliseconds one that is not admitted may come back. */
    readonly retryAfterMillis: () => number
    /** Sockets whose token is not known. */
    readonly unauthenticated: () => number
    /** Sends away all that have not authenticated. Called when none is admitted any more. */
    readonly refuseAll: () => void
  }
>()("hub/Connections") {
  static readonly layer = Layer.effect(Connections)(Effect.suspend(() => make))
}

/** Why a token is declined; undefined: it is good. */
const declinedFor = (owner: TokenOwner | undefined): Declined | undefined => {
  if (owner === undefined) return "unknown"
  if (owner.revoked) return "revoked"
  return owner.accountDisabled ? { disabled: owner.daemonId } : undefined
}

/** Looks a token up, takes from the throttle, and claims the daemon. */
const makeAdmit = (tokens: TokenCache["Service"], throttle: Throttle) =>
  Effect.gen(function* () {
    const roster = yield* Roster
    const ice = yield* Ice
    return Effect.fnUntraced(function* (
      token: string,
      auth: Auth,
      charged: boolean
    ): Effect.fn.Return<Admitted | Declined, Overloaded | StoreFailed> {
      const owner = yield* tokens.owner(token)
      const declined = declinedFor(owner)
      if (owner === undefined || declined !== undefined) return declined ?? "unknown"
      const full = charged ? undefined : throttle(owner.daemonId)
      if (full !== undefined) return full
      if (owner.supersedes) yield* tokens.used(token, owner)
      const set = yield* ice.forWelcome(owner.accountId, owner.plan)
      const claimed = yield* roster.claim(owner, auth, hashCredential(token))
      // once more: the token may have been revoked meanwhile; the store refuses the claim of one revoked before
      const still = yield* claimed === undefined ? tokens.ownerNow(token) : tokens.owner(token)
      const late = declinedFor(still)
      if (still === undefined || late !== undefined || claimed === undefined) return late ?? "unknown"
      return { owner: still, ice: set, claimed }
    })
  })

/** What the daemon actors of this node work with. */
const makeDaemonContext = Effect.gen(function* () {
  const timers = yield* Timers
  const { forAccount } = yield* Ice
  const bus = yield* Bus
  const run = Effect.runForkWith(yield* Effect.context<never>())
  // by daemon and member: one that connects again and again sends the same each time
  const misfits = yield* failureLog<SchemaViolation & { readonly daemonId: string }>(
    timers.after,
    ({ daemonId, at, reason }, heldBack) =>
      Effect.logWarning("what a daemon sent did not fit and was dropped", { daemonId, at, reason, heldBack })
  )
  return {
    alive: new Set<DaemonState>(),
    shares: new ReportScheduler(timers, yield* NodeCost),
    timers,
    roster: yield* Roster,
    events: yield* DaemonEvents,
    records: yield* CommandRecords,
    workerThread: yield* WorkerThread,
    atTickEnd: (work) => {
      run(Effect.andThen(Effect.yieldNow, Effect.sync(work)))
    },
    misfit: (daemonId, misfit) => misfits.add(`${daemonId} ${misfit.member} ${misfit.reason}`, { ...misfit, daemonId }),
    updateFailed: (daemonId, { sha256, reason }) => bus.publish("update_failed", { daemonId, sha256, reason }),
    ice: forAccount
  } satisfies DaemonContext
})

const make = Effect.gen(function* () {
  const timers = yield* Timers
  const supervisor = yield* Supervisor
  const tokens = yield* TokenCache
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const { connectsPerSecond } = yield* Config
  const connects = new DaemonThrottle(connectsPerSecond, timers.monotonic)
  const throttle: Throttle = (daemonId) => connects.take(daemonId, timers.monotonic())
  // a schedule of its own: clients that never authenticate delay none that the connect throttle refused
  const retries = new RetrySchedule(connectsPerSecond, unauthenticatedRetryMillisMin, unauthenticatedRetryMillisMax)
  const admit = yield* makeAdmit(tokens, throttle)
  const daemons = yield* makeDaemonContext
  const { alive, shares, roster } = daemons
  const unauthenticated = new UnauthenticatedSockets<DaemonConnection>()
  const observed = <A, E>(effect: Effect.Effect<A, E>, then: (exit: Exit.Exit<A, E>) => void) => {
    const fiber = run(effect)
    fiber.addObserver(then)
    return fiber
  }
  const log = yield* makeConnectionLog(timers)
  // each at a time of its own: together they would be too many again. Where a store looks up 3,000 a second, 10,000 are
  // back in 10.2 s instead of 13.8 (simulated)
  const lookUps = new RetrySchedule(connectsPerSecond, lookUpRetryMillisMin, lookUpRetryMillisMax)
  const busyMillis = (): number => lookUps.next(timers.monotonic())
  const upgrades = makeUpgradeAdmission({ owner: tokens.owner, throttle, busyMillis, run })
  const node = yield* NodeCost
  /** After how many milliseconds a daemon may come back whose account cannot afford to have its `auth` read. */
  const unaffordable = (accountId: string, cost: number): number | undefined =>
    cost === 0 || node.take(accountId, cost) ? undefined : Math.max(connectRetryMillisMin, node.wait(accountId))
  const context: ConnectionContext = {
    timers,
    roster,
    supervisor,
    shares,
    behaviour: daemonBehaviour(daemons),
    admit: (token, auth, charged, then) => observed(admit(token, auth, charged), then),
    declinedFor: (token, cost, then) =>
      observed(
        Effect.map(tokens.owner(token), (owner) => declinedFor(owner) ?? unaffordable(owner!.accountId, cost)),
        then
      ),
    unauthenticated,
    awaitingAuth: new Map(),
    alive,
    log
  }

  yield* watchInScope("hub_commands_pending", () => {
    let sum = 0
    for (const state of alive) sum += state.commands.size
    return sum
  })
  // The daemons stay recorded as online: they come back to the next hub within their grace.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      const order: DaemonMessage = { type: "order", rule: close.restarting, departure: "lost" }
      supervisor.tellAll("daemon", order)
    })
  )

  return Connections.of({
    check: (token, address, then) =>
      upgrades.check(token, address, (outcome) => {
        if ("_tag" in outcome) log.refused(outcome._tag, address)
        then(outcome)
      }),
    open: (peer, pass) => {
      if (pass === undefined) unauthenticated.evictee(peer.address, timers.monotonic())?.evict()
      return new DaemonConnection(context, peer, pass)
    },
    admits: (address) => unauthenticated.admits(address, timers.monotonic()),
    retryAfterMillis: () => retries.next(timers.monotonic()),
    unauthenticated: () => unauthenticated.size,
    refuseAll: () => {
      for (const connection of [...unauthenticated.all(), ...context.awaitingAuth.values()]) connection.sendAway()
    }
  })
})
