/**
 * How a call sends a command: whether it waits for the answer or for the row alone (`Prefer`, `timeoutSeconds`), and
 * that one which resolves a prompt by its id is sent only while that prompt waits. Owns the two places where the latter
 * is found out, the last report and the daemon's answer; command-answer.ts encodes what comes back.
 */
import { Effect, Result } from "effect"
import type { Directory } from "../../actors/commands/directory.ts"
import type { StoredCommands } from "../../actors/commands/stored-commands.ts"
import { alreadyResolved } from "../../actors/daemon/prompt-answers.ts"
import { type Principal, programCredentialOf } from "../../src/domain/account/principal.ts"
import type { Answerer } from "../../src/domain/approval/answered.ts"
import { mayBeStored } from "../../src/domain/command/chat-content.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { forDaemon, isPromptChanged, promptOf, waitsOn } from "../../src/domain/command/prompt.ts"
import { type CommandLimitReached, invalid, PromptChanged, type ValidationFailed } from "../../src/errors.ts"
import { commandAnswerMillis, commandSecondsMax, commandWaitSecondsMax } from "../../src/limits/commands.ts"
import type { CommandType, SessionReport } from "../../src/protocol/frames.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
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

/** Who acts, as the answer of a question names it. */
const answererOf = (principal: Principal): Answerer => {
  const program = programCredentialOf(principal)
  if (program !== undefined) return { kind: "key", id: program }
  const { person, credential } = principal
  const id = person ?? (credential.kind === "session" ? credential.sessionId : undefined)
  return { kind: "person", ...(id !== undefined && { id }) }
}

/** The same command, with who answers; any other command as it is. */
export const answeredBy = (principal: Principal, command: Command, session?: SessionReport): Command => {
  const { type, payload } = command
  if (type !== "resolve_action" || !isRecord(payload)) return command
  const by = answererOf(principal)
  const decision = typeof payload["action"] === "string" ? payload["action"] : String(payload["optionId"])
  const sessionId = session?.id ?? command.targetSessionId
  return {
    ...command,
    payload: { ...payload, by: by.kind },
    answering: { sessionId, promptId: promptOf(command), by, decision }
  }
}

/** The command as it is sent; fails where the last report has another prompt of its session than the one it names. */
export const checkPrompt = (command: Command, session?: SessionReport): Effect.Effect<Command, PromptChanged> => {
  const promptId = promptOf(command)
  if (promptId === undefined) return Effect.succeed(command)
  return session !== undefined && waitsOn(session, promptId)
    ? Effect.succeed(forDaemon(command))
    : Effect.fail(new PromptChanged())
}

/** `session`: the one that is addressed. */
export const sendBoundToPrompt = (
  directory: Pick<Directory["Service"], "command">,
  command: Command,
  session?: SessionReport
): Effect.Effect<CommandAnswer, CommandFailure | PromptChanged> => {
  if (promptOf(command) === undefined) return directory.command(command)
  return Effect.flatMap(
    Effect.flatMap(checkPrompt(command, session), (sent) => directory.command(sent)),
    (answer) =>
      isPromptChanged(answer) || answer.code === alreadyResolved
        ? Effect.fail(new PromptChanged())
        : Effect.succeed(answer)
  )
}
