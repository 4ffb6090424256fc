/**
 * A daemon's socket from open to close, as the socket side sees it. Owns the port, the admission of tokens, and what
 * links (handshake.ts) work with. Touches no socket: it speaks to a Peer.
 */

import { Context, Effect, Layer } from "effect"
import { hashCredential } from "../../src/auth/api-key.ts"
import { Config } from "../../src/config.ts"
import type { Overloaded, StoreFailed } from "../../src/errors.ts"
import { strangersAwayMillisMax, strangersFirstMillis } from "../../src/limits/drain.ts"
import { Ice } from "../../src/outbound/ice.ts"
import { close } from "../../src/protocol/close.ts"
import type { Auth } from "../../src/protocol/frames.ts"
import type { Misfit } from "../../src/protocol/tolerant.ts"
import { watch } from "../../src/runtime/metrics.ts"
import { failureLog } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"
import { type DaemonContext, daemonBehaviour } from "../daemon/perform.ts"
import type { DaemonMessage, DaemonState } from "../daemon/state.ts"
import { DaemonEvents } from "../events/daemon-events.ts"
import { CommandRecords } from "../kept/command-records.ts"
import { ReportScheduler } from "../limits/report-scheduler.ts"
import { Roster } from "../presence/roster.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { OffLoop } from "../runtime/worker-jobs.ts"
import { ConnectThrottle, RetrySchedule } from "./connect-throttle.ts"
import { type ConnectionContext, DaemonConnection } from "./handshake.ts"
import type { Connection, Peer } from "./peer.ts"
import { TokenCache } from "./token-cache.ts"
import type { Admitted, Declined } from "./token-decision.ts"
import { UnauthenticatedSockets } from "./unauthenticated.ts"
import { makeUpgradeAdmission, type UpgradeAdmission, type UpgradePass } from "./upgrade-admission.ts"

/** Where sockets report. */
export class Connections extends Context.Service<
  Connections,
  {
    /** Checks the token of an upgrade, and calls `then` once unless that is given up by what this returns. */
    readonly check: UpgradeAdmission["check"]
    /** Takes a new socket; without a pass only one whose address is admitted. */
    readonly open: (peer: Peer, pass?: UpgradePass) => Connection
    /** Whether a socket without a token from this address would be taken; ask before the upgrade. */
    readonly admits: (address: string) => boolean
    /** Puts off one who is not admitted: after how many milliseconds to come back. */
    readonly putOff: () => number
    /** Sockets whose token is not known. */
    readonly unauthenticated: () => number
    /** Sends away who has not authenticated: nobody is let in any more. */
    readonly refuseAll: () => void
  }
>()("hub/Connections") {
  static readonly layer = Layer.effect(
    Connections,
    Effect.suspend(() => make)
  )
}

/** Why a token admits nobody, whenever it is looked up; undefined: it is good. */
const declinedFor = (owner: TokenOwner | undefined): Declined | undefined => {
  if (owner === undefined) return "unknown"
  if (owner.revoked) return "revoked"
  return owner.accountDisabled ? { disabled: owner.daemonId } : undefined
}

const make = Effect.gen(function* () {
  const timers = yield* Timers
  const roster = yield* Roster
  const supervisor = yield* Supervisor
  const events = yield* DaemonEvents
  const admission = yield* TokenCache
  const ice = yield* Ice
  const run = Effect.runForkWith(yield* Effect.context<never>())

  const { connectsPerSecond } = yield* Config
  const intake = new ConnectThrottle(connectsPerSecond, timers.monotonic())
  // a line of its own: whoever knocks without end moves nobody back whom the intake puts off
  const line = new RetrySchedule(connectsPerSecond, strangersFirstMillis, strangersAwayMillisMax)
  const putOff = (): number => line.next(timers.monotonic())
  const alive = new Set<DaemonState>()
  // by daemon and member: one that connects without end says the same each time
  const misfits = yield* failureLog<Misfit & { readonly daemonId: string }>(
    timers.after,
    ({ daemonId, at, reason }, heldBack) =>
      Effect.logWarning("what a daemon sent did not fit and was dropped", { daemonId, at, reason, heldBack })
  )
  const shares = new ReportScheduler(timers)
  const daemons: DaemonContext = {
    alive,
    shares,
    timers,
    roster,
    events,
    records: yield* CommandRecords,
    offLoop: yield* OffLoop,
    atTickEnd: (work) => {
      run(Effect.andThen(Effect.yieldNow, Effect.sync(work)))
    },
    misfit: (daemonId, misfit) => misfits.add(`${daemonId} ${misfit.member} ${misfit.reason}`, { ...misfit, daemonId }),
    ice: ice.forAccount
  }

  const admit = Effect.fnUntraced(function* (
    token: string,
    auth: Auth,
    charged: boolean
  ): Effect.fn.Return<Admitted | Declined, Overloaded | StoreFailed> {
    const owner = yield* admission.owner(token)
    const declined = declinedFor(owner)
    if (owner === undefined || declined !== undefined) return declined ?? "unknown"
    const full = charged ? undefined : intake.take(timers.monotonic())
    if (full !== undefined) return full
    if (owner.supersedes) yield* admission.used(token, owner)
    const set = yield* ice.forWelcome(owner.accountId, owner.plan)
    const claimed = yield* roster.claim(owner, auth, hashCredential(token))
    // once more: the token may have been revoked meanwhile; the store refuses the claim of one that was revoked before
    const still = yield* claimed === undefined ? admission.ownerNow(token) : admission.owner(token)
    const late = declinedFor(still)
    if (still === undefined || late !== undefined || claimed === undefined) return late ?? "unknown"
    return { owner: still, ice: set, claimed }
  })

  const around: ConnectionContext = {
    timers,
    roster,
    supervisor,
    shares,
    behaviour: daemonBehaviour(daemons),
    admit: (token, auth, charged, then) => {
      const fiber = run(admit(token, auth, charged))
      fiber.addObserver(then)
      return fiber
    },
    knows: (token, then) => {
      const fiber = run(Effect.map(admission.owner(token), declinedFor))
      fiber.addObserver(then)
      return fiber
    },
    strangers: new UnauthenticatedSockets(),
    awaited: new Map(),
    alive,
    note: (what) => {
      run(Effect.logDebug("a daemon connected", what))
    }
  }

  const pending = (): number => {
    let sum = 0
    for (const state of alive) sum += state.pending.size
    return sum
  }
  const unwatch = watch("hub_commands_pending", pending)
  // The daemons stay recorded as online: they come back to the next hub within their grace.
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      unwatch()
      const order: DaemonMessage = { tell: "order", rule: close.restarting, departure: "lost" }
      supervisor.tellAll("daemon", order)
    })
  )

  const entrance = makeUpgradeAdmission({ owner: admission.owner, intake: () => intake.take(timers.monotonic()), run })
  return Connections.of({
    check: entrance.check,
    open: (peer, pass) => {
      if (pass === undefined) around.strangers.inTheWay(peer.address, timers.monotonic())?.makeRoom()
      return new DaemonConnection(around, peer, pass)
    },
    admits: (address) => around.strangers.admits(address, timers.monotonic()),
    putOff,
    unauthenticated: () => around.strangers.size,
    refuseAll: () => {
      for (const link of [...around.strangers.all(), ...around.awaited.values()]) link.sendAway()
    }
  })
})
