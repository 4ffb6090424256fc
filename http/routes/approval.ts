/**
 * Sends a command; one that resolves a prompt by its id only while that prompt waits. Owns the two places where that is
 * found out: the last report, before anything is sent, and the daemon's answer.
 */
import { Effect } from "effect"
import type { Directory } from "../../actors/commands/directory.ts"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import { forDaemon, isPromptChanged, promptOf, waitsOn } from "../../src/domain/command/prompt.ts"
import { PromptChanged } from "../../src/errors.ts"
import type { SessionReport } from "../../src/protocol/frames.ts"

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
    (answer) => (isPromptChanged(answer) ? Effect.fail(new PromptChanged()) : Effect.succeed(answer))
  )
}
