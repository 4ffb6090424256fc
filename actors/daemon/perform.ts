/**
 * One connected daemon: the actor between `auth_ok` and the end of its socket. Performs what decide.ts decides; judges
 * nothing, and touches the socket through its Peer only. The socket is the truth: the actor is never restarted, a crash
 * closes with 4500 and the daemon reconnects.
 */

import { Effect } from "effect"
import type { Plan } from "../../src/domain/account/plans.ts"
import { noMemory } from "../../src/domain/daemon/session-memory.ts"
import { daemonMailboxMax } from "../../src/limits.ts"
import type { IceSet } from "../../src/outbound/ice.ts"
import { close } from "../../src/protocol/close.ts"
import type { SchemaViolation } from "../../src/protocol/tolerant.ts"
import { count } from "../../src/runtime/metrics.ts"
import type { DaemonEvents } from "../events/daemon-events.ts"
import type { Behaviour } from "../runtime/actor.ts"
import { CommandRegistry } from "./command-registry.ts"
import { decide } from "./decide.ts"
import { tellListeners } from "./decide-log.ts"
import { emptyBudget } from "./frame-budget.ts"
import { type CommandContext, endCommands, performCommand } from "./perform-command.ts"
import type { ReportScheduler } from "./report-scheduler.ts"
import type { Daemon, DaemonAction, DaemonMessage, DaemonRoster, DaemonState, Departure, LookedAt } from "./state.ts"

export type { DaemonMessage } from "./state.ts"

/** What the actors of this node work with. */
export interface DaemonContext extends CommandContext {
  readonly roster: DaemonRoster
  readonly events: DaemonEvents["Service"]
  /** Runs something at the end of this tick. */
  readonly atTickEnd: (work: () => void) => void
  /** The states of all that are alive, for gauges. */
  readonly alive: Set<DaemonState>
  /** What the daemons of each account may do together. */
  readonly shares: Pick<ReportScheduler, "wait" | "forget" | "leave">
  /** Logs what did not fit of a daemon's frames. */
  readonly misfit: (daemonId: string, misfit: SchemaViolation) => void
  /** A daemon did not get a release to run. */
  readonly updateFailed: (daemonId: string, failed: { readonly sha256: string; readonly reason: string }) => void
  /** Makes a fresh set of ICE servers. */
  readonly ice: (accountId: string, plan: Plan) => Effect.Effect<IceSet>
}

/** The state of a new connection. */
export const newState = (
  from: Pick<
    DaemonState,
    "peer" | "epoch" | "told" | "snapshot" | "plan" | "tokenAt" | "capabilities" | "iceExpiresAt" | "hasTurnServers"
  > & {
    /** Durable commands that it says it still has. */
    readonly named?: ReadonlyArray<string> | undefined
    readonly now: number
    readonly shared: Pick<DaemonState, "share" | "weight">
  }
): DaemonState => ({
  peer: from.peer,
  epoch: from.epoch,
  told: from.told,
  plan: from.plan,
  tokenAt: from.tokenAt,
  capabilities: from.capabilities,
  snapshot: from.snapshot,
  reportDigest: "",
  problems: undefined,
  memory: noMemory,
  commands: new CommandRegistry(from.named),
  budget: emptyBudget(),
  share: from.shared.share,
  held: undefined,
  weight: from.shared.weight,
  heardAt: from.now,
  isConfirmed: false,
  acks: [],
  answers: undefined,
  logs: undefined,
  policyVersion: undefined,
  iceExpiresAt: from.iceExpiresAt,
  hasTurnServers: from.hasTurnServers,
  leaving: undefined,
  over: false
})

const deliver = (state: DaemonState, text: string, self: Daemon): void => {
  if (state.peer.send(text) === "dropped") self.tell({ type: "undelivered" })
}

// Made out here: a closure within `perform` would cost every action, as what it captures is allocated on entry.
const acknowledging =
  (self: Daemon) =>
  (id: string): void =>
    void self.tell({ type: "ack", id })
const telling = (self: Daemon, message: DaemonMessage) => (): void => void self.tell(message)

/** The child that makes a fresh set of ICE servers. */
const renewIce = (
  { ice, timers }: DaemonContext,
  { snapshot: { accountId }, plan }: DaemonState
): Effect.Effect<DaemonMessage> => Effect.map(ice(accountId, plan), (set) => ({ type: "ice", set, now: timers.now() }))

/** The child that has a large frame read, to see what it is. */
const look = (
  { workerThread, timers }: DaemonContext,
  given: Uint8Array,
  { snapshot: { accountId } }: DaemonState
): Effect.Effect<DaemonMessage> => {
  const bytes = given.byteLength
  return Effect.map(workerThread.ask(accountId, { task: "frame", bytes: given }), (done): DaemonMessage => {
    const frame = done?.done === "frame" ? done : undefined
    const isOther = frame !== undefined && frame.read.is !== "frame"
    const read = isOther ? { is: "other" as const, bytes: frame.bytes } : (frame?.read as LookedAt | undefined)
    return { type: "looked", read, bytes, now: timers.now() }
  })
}

const perform = (context: DaemonContext, action: DaemonAction, state: DaemonState, self: Daemon): void => {
  const { roster, events, shares } = context
  switch (action.do) {
    case "send":
      return deliver(state, action.text, self)
    case "ping":
      return state.peer.ping(action.payload)
    case "await":
      return shares.wait(state.snapshot.accountId, self, action.bytes)
    case "awaitNoMore":
      return shares.forget(state.snapshot.accountId, self)
    case "look":
      return self.pipeToSelf(look(context, action.bytes, state))
    case "report":
      roster.reported(action.after, action.changed)
      if (action.changed) events.snapshotChanged(action.after, action.former)
      return
    case "event":
      events.reported(state.snapshot, action.event, acknowledging(self), action.session)
      return
    case "approvals":
      return events.approvals(action.after, action.change)
    case "decided":
      return events.decided(state.snapshot, action.event, acknowledging(self))
    case "logs":
      return tellListeners(action.telling)
    case "ignore":
      count("hub_frames_ignored_total", action.why)
      return
    case "updateFailed":
      return context.updateFailed(state.snapshot.daemonId, action)
    case "misfits":
      for (const { member, times } of action.misfits) count("hub_misfits_total", member, times)
      for (const misfit of action.fresh) context.misfit(state.snapshot.daemonId, misfit)
      return
    case "show":
      return roster.reported(action.snapshot, true)
    case "flushSoon":
      return context.atTickEnd(telling(self, { type: "flush" }))
    case "renewIce":
      return self.pipeToSelf(renewIce(context, state))
    case "iceLater":
      return self.wakeAfter("ice", action.millis, () => ({ type: "iceDue" }))
    case "close":
      return state.peer.close(action.rule.code, action.rule.name)
    case "depart":
      return depart(context, state, action.departure, action.code)
    case "leave":
      self.leave()
      return
    default:
      performCommand(context, action, state, self)
  }
}

const depart = ({ roster }: DaemonContext, { snapshot, epoch, heardAt }: DaemonState, how: Departure, code: number) =>
  roster.left(snapshot.daemonId, epoch, { how, code, heardAt })

/** The actor ended, by whatever exit: no caller is left waiting. What an orderly end has done is not done again. */
const ended = (
  context: DaemonContext,
  state: DaemonState,
  self: Daemon,
  unread: ReadonlyArray<DaemonMessage>
): void => {
  const { alive, shares } = context
  alive.delete(state)
  shares.leave(state.snapshot.accountId, self, state.held?.bytes ?? 0, state.weight)
  if (!state.over) state.peer.close(close.crashed.code, close.crashed.name)
  state.over = true
  endCommands(
    context,
    state,
    unread.flatMap((message) => (message.type === "command" ? [message.pending] : []))
  )
  for (const listener of state.logs?.all() ?? []) listener.gone()
  depart(context, state, "lost", close.crashed.code)
}

/** The behaviour of all daemon actors of a node. */
export const daemonBehaviour = (context: DaemonContext): Behaviour<DaemonState, DaemonMessage, DaemonAction> => ({
  kind: "daemon",
  mailboxMax: daemonMailboxMax,
  decide,
  perform: (action, state, self) => perform(context, action, state, self),
  ended: (state, self, unread) => ended(context, state, self, unread)
})
