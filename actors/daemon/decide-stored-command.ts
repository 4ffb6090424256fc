/**
 * What a daemon actor does about commands whose results are kept: sends them once, has results stored, acknowledges
 * what is committed. Owns those turns; command-records.ts owns the rows.
 */
import { isId } from "../../src/domain/ids.ts"
import { DaemonSocketLost, Overloaded } from "../../src/errors.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import type { CommandResult } from "../../src/protocol/frames.ts"
import type { Pending } from "./pending-commands.ts"
import type { DaemonAction, DaemonMessage, DaemonState } from "./state.ts"
import type { StoredCommandAction, StoredCommandMessage } from "./stored-command-messages.ts"

/** The capability of a daemon that keeps commands over its connections. */
export const durableCommands = "durable_commands"
/** The capability of a daemon that can end a command. */
export const commandCancel = "command_cancel"

const kept = (of: StoredCommandAction): ReadonlyArray<DaemonAction> => [{ do: "kept", of }]
const nothing: ReadonlyArray<DaemonAction> = []

/** Of what a daemon names in its `auth`, what is a durable command. */
export const namedCommands = (
  capabilities: ReadonlyArray<string> | undefined,
  commands: ReadonlyArray<string> | undefined
): ReadonlyArray<string> =>
  capabilities?.includes(durableCommands) === true ? (commands ?? []).filter((id) => isId("command", id)) : []

/** The turn of such a message. */
export const decideStoredCommand = (state: DaemonState, message: StoredCommandMessage): ReadonlyArray<DaemonAction> => {
  const { id } = message
  if (message.is === "start") {
    const { text, durable, deadlineAt, sent, now } = message
    return state.kept.start(id, durable, deadlineAt, now)
      ? kept({ is: "send", id, text, sent })
      : kept({ is: "refuse", sent, failure: new Overloaded({ retryAfter: overloadRetrySeconds }) })
  }
  if (message.is === "cancel") {
    if (!state.capabilities.has(commandCancel)) return nothing
    return [{ do: "send", text: encodeFrame({ type: "command_cancel", data: { id } }) }]
  }
  state.kept.forget(id)
  if (!state.capabilities.has(durableCommands)) return nothing
  return [{ do: "send", text: encodeFrame({ type: "result_ack", data: { ids: [id] } }) }]
}

/** A message to a connection that is over. */
export const refuseStoredCommand = (message: DaemonMessage): void => {
  if (message.tell === "kept" && message.of.is === "start") {
    message.of.sent(new DaemonSocketLost({ commandId: message.of.id }))
  }
}

/** Nobody waits for this result, but its row may. Undefined: nor does a row. */
export const recordResult = (state: DaemonState, result: CommandResult): ReadonlyArray<DaemonAction> | undefined => {
  const { id: commandId, success, result: said, error, code } = result
  // one that is sent again after its acknowledgement was lost is acknowledged again
  const mayBeOurs = state.capabilities.has(durableCommands) && isId("command", commandId)
  if (!state.kept.has(commandId) && !mayBeOurs) return undefined
  const words = { ...(error === undefined ? {} : { error }), ...(code === undefined ? {} : { code }) }
  return kept({ is: "record", answer: { commandId, success, result: said, durationMs: 0, ...words } })
}

/** The same of a large one, which must be one that a row waits for. */
export const recordLarge = (
  state: DaemonState,
  id: string,
  bytes: Uint8Array
): ReadonlyArray<DaemonAction> | undefined => (state.kept.has(id) ? kept({ is: "read", id, bytes }) : undefined)

/** The deadline of a call passed: its result may still come, and has a row then. */
export const timeOut = (state: DaemonState, pending: Pending): ReadonlyArray<DaemonAction> => {
  state.kept.late(pending.id)
  return kept({ is: "timeOut", pending })
}

/** The daemon has the connection. */
export const reconcile: ReadonlyArray<DaemonAction> = kept({ is: "reconcile" })
