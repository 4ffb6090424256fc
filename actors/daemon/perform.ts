/**
 * One connected daemon: the actor between `auth_ok` and the end of its socket. Performs what decide.ts decides; judges
 * nothing, and touches the socket through its Peer only. The socket is the truth: the actor is never restarted, a crash
 * closes with 4500 and the daemon reconnects.
 */

import { Effect } from "effect"
import type { Plan } from "../../src/domain/account/plans.ts"
import { noMemory } from "../../src/domain/daemon/session-memory.ts"
import { DaemonSocketLost, Overloaded } from "../../src/errors.ts"
import { daemonMailboxMax, overloadRetrySeconds } from "../../src/limits.ts"
import type { IceSet } from "../../src/outbound/ice.ts"
import { close } from "../../src/protocol/close.ts"
import type { SchemaViolation } from "../../src/protocol/tolerant.ts"
import { count } from "../../src/runtime/metrics.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import type { TaskResult } from "../../src/runtime/worker/tasks.ts"
import type { CommandRecords } from "../command-records/command-records.ts"
import type { DaemonEvents } from "../events/daemon-events.ts"
import type { Behaviour } from "../runtime/actor.ts"
import type { WorkerThread } from "../runtime/worker-thread.ts"
import { fail, settle } from "./command-outcome.ts"
import { ConnectionCommands } from "./connection-commands.ts"
import { decide } from "./decide.ts"
import { answerOfLarge } from "./decide-large-frame.ts"
import { tellListeners } from "./decide-log.ts"
import { refuseStoredCommand } from "./decide-stored-command.ts"
import { emptyBudget } from "./frame-budget.ts"
import { type Pending, PendingCommands } from "./pending-commands.ts"
import { loseStoredCommand, performStoredCommand } from "./perform-stored-command.ts"
import type { ReportScheduler } from "./report-scheduler.ts"
import type { Daemon, DaemonAction, DaemonMessage, DaemonRoster, DaemonState, Departure, LookedAt } from "./state.ts"

export type { DaemonMessage } from "./state.ts"

/** What the actors of this node work with. */
export interface DaemonContext {
  readonly timers: Timers["Service"]
  readonly roster: DaemonRoster
  readonly events: DaemonEvents["Service"]
  /** Runs something at the end of this tick. */
  readonly atTickEnd: (work: () => void) => void
  /** The states of all that are alive, for gauges. */
  readonly alive: Set<DaemonState>
  /** What the daemons of each account may do together. */
  readonly shares: Pick<ReportScheduler, "wait" | "forget" | "leave">
  /** The rows of commands whose results are kept. */
  readonly records: CommandRecords["Service"]
  /** Where large frames are read. */
  readonly workerThread: WorkerThread["Service"]
  /** Logs what did not fit of a daemon's frames. */
  readonly misfit: (daemonId: string, misfit: SchemaViolation) => void
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
  pending: new PendingCommands(),
  abandoned: new Set(),
  kept: new ConnectionCommands(from.named),
  budget: emptyBudget(),
  share: from.shared.share,
  held: undefined,
  weight: from.shared.weight,
  heardAt: from.now,
  isConfirmed: false,
  acks: [],
  logs: undefined,
  iceExpiresAt: from.iceExpiresAt,
  hasTurnServers: from.hasTurnServers,
  iceTimer: undefined,
  leaving: undefined,
  over: false
})

const failAll = (context: DaemonContext, state: DaemonState): void => {
  loseStoredCommand(context, state)
  for (let next = state.pending.takeOldest(); next !== undefined; next = state.pending.takeOldest()) {
    next.timer?.clear()
    fail(next.waiter, new DaemonSocketLost({ commandId: next.id }))
  }
}

const deliver = (state: DaemonState, text: string, self: Daemon): void => {
  if (state.peer.send(text) === "dropped") self.tell({ tell: "undelivered" })
}

/** Whether the frame of a command is on its way, or the end of all that waits is. */
const delivered = (
  state: DaemonState,
  { text, pending }: Extract<DaemonAction, { do: "command" }>,
  self: Daemon
): boolean => {
  const outcome = state.peer.send(text, true)
  if (outcome === "dropped") self.tell({ tell: "undelivered" })
  if (outcome !== "full") return true
  state.pending.take(pending.id)
  fail(pending.waiter, new Overloaded({ retryAfter: overloadRetrySeconds }))
  return false
}

// Made out here: a closure within `perform` would cost every action, as what it captures is allocated on entry.
const expiring =
  (self: Daemon, { id }: Pending) =>
  (): void =>
    void self.tell({ tell: "expire", id })
const acknowledging =
  (self: Daemon) =>
  (id: string): void =>
    void self.tell({ tell: "ack", id })
const telling = (self: Daemon, message: DaemonMessage) => (): void => void self.tell(message)

/** The child that makes a fresh set of ICE servers. */
const renewIce = (
  { ice, timers }: DaemonContext,
  { snapshot: { accountId }, plan }: DaemonState
): Effect.Effect<DaemonMessage> => Effect.map(ice(accountId, plan), (set) => ({ tell: "ice", set, now: timers.now() }))

/**
 * Puts a large result to be read, and settles its command with what comes of that. Not a child: a result that has come
 * answers its command, also when the socket ends meanwhile.
 */
const check = (
  { workerThread }: DaemonContext,
  { pending, bytes, durationMs }: Extract<DaemonAction, { do: "check" }>,
  { snapshot: { accountId } }: DaemonState,
  self: Daemon
): void => {
  pending.timer?.clear()
  const settled = (done: TaskResult | undefined): void => {
    const read = done?.done === "frame" ? { frame: done.read, bytes: done.bytes } : undefined
    const answer = answerOfLarge(pending, durationMs, read)
    if (answer !== undefined) return settle(pending, answer)
    fail(pending.waiter, new DaemonSocketLost({ commandId: pending.id }))
    self.tell({ tell: "order", rule: close.frameInvalid, departure: "lost" })
  }
  if (!workerThread.put(accountId, { task: "frame", bytes }, settled)) settled(undefined)
}

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
    return { tell: "looked", read, bytes, now: timers.now() }
  })
}

type CommandAction = Extract<
  DaemonAction,
  { readonly do: "send" | "ping" | "command" | "check" | "settle" | "fail" | "failAll" | "unwatch" }
>

const performCommand = (context: DaemonContext, action: CommandAction, state: DaemonState, self: Daemon): void => {
  switch (action.do) {
    case "send":
      deliver(state, action.text, self)
      return
    case "ping":
      state.peer.ping(action.payload)
      return
    case "command":
      if (delivered(state, action, self)) {
        action.pending.timer = context.timers.after(action.millis, expiring(self, action.pending))
      }
      return
    case "check":
      check(context, action, state, self)
      return
    case "settle":
      action.pending.timer?.clear()
      settle(action.pending, action.answer)
      return
    case "fail":
      fail(action.waiter, action.failure)
      return
    case "failAll":
      failAll(context, state)
      return
    case "unwatch":
      action.timer?.clear()
      count("hub_commands_total", "cancelled")
      return
  }
}

const perform = (context: DaemonContext, action: DaemonAction, state: DaemonState, self: Daemon): void => {
  const { timers, roster, events, shares } = context
  switch (action.do) {
    case "await":
      return shares.wait(state.snapshot.accountId, self, action.bytes)
    case "awaitNoMore":
      return shares.forget(state.snapshot.accountId, self)
    case "kept":
      performStoredCommand(context, action.of, state, self)
      return
    case "look":
      return void self.pipeToSelf(look(context, action.bytes, state))
    case "report":
      roster.reported(action.after, action.changed)
      if (action.changed) events.snapshotChanged(action.after, action.former)
      return
    case "event":
      events.reported(state.snapshot, action.event, acknowledging(self), action.session)
      return
    case "logs":
      return tellListeners(action.telling)
    case "ignore":
      count("hub_frames_ignored_total", action.why)
      return
    case "misfits":
      for (const { member, times } of action.misfits) count("hub_misfits_total", member, times)
      for (const misfit of action.fresh) context.misfit(state.snapshot.daemonId, misfit)
      return
    case "show":
      roster.reported(action.snapshot, true)
      return
    case "flushSoon":
      return context.atTickEnd(telling(self, { tell: "flush" }))
    case "renewIce":
      return void self.pipeToSelf(renewIce(context, state))
    case "iceLater":
      state.iceTimer?.clear()
      state.iceTimer = timers.after(action.millis, telling(self, { tell: "iceDue" }))
      return
    case "close":
      state.peer.close(action.rule.code, action.rule.name)
      return
    case "depart":
      depart(context, state, action.departure, action.code)
      return
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
  state.iceTimer?.clear()
  alive.delete(state)
  shares.leave(state.snapshot.accountId, self, state.held?.bytes ?? 0, state.weight)
  if (!state.over) state.peer.close(close.crashed.code, close.crashed.name)
  state.over = true
  for (const message of unread) {
    refuseStoredCommand(message)
    if (message.tell !== "command" || state.pending.has(message.id)) continue
    fail(message.waiter, new DaemonSocketLost({ commandId: message.id }))
  }
  failAll(context, state)
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
