/**
 * Performs what decide-command.ts decides, and ends the commands of a connection that is over. Owns the call of who
 * waits and what is counted of it, and no rule: the rows are command-records.ts's, the socket is the peer's.
 */
import { Exit } from "effect"
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import { CommandTimeout, DaemonSocketLost, Overloaded } from "../../src/errors.ts"
import { lateResultMillisMax, timeoutRowMillisMax } from "../../src/limits/commands.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { close } from "../../src/protocol/close.ts"
import { bufferPool } from "../../src/runtime/buffer-pool.ts"
import { commandDurations, observe } from "../../src/runtime/histograms.ts"
import { count, sumOf } from "../../src/runtime/metrics.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import type { TaskResult } from "../../src/runtime/worker/tasks.ts"
import type { CommandRecords } from "../command-records/command-records.ts"
import type { WorkerThread } from "../runtime/worker-thread.ts"
import type { Pending, Unanswered } from "./command-registry.ts"
import { answerOfLarge, commandCancel, noteAnswer } from "./decide-command.ts"
import type { CommandAction, Daemon, DaemonState } from "./state.ts"

/** What it works with. */
export interface CommandContext {
  readonly timers: Timers["Service"]
  /** The rows of commands whose results are kept. */
  readonly records: CommandRecords["Service"]
  /** Where large frames are read. */
  readonly workerThread: WorkerThread["Service"]
}

type ActionOf<T extends CommandAction["do"]> = Extract<CommandAction, { readonly do: T }>

const succeeded = sumOf("hub_commands_total", "succeeded")
const refused = sumOf("hub_commands_total", "refused")
const outcomes: Record<Unanswered["_tag"], "overloaded" | "timeout" | "lost"> = {
  Overloaded: "overloaded",
  CommandTimeout: "timeout",
  DaemonSocketLost: "lost"
}

/** Tells who waits for a command that there is no answer, and why. */
const fail = ({ waiter, row }: Pending, failure: Unanswered): void => {
  // what has a row is counted where that ends
  if (row === undefined) count("hub_commands_total", outcomes[failure._tag])
  waiter(Exit.fail(failure))
}

const settle = ({ waiter, timer }: Pending, answer: CommandAnswer): void => {
  timer?.clear()
  if (answer.success) succeeded.sum++
  else refused.sum++
  observe(commandDurations[answer.success ? "succeeded" : "refused"], answer.durationMs / 1_000)
  waiter(Exit.succeed(answer))
}

// Made out here: a closure within `send` would cost every command, as what it captures is allocated on entry.
const expiring =
  (self: Daemon, { id }: Pending) =>
  (): void =>
    void self.tell({ type: "expire", id })

/** Sends a command and sees to its deadline; without room it is refused, as if it had never been accepted. */
const send = (
  { timers }: CommandContext,
  state: DaemonState,
  { text, pending, millis }: ActionOf<"command">,
  self: Daemon
): void => {
  const { id, row } = pending
  const outcome = state.peer.send(text, true)
  if (outcome === "full" || outcome === "dropped") {
    if (row === undefined) state.commands.take(id)
    else state.commands.forgetRow(id)
    state.answers?.settled(id, false)
    if (outcome === "full") return fail(pending, new Overloaded({ retryAfter: overloadRetrySeconds }))
    self.tell({ type: "undelivered" })
    fail(pending, new DaemonSocketLost({ commandId: id }))
  } else if (row === undefined) pending.timer = timers.after(millis, expiring(self, pending))
  else pending.waiter(Exit.succeed({ commandId: id, success: true, durationMs: 0 }))
}

const record = ({ records }: CommandContext, state: DaemonState, answer: CommandAnswer, self: Daemon): void =>
  records.record(state.snapshot.daemonId, answer, (committed) => {
    if (committed) self.tell({ type: "recorded", id: answer.commandId })
  })

/** Puts a large frame to be read; where too much of its account waits, it is let go of. */
const putFrame = (
  { workerThread }: CommandContext,
  accountId: string,
  bytes: Uint8Array,
  done: (done: TaskResult | undefined) => void
): boolean => {
  const isPut = workerThread.put(accountId, { task: "frame", bytes }, done)
  if (!isPut) bufferPool.giveBack(bytes.buffer as ArrayBuffer)
  return isPut
}

const frameOf = (done: TaskResult | undefined) =>
  done?.done === "frame" ? { frame: done.read, bytes: done.bytes } : undefined

/**
 * Puts a large result to be read, and settles its command with what comes of that. Not a child: a result that has come
 * answers its command, also when the socket ends meanwhile.
 */
const check = (
  context: CommandContext,
  { pending, bytes, durationMs }: ActionOf<"check">,
  state: DaemonState,
  self: Daemon
): void => {
  pending.timer?.clear()
  const settled = (done: TaskResult | undefined): void => {
    const answer = answerOfLarge(pending.id, durationMs, frameOf(done))
    if (answer !== undefined) {
      noteAnswer(state, pending.id, answer)
      return settle(pending, answer)
    }
    fail(pending, new DaemonSocketLost({ commandId: pending.id }))
    self.tell({ type: "order", rule: close.frameInvalid, departure: "lost" })
  }
  if (!putFrame(context, state.snapshot.accountId, bytes, settled)) settled(undefined)
}

/** The same for a row. Not read: the daemon keeps a durable result, and sends it again when it comes back. */
const read = (
  context: CommandContext,
  state: DaemonState,
  { id, bytes, durable }: ActionOf<"read">,
  self: Daemon
): void => {
  const settled = (done: TaskResult | undefined): void => {
    const frame = frameOf(done)
    if (frame === undefined && durable) return
    const answer = answerOfLarge(id, 0, frame)
    if (answer !== undefined) {
      noteAnswer(state, id, answer)
      return record(context, state, answer, self)
    }
    self.tell({ type: "order", rule: close.frameInvalid, departure: "lost" })
  }
  if (!putFrame(context, state.snapshot.accountId, bytes, settled)) settled(undefined)
}

/** Makes a row for a timed-out call, then tells its caller. */
const timeOut = ({ records, timers }: CommandContext, state: DaemonState, pending: Pending): void => {
  const { id, type, acceptedAt } = pending
  let told = false
  const tell = (kept: boolean): void => {
    if (told) return
    told = true
    timer.clear()
    fail(pending, new CommandTimeout(kept ? { commandId: id, kept } : { commandId: id }))
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

export const performCommand = (
  context: CommandContext,
  action: CommandAction,
  state: DaemonState,
  self: Daemon
): void => {
  switch (action.do) {
    case "command":
      return send(context, state, action, self)
    case "settle":
      return settle(action.pending, action.answer)
    case "fail":
      return fail(action.pending, action.failure)
    case "unwatch":
      action.timer?.clear()
      count("hub_commands_total", "cancelled")
      return
    case "check":
      return check(context, action, state, self)
    case "record":
      return record(context, state, action.answer, self)
    case "read":
      return read(context, state, action, self)
    case "timeOut":
      return timeOut(context, state, action.pending)
    case "reconcile":
      return context.records.reconnected(
        { daemonId: state.snapshot.daemonId, epoch: state.epoch, named: state.commands.withRows() },
        (id) => void self.tell({ type: "cancel", id })
      )
    case "failAll":
      return failAll(context, state)
  }
}

/** The connection is over: who waits is told, and rows end that can have no result. */
const failAll = ({ records }: CommandContext, { snapshot, commands }: DaemonState): void => {
  for (const id of commands.takeLost()) records.lose(snapshot.daemonId, id)
  for (let next = commands.takeOldest(); next !== undefined; next = commands.takeOldest()) {
    next.timer?.clear()
    fail(next, new DaemonSocketLost({ commandId: next.id }))
  }
}

/** The actor ended: no caller is left waiting, nor one whose command it had not taken yet. */
export const endCommands = (context: CommandContext, state: DaemonState, unread: ReadonlyArray<Pending>): void => {
  for (const pending of unread) {
    if (pending.row !== undefined || !state.commands.has(pending.id)) {
      fail(pending, new DaemonSocketLost({ commandId: pending.id }))
    }
  }
  failAll(context, state)
}
