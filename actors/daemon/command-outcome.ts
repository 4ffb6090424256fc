/** How a command ends for its caller. Owns the call of who waits, and what is counted of it. */
import { Exit } from "effect"
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import { commandDurations, observe } from "../../src/runtime/histograms.ts"
import { count, sumOf } from "../../src/runtime/metrics.ts"
import type { Pending, Unanswered, Waiter } from "./pending-commands.ts"

const succeeded = sumOf("hub_commands_total", "succeeded")
const refused = sumOf("hub_commands_total", "refused")
const outcomes: Record<Unanswered["_tag"], "overloaded" | "timeout" | "lost"> = {
  Overloaded: "overloaded",
  CommandTimeout: "timeout",
  DaemonSocketLost: "lost"
}

/** Tells who waits for a command that there is no answer, and why. */
export const fail = (waiter: Waiter, failure: Unanswered): void => {
  count("hub_commands_total", outcomes[failure._tag])
  waiter(Exit.fail(failure))
}

/** Tells who waits for a command its answer. */
export const settle = ({ waiter }: Pending, answer: CommandAnswer): void => {
  if (answer.success) succeeded.sum++
  else refused.sum++
  observe(commandDurations[answer.success ? "succeeded" : "refused"], answer.durationMs / 1_000)
  waiter(Exit.succeed(answer))
}
