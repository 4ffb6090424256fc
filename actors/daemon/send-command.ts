/**
 * Hands one command to a daemon of this node. Owns its frame and the bound on that, and of a command that outlives its
 * call the order: the row is committed, then the frame is sent; what was not sent leaves no row. The daemon actor owns
 * the deadline and the bounds on commands. Never sends a frame twice.
 */
import { Effect } from "effect"
import type { Command, CommandAnswer, CommandFailure, Start } from "../../src/domain/command/command.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { newId } from "../../src/domain/ids.ts"
import { DaemonSocketLost, Overloaded, PayloadTooLarge } from "../../src/errors.ts"
import { hubFrameBytesMax, overloadRetrySeconds } from "../../src/limits.ts"
import { encodeCommand } from "../../src/protocol/codec.ts"
import type { NewCommand } from "../../src/store/daemons/commands.ts"
import type { CommandRecords } from "../command-records/command-records.ts"
import type { Row, Unanswered, Waiter } from "./command-registry.ts"
import { commandCancel, durableCommands } from "./decide-command.ts"
import type { Daemon } from "./state.ts"

/** What commands are sent with. */
export interface Sending {
  readonly records: Pick<CommandRecords["Service"], "begin" | "withdraw">
  readonly now: () => number
}

const utf8BytesMax = 3

/** Whether a text is over a bound of bytes; measured only where its length leaves that open. */
const isOver = (text: string, bytesMax: number): boolean =>
  text.length > bytesMax || (text.length * utf8BytesMax > bytesMax && Buffer.byteLength(text) > bytesMax)

const tooLarge = new PayloadTooLarge({ limit: hubFrameBytesMax })

const refusal = ({ gone }: Daemon, commandId?: string): Unanswered =>
  gone
    ? new DaemonSocketLost(commandId === undefined ? {} : { commandId })
    : new Overloaded({ retryAfter: overloadRetrySeconds })

/** Sends it and waits at most `waitMs` for its answer. Interrupted, the wait ends and the late result is dropped. */
const call = (
  daemon: Daemon,
  { type, payload, payloadText, targetSessionId, trace, allowedMs, answering }: Command,
  waitMs: number,
  now: () => number
): Effect.Effect<CommandAnswer, Unanswered | PayloadTooLarge> =>
  Effect.callback((resume) => {
    const id = newId("command")
    const deadlineMs = Math.min(allowedMs ?? waitMs, waitMs)
    const text = encodeCommand({ id, type, payload, payloadText, targetSessionId, deadlineMs, waitMs, trace })
    if (isOver(text, hubFrameBytesMax)) return resume(Effect.fail(tooLarge))
    const pending = { id, type, answering, waiter: resume, row: undefined, acceptedAt: now(), timer: undefined }
    if (!daemon.tell({ type: "command", pending, text, millis: waitMs })) return resume(Effect.fail(refusal(daemon)))
    return Effect.sync(() => {
      daemon.tell({ type: "abandon", id })
    })
  })

type Started = Command & { readonly start: Start }
const outlivesCall = (command: Command): command is Started => command.start !== undefined

const frameOf = ({ start, type, payload, payloadText, targetSessionId, trace }: Started, durable: boolean): string => {
  const { commandId: id, deadlineMs } = start
  const text = encodeCommand({ id, type, payload, payloadText, targetSessionId, deadlineMs, trace })
  return durable ? `${text.slice(0, -"}}".length)},"durable":true}}` : text
}

/** Begins the row of a command and sends it. The answer says that it was sent. */
const start = (
  { records, now }: Sending,
  { snapshot, daemon }: { readonly snapshot: Snapshot; readonly daemon: Daemon },
  asked: Started
): Effect.Effect<CommandAnswer, CommandFailure> =>
  Effect.suspend((): Effect.Effect<CommandAnswer, CommandFailure> => {
    const { commandId, createdAt, deadlineMs, said } = asked.start
    const { type } = asked
    const { accountId, daemonId, epoch, capabilities = [] } = snapshot
    const durable = capabilities.includes(durableCommands)
    const text = frameOf(asked, durable)
    if (isOver(text, hubFrameBytesMax)) return Effect.fail(tooLarge)
    const cancellable = capabilities.includes(commandCancel)
    const deadlineAt = createdAt + deadlineMs
    const about = { commandId, accountId, daemonId, type, ...(said !== undefined && { said }) }
    const row: NewCommand = { ...about, durable, cancellable, epoch, createdAt, deadlineAt }
    const acceptedAt = now()
    const send = Effect.callback<CommandAnswer, Unanswered>((resume) => {
      const to: Row = { durable, until: deadlineAt }
      const waiter: Waiter = resume
      const { answering } = asked
      const pending = { id: commandId, type, answering, waiter, row: to, acceptedAt, timer: undefined }
      if (daemon.tell({ type: "command", pending, text, millis: deadlineMs })) return
      resume(Effect.fail(refusal(daemon, commandId)))
    })
    // a caller that gives up in between leaves no row whose frame was never sent
    return Effect.uninterruptible(
      Effect.andThen(
        records.begin(row),
        Effect.tapError(send, () => records.withdraw(row))
      )
    )
  })

/** Sends a command: one that outlives its call is answered once it is sent, another by its result within `waitMs`. */
export const sendCommand = (
  sending: Sending,
  to: { readonly snapshot: Snapshot; readonly daemon: Daemon },
  command: Command,
  waitMs: number
): Effect.Effect<CommandAnswer, CommandFailure> =>
  outlivesCall(command) ? start(sending, to, command) : call(to.daemon, command, waitMs, sending.now)
