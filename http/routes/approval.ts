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

/** `session`: the one that is addressed; undefined: the daemon picks, and it alone knows which prompt waits there. */
export const sendBoundToPrompt = (
  directory: Pick<Directory["Service"], "command">,
  command: Command,
  session?: SessionReport
): Effect.Effect<CommandAnswer, CommandFailure | PromptChanged> => {
  const promptId = promptOf(command)
  if (promptId === undefined) return directory.command(command)
  if (session !== undefined && waitsOnAnother(session, promptId)) return Effect.fail(new PromptChanged())
  return Effect.flatMap(directory.command(command), (answer) =>
    isPromptChanged(answer) ? Effect.fail(new PromptChanged()) : Effect.succeed(answer)
  )
}
