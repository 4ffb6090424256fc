/**
 * Sends a command; one that resolves a prompt by its id only while that prompt waits. Owns the two places where that is
 * found out: the last report, before anything is sent, and the daemon's answer.
 */
import { Effect } from "effect"
import type { Directory } from "../../actors/commands/directory.ts"
import { alreadyResolved } from "../../actors/daemon/prompt-answers.ts"
import { type Principal, programOf } from "../../src/domain/account/principal.ts"
import type { Answerer } from "../../src/domain/approval/answered.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { forDaemon, isPromptChanged, promptOf, waitsOn } from "../../src/domain/command/prompt.ts"
import { PromptChanged } from "../../src/errors.ts"
import type { SessionReport } from "../../src/protocol/frames.ts"
import { isRecord } from "../../src/protocol/is-record.ts"

/** Who acts, as the answer of a question names it. */
const answererOf = (principal: Principal): Answerer => {
  const program = programOf(principal)
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
