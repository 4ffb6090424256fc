/**
 * What a caller wishes of a command: to wait for its answer, or for its row alone. Owns the reading of `Prefer` and
 * `timeoutSeconds`, and the answer 202; sends nothing itself.
 */
import { Effect, Result } from "effect"
import type { StoredCommands } from "../../actors/commands/stored-commands.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { mayBeStored } from "../../src/domain/command/chat-content.ts"
import type { Command, CommandFailure } from "../../src/domain/command/command.ts"
import { type CommandLimitReached, invalid, type ValidationFailed } from "../../src/errors.ts"
import { commandAnswerMillis, commandSecondsMax, commandWaitSecondsMax } from "../../src/limits/commands.ts"
import type { CommandType } from "../../src/protocol/frames.ts"
import { commandPath } from "../api/command-path.ts"
import { type Answer, json } from "../pipeline/response.ts"
import { recordOf } from "./command-record.ts"

/** What a caller wishes. */
export interface CommandPreference {
  /** It does not wait. */
  readonly async: boolean
  readonly seconds: number | undefined
}

/** What a call says of it. */
export interface PreferenceInput {
  readonly headers: { readonly prefer?: string }
  readonly payload: { readonly timeoutSeconds?: number }
}

/** Waits as ever. */
const plain: Result.Result<CommandPreference, never> = Result.succeed({ async: false, seconds: undefined })

const asksAsync = (prefer: string | undefined): boolean =>
  prefer?.split(",").some((word) => word.split(";")[0]!.trim().toLowerCase() === "respond-async") === true

/** Reads it. `waitMillisMax`: the operator's bound of a call that waits. Who asks for a chat waits for it. */
export const readPreference = (
  { headers, payload }: PreferenceInput,
  waitMillisMax: number,
  type: CommandType
): Result.Result<CommandPreference, ValidationFailed> => {
  const seconds = payload.timeoutSeconds
  if (headers.prefer === undefined && seconds === undefined) return plain
  const mayBeAsync = mayBeStored(type)
  const async = mayBeAsync && asksAsync(headers.prefer)
  const max = async ? commandSecondsMax : Math.max(commandWaitSecondsMax, Math.floor(waitMillisMax / 1_000))
  if (seconds !== undefined && !(Number.isInteger(seconds) && seconds >= 1 && seconds <= max)) {
    const message = `Expected a whole number from 1 to ${max}${async || !mayBeAsync ? "" : ", or Prefer: respond-async"}`
    return Result.fail(invalid("timeoutSeconds", message))
  }
  return Result.succeed({ async, seconds })
}

/** How long a command may take, and how long its call waits. */
export const deadlineOf = ({ seconds }: CommandPreference): Pick<Command, "allowedMs" | "deadlineMs"> =>
  seconds === undefined ? {} : { allowedMs: seconds * 1_000, deadlineMs: seconds * 1_000 + commandAnswerMillis }

/** Sends a command whose caller does not wait. */
export const startAsync = (
  stored: StoredCommands["Service"],
  { plan }: Principal,
  command: Command,
  { seconds = commandSecondsMax }: CommandPreference
): Effect.Effect<Answer, CommandFailure | CommandLimitReached> =>
  Effect.map(stored.start(command, plan, seconds * 1_000), (started) => {
    const { accountId, daemonId, type } = command
    const record = recordOf({
      ...started,
      accountId,
      daemonId,
      type,
      state: "pending",
      cancellable: false,
      cancelAt: undefined,
      finishedAt: undefined,
      omitted: undefined,
      error: undefined,
      code: undefined
    })
    return json(202, record, [
      ["location", commandPath(started.commandId)],
      ["preference-applied", "respond-async"]
    ])
  })
