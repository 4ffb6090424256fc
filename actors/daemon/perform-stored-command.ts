/**
 * Performs what decide-stored-command.ts decides about commands whose results are kept. Owns no rule: the rows are
 * command-records.ts's, the socket is the peer's.
 */
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import { CommandTimeout, DaemonSocketLost, Overloaded } from "../../src/errors.ts"
import { lateResultMillisMax, timeoutRowMillisMax } from "../../src/limits/commands.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import type { CommandRecords } from "../command-records/command-records.ts"
import type { WorkerThread } from "../runtime/worker-thread.ts"
import { fail } from "./command-outcome.ts"
import { answerOfLarge } from "./decide-large-frame.ts"
import { commandCancel } from "./decide-stored-command.ts"
import type { Pending } from "./pending-commands.ts"
import type { Daemon, DaemonState } from "./state.ts"
import type { StoredCommandAction } from "./stored-command-messages.ts"

/** What it works with. */
export interface StoredCommandContext {
  readonly timers: Timers["Service"]
  readonly workerThread: WorkerThread["Service"]
  readonly records: CommandRecords["Service"]
}

const send = (
  state: DaemonState,
  { id, text, sent }: Extract<StoredCommandAction, { is: "send" }>,
  self: Daemon
): void => {
  const outcome = state.peer.send(text, true)
  if (outcome === "sent" || outcome === "buffered") return sent(undefined)
  state.kept.forget(id)
  if (outcome === "full") return sent(new Overloaded({ retryAfter: overloadRetrySeconds }))
  self.tell({ tell: "undelivered" })
  sent(new DaemonSocketLost({ commandId: id }))
}

const record = ({ records }: StoredCommandContext, state: DaemonState, answer: CommandAnswer, self: Daemon): void =>
  records.record(state.snapshot.daemonId, answer, (committed) => {
    if (committed) self.tell({ tell: "kept", of: { is: "recorded", id: answer.commandId } })
  })

const read = (
  context: StoredCommandContext,
  state: DaemonState,
  { id, bytes }: Extract<StoredCommandAction, { is: "read" }>,
  self: Daemon
): void => {
  const { accountId } = state.snapshot
  // not read: the daemon keeps a durable result, and sends it again when it comes back
  context.workerThread.put(accountId, { task: "frame", bytes }, (done) => {
    if (done?.done !== "frame") return
    const answer = answerOfLarge({ id }, 0, { frame: done.read, bytes: done.bytes })
    if (answer !== undefined) return record(context, state, answer, self)
    self.tell({ tell: "order", rule: close.frameInvalid, departure: "lost" })
  })
}

const timeOut = (
  { records, timers }: StoredCommandContext,
  state: DaemonState,
  { id, type, acceptedAt, waiter }: Pending
): void => {
  let told = false
  const tell = (kept: boolean): void => {
    if (told) return
    told = true
    timer.clear()
    fail(waiter, new CommandTimeout(kept ? { commandId: id, kept } : { commandId: id }))
  }
  const timer = timers.after(timeoutRowMillisMax, () => tell(false))
  const { epoch, plan, capabilities } = state
  const { accountId, daemonId } = state.snapshot
  const row = {
    commandId: id,
    accountId,
    daemonId,
    type,
    durable: false,
    cancellable: capabilities.has(commandCancel),
    epoch,
    createdAt: acceptedAt,
    deadlineAt: timers.now() + lateResultMillisMax
  }
  records.timedOut(row, plan, tell)
}

export const performStoredCommand = (
  context: StoredCommandContext,
  action: StoredCommandAction,
  state: DaemonState,
  self: Daemon
): void => {
  switch (action.is) {
    case "send":
      return send(state, action, self)
    case "refuse":
      return action.sent(action.failure)
    case "record":
      return record(context, state, action.answer, self)
    case "read":
      return read(context, state, action, self)
    case "timeOut":
      return timeOut(context, state, action.pending)
    case "reconcile":
      return context.records.reconnected(
        { daemonId: state.snapshot.daemonId, epoch: state.epoch, named: state.kept.started() },
        (id) => void self.tell({ tell: "kept", of: { is: "cancel", id } })
      )
  }
}

/** The connection is over. */
export const loseStoredCommand = ({ records }: StoredCommandContext, state: DaemonState): void => {
  for (const id of state.kept.end()) records.lose(state.snapshot.daemonId, id)
}
