/**
 * From what daemons do to events: their payloads, and the acknowledgement after the commit. Owns the events that are
 * tried again while the store is away. A daemon may send a numbered one again too; it is committed once. A report
 * returns at once: agent-status-notifier.ts decides when `agent:status` is sent. The events of a connect and a
 * disconnect are prepared here and committed by presence-writer.ts.
 */
import { hash } from "node:crypto"
import { Cause, Context, Effect, Layer, Schedule } from "effect"
import { Bus } from "../../src/bus/bus.ts"
import type { CommandState } from "../../src/domain/command/stored-command.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { tagsOf } from "../../src/domain/daemon/tags.ts"
import { decidedPayload } from "../../src/domain/event/approval-payload.ts"
import {
  agentStatusPayload,
  commandPayload,
  connectPayload,
  copiedPayload,
  disconnectPayload,
  relayedPayload
} from "../../src/domain/event/event-payload.ts"
import { type EventName, relayedEvent } from "../../src/domain/event/events.ts"
import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import type { EventSession } from "../../src/domain/event/session-of-event.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { eventIdCharsMax, eventsRetriedMax, eventsWaitingMax } from "../../src/limits/delivery.ts"
import type { StatusEvent } from "../../src/protocol/frames.ts"
import { count } from "../../src/runtime/metrics.ts"
import { failureLog, kindOf } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { Standing } from "../../src/store/daemons/commands.ts"
import { AuditLog } from "../audit-log/audit-log.ts"
import { PushSender } from "../push/push-sender.ts"
import { type Following, type Former, makeFollowing } from "./agent-status-notifier.ts"
import { type ApprovalChange, makeNotedDecisions, tellApprovals } from "./approval-events.ts"
import { Dispatcher, type PreparedEvent } from "./dispatcher.ts"

/** Why a daemon is offline, as `daemon:disconnect` says it. */
export type DisconnectReason = "closed" | "timeout" | "replaced" | "disconnected" | "revoked"

/** The end of a time online. `reason` undefined: its account is disabled, and the end is not announced. */
export interface Ended {
  readonly reason: DisconnectReason | undefined
  readonly connectedMs: number
  readonly at: number
}

/** The end of a stored command. */
export interface CommandEnded {
  readonly command: Standing
  readonly state: CommandState
  readonly at: number
}

export class DaemonEvents extends Context.Service<
  DaemonEvents,
  {
    /**
     * A `status_event` frame. `ack` is called with its id once committed (or not wanted, or already had); never without
     * an id. `session`: which it is about, as far as that is known.
     */
    readonly reported: (
      snapshot: Snapshot,
      event: StatusEvent,
      ack: (id: string) => void,
      session?: EventSession
    ) => void
    /** Questions of a daemon's agents began or ended. */
    readonly approvals: (snapshot: Snapshot, change: ApprovalChange) => void
    /** A daemon decided questions by a policy; `ack` as above. */
    readonly decided: (snapshot: Snapshot, event: StatusEvent, ack: (id: string) => void) => void
    /** A report changed the snapshot. `former`: at the first report of a connection. */
    readonly snapshotChanged: (snapshot: Snapshot, former?: Former) => void
    /** Prepares `daemon:connect`, which is committed with the row that says that the daemon is online. */
    readonly connecting: (snapshot: Snapshot, at: number) => Effect.Effect<PreparedEvent, StoreFailed>
    /** Prepares `daemon:disconnect`, likewise. Without a reason (a disabled account) it is not announced. */
    readonly disconnecting: (snapshot: Snapshot, ended: Ended) => Effect.Effect<PreparedEvent, StoreFailed>
    /** Prepares `command:completed`, which is committed with the end of the command. */
    readonly commandEnded: (ended: CommandEnded) => Effect.Effect<PreparedEvent, StoreFailed>
    /** Another machine than before, which was called this, has connected with the daemon's token. */
    readonly copied: (snapshot: Snapshot, formerHostname: string) => void
    /** Nothing more is said of the daemon here: another node follows it from now on, or its account is disabled. */
    readonly moved: (daemonId: string) => void
  }
>()("hub/DaemonEvents") {
  static readonly layer = Layer.effect(DaemonEvents)(Effect.suspend(() => make))
}

const storable = /^[\x20-\x7e]*$/u

/** The number of an event as it is kept: what is long or odd is kept as its hash. */
export const eventNumber = (id: string): string =>
  id.length <= eventIdCharsMax && storable.test(id) ? id : hash("sha256", id, "hex")

const againMillis = 200
const again = Schedule.min([Schedule.exponential(againMillis), Schedule.spaced("5 seconds")])

type Run = (effect: Effect.Effect<unknown>) => unknown

/** A log line about an event, throttled: while the store is away each event meets the same failure. */
interface Said {
  readonly level: "Warn" | "Error"
  readonly words: string
  readonly event: EventName
  readonly cause: Cause.Cause<unknown>
}
type Say = (level: "Warn" | "Error", words: string, hubEvent: HubEvent, cause?: Cause.Cause<unknown>) => void

/** Dispatches the hub's own events. No daemon sends these again: they are kept while the store is away. */
const dispatchingOwn = (dispatcher: Dispatcher["Service"], run: Run, say: Say): ((hubEvent: HubEvent) => void) => {
  let waiting = 0
  return (hubEvent) => {
    if (dispatcher.dispatchUnwanted(hubEvent)) return
    if (waiting >= eventsWaitingMax) {
      count("hub_defects_total", "events")
      return say("Error", "an event is lost: too many wait for the store", hubEvent)
    }
    waiting++
    const work = Effect.retry(dispatcher.dispatch(hubEvent), again).pipe(
      Effect.catchCause((cause) =>
        Effect.sync(() => say("Error", "an event could not be dispatched", hubEvent, cause))
      ),
      Effect.ensuring(
        Effect.sync(() => {
          waiting--
        })
      )
    )
    run(work)
  }
}

/** Dispatches events that daemons numbered; each is acknowledged after its commit. */
const dispatchingNumbered = (dispatcher: Dispatcher["Service"], run: Run, say: Say) => {
  let retried = 0
  return (hubEvent: HubEvent, id: string, ack: (id: string) => void): void => {
    // what is not taken of a disabled account its daemon keeps, and sends again when it is let in again
    const acked = Effect.map(dispatcher.dispatch(hubEvent), (taken) => {
      if (taken) ack(id)
    })
    // Its daemon sends it again only after a reconnect, which a store that was away for a moment gives no reason for.
    const retry = Effect.suspend(() => {
      if (retried >= eventsRetriedMax) return Effect.sync(() => say("Warn", "an event is left to its daemon", hubEvent))
      retried++
      return Effect.ensuring(
        Effect.retry(Effect.delay(acked, againMillis), again),
        Effect.sync(() => {
          retried--
        })
      )
    })
    const lasting = Effect.catch(acked, (failure) => {
      say("Warn", "an event is not committed yet and is tried again", hubEvent, Cause.fail(failure))
      return retry
    })
    run(
      Effect.catchCause(lasting, (cause) =>
        Effect.sync(() => say("Warn", "an event is not committed", hubEvent, cause))
      )
    )
  }
}

/** Where the write finds that the daemon is elsewhere, nothing more is said of it here either. */
const disconnecting = (
  dispatcher: Dispatcher["Service"],
  following: Following,
  snapshot: Snapshot,
  { reason, connectedMs, at }: Ended
): Effect.Effect<PreparedEvent, StoreFailed> => {
  const { accountId, daemonId } = snapshot
  const drop = (): void => following.drop(daemonId)
  if (reason === undefined) return Effect.succeed({ deliveries: [], committed: drop })
  const payload = disconnectPayload(snapshot, reason, connectedMs, at)
  const tags = tagsOf(snapshot)
  const event = { accountId, daemonId, tags, event: "daemon:disconnect", payload, timestamp: at } as const
  return Effect.map(dispatcher.prepare(event), ({ deliveries, committed }) => ({
    deliveries,
    committed: (inserted) => {
      committed(inserted)
      if (inserted === undefined) drop()
      else following.left(daemonId)
    }
  }))
}

const copied = (snapshot: Snapshot, formerHostname: string, timestamp: number): HubEvent => {
  const { accountId, daemonId } = snapshot
  const payload = copiedPayload(snapshot, formerHostname, timestamp)
  return { accountId, daemonId, event: "daemon:identity_copied", payload, timestamp }
}

const make = Effect.gen(function* () {
  const dispatcher = yield* Dispatcher
  const timers = yield* Timers
  const bus = yield* Bus
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const failures = yield* failureLog<Said>(timers.after, ({ level, words, event, cause }, heldBack) =>
    Effect.logWithLevel(level)(words, { event, heldBack }, cause)
  )
  const say: Say = (level, words, { event }, cause = Cause.empty) =>
    failures.add(`${words} ${event} ${kindOf(cause)}`, { level, words, event, cause })
  const dispatchOwn = dispatchingOwn(dispatcher, run, say)
  const dispatchNumbered = dispatchingNumbered(dispatcher, run, say)

  const following = makeFollowing(timers, (accountId, daemonId, changes, told) => {
    const timestamp = told.at
    const payload = agentStatusPayload(daemonId, changes, timestamp)
    dispatchOwn({ accountId, daemonId, event: "agent:status", payload, timestamp, told })
  })

  const numbered = (hubEvent: HubEvent & { daemonId: string }, id: string | undefined, ack: (id: string) => void) => {
    if (id === undefined) return dispatchOwn(hubEvent)
    const event = { ...hubEvent, dedupe: { daemonId: hubEvent.daemonId, id: eventNumber(id) } }
    if (dispatcher.dispatchUnwanted(event)) ack(id)
    else dispatchNumbered(event, id, ack)
  }

  const reported: DaemonEvents["Service"]["reported"] = (snapshot, given, ack, session) => {
    const { daemonId, accountId } = snapshot
    const event = relayedEvent(given.event)
    if (event === undefined) {
      count("hub_frames_ignored_total", "event")
      // what can never be dispatched is not to be sent again
      if (given.id !== undefined) ack(given.id)
      return
    }
    const timestamp = timers.now()
    const payload = relayedPayload(snapshot, event, given, timestamp, session)
    numbered({ accountId, daemonId, event, payload, timestamp }, given.id, ack)
  }

  const push = yield* PushSender
  const decidedByPolicy = makeNotedDecisions(yield* AuditLog)
  const approvals: DaemonEvents["Service"]["approvals"] = (snapshot, change) => {
    for (const { answered } of change.resolved) decidedByPolicy(snapshot, answered, 1)
    tellApprovals(snapshot, change, timers.now(), { publish: bus.publish, dispatch: dispatchOwn, push: push.offer })
  }

  const decided: DaemonEvents["Service"]["decided"] = (snapshot, given, ack) => {
    const { daemonId, accountId } = snapshot
    const timestamp = timers.now()
    const { rule, decision, count: times = 1 } = given
    decidedByPolicy(snapshot, { by: { kind: "policy" }, ...(rule && { rule }), ...(decision && { decision }) }, times)
    const payload = decidedPayload(daemonId, given, timestamp)
    numbered({ accountId, daemonId, event: "approval:resolved", payload, timestamp }, given.id, ack)
  }

  yield* Effect.addFinalizer(() => Effect.sync(following.end))

  return DaemonEvents.of({
    reported,
    approvals,
    decided,
    snapshotChanged: (snapshot, former) => following.changed(snapshot, former),
    connecting: (snapshot, at) => {
      const { accountId, daemonId } = snapshot
      const payload = connectPayload(snapshot, at)
      const tags = tagsOf(snapshot)
      return dispatcher.prepare({ accountId, daemonId, tags, event: "daemon:connect", payload, timestamp: at })
    },
    commandEnded: ({ command, state, at }) => {
      const { accountId, daemonId, createdAt } = command
      const payload = commandPayload(command, state, at - createdAt, at)
      return dispatcher.prepare({ accountId, daemonId, event: "command:completed", payload, timestamp: at })
    },
    copied: (snapshot, formerHostname) => dispatchOwn(copied(snapshot, formerHostname, timers.now())),
    moved: following.drop,
    disconnecting: (snapshot, ended) => disconnecting(dispatcher, following, snapshot, ended)
  })
})
