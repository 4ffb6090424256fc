/**
 * Starts a command that outlives its call, on a daemon of this node. Owns the order: the row is committed, then the
 * frame is sent, once; what was not sent leaves no row. Waits for no result.
 */
import { Effect } from "effect"
import type { Command, CommandAnswer, CommandFailure, Start } from "../../src/domain/command/command.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { DaemonSocketLost, Overloaded, PayloadTooLarge } from "../../src/errors.ts"
import { hubFrameBytesMax, overloadRetrySeconds } from "../../src/limits.ts"
import { encodeCommand } from "../../src/protocol/codec.ts"
import type { NewCommand } from "../../src/store/daemons/commands.ts"
import type { CommandRecords } from "../command-records/command-records.ts"
import { commandCancel, durableCommands } from "./decide-stored-command.ts"
import type { Unanswered } from "./pending-commands.ts"
import { isOver } from "./send-command.ts"
import type { Daemon } from "./state.ts"

/** What commands are started with. */
export interface Starting {
  readonly records: Pick<CommandRecords["Service"], "begin" | "withdraw">
  readonly now: () => number
}

/** Asks for a command, once it is known that it outlives its call. */
export type StartAsked = Command & { readonly start: Start }

/** Whether it is such a command. */
export const outlives = (asked: Command): asked is StartAsked => asked.start !== undefined

const frameOf = (
  { start, type, payload, payloadText, targetSessionId, trace }: StartAsked,
  durable: boolean
): string => {
  const { commandId: id, deadlineMs } = start
  const text = encodeCommand({ id, type, payload, payloadText, targetSessionId, deadlineMs, trace })
  return durable ? `${text.slice(0, -"}}".length)},"durable":true}}` : text
}

const sent = (
  daemon: Daemon,
  { commandId: id, durable, deadlineAt }: NewCommand,
  text: string,
  now: number
): Effect.Effect<void, Unanswered> =>
  Effect.callback((resume) => {
    const sent = (failure: Unanswered | undefined): void => resume(failure ? Effect.fail(failure) : Effect.void)
    if (daemon.tell({ tell: "kept", of: { is: "start", id, text, durable, deadlineAt, sent, now } })) return
    sent(daemon.gone ? new DaemonSocketLost({ commandId: id }) : new Overloaded({ retryAfter: overloadRetrySeconds }))
  })

/** Starts it. The answer says that it was sent. */
export const startCommand = (
  { records, now }: Starting,
  { snapshot, daemon }: { readonly snapshot: Snapshot; readonly daemon: Daemon },
  asked: StartAsked
): Effect.Effect<CommandAnswer, CommandFailure> =>
  Effect.suspend((): Effect.Effect<CommandAnswer, CommandFailure> => {
    const { commandId, createdAt, deadlineMs } = asked.start
    const { accountId, daemonId, epoch, capabilities = [] } = snapshot
    const durable = capabilities.includes(durableCommands)
    const text = frameOf(asked, durable)
    if (isOver(text, hubFrameBytesMax)) return Effect.fail(new PayloadTooLarge({ limit: hubFrameBytesMax }))
    const row: NewCommand = {
      commandId,
      accountId,
      daemonId,
      type: asked.type,
      durable,
      cancellable: capabilities.includes(commandCancel),
      epoch,
      createdAt,
      deadlineAt: createdAt + deadlineMs
    }
    const send = Effect.tapError(sent(daemon, row, text, now()), () => records.withdraw(row))
    // a caller that gives up in between leaves no row whose frame was never sent
    return Effect.uninterruptible(
      Effect.as(Effect.andThen(records.begin(row), send), { commandId, success: true, durationMs: 0 })
    )
  })
