/**
 * Sends a command; one that resolves a prompt by its id only while no other prompt waits. Owns the two places where
 * that is found out: the last report, before anything is sent, and the daemon's answer.
 */
import { Effect } from "effect"
import type { Directory } from "../../actors/commands/directory.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { isPromptChanged, promptOf, waitsOnAnother } from "../../src/domain/command/prompt.ts"
import { PromptChanged } from "../../src/errors.ts"
import type { SessionReport } from "../../src/protocol/frames.ts"

/** Fails where the last report says that another prompt waits than the one the command is to resolve. */
export const checkPrompt = (command: Command, session?: SessionReport): Effect.Effect<void, PromptChanged> => {
  const promptId = promptOf(command)
  const isAnother = promptId !== undefined && session !== undefined && waitsOnAnother(session, promptId)
  return isAnother ? Effect.fail(new PromptChanged()) : Effect.void
}

/** `session`: the one that is addressed; undefined: the daemon picks, and it alone knows which prompt waits there. */
export const sendBoundToPrompt = (
  directory: Pick<Directory["Service"], "command">,
  command: Command,
  session?: SessionReport
): Effect.Effect<CommandAnswer, CommandFailure | PromptChanged> => {
  if (promptOf(command) === undefined) return directory.command(command)
  const answered = Effect.andThen(checkPrompt(command, session), directory.command(command))
  return Effect.flatMap(answered, (answer) =>
    isPromptChanged(answer) ? Effect.fail(new PromptChanged()) : Effect.succeed(answer)
  )
}
