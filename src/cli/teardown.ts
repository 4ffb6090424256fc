/** How the process ends once its command has. Owns the exit code of what was interrupted or threw; runs nothing. */
import { Cause, Exit, type Runtime } from "effect"
import { endPrepared } from "../store/embedded/prepared-worker.ts"
import { sentence } from "./failure-sentence.ts"
import { printError } from "./print.ts"
import { ownExitCode } from "./signals.ts"

const interrupted = 130
const failed = 1

const codeOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return Number(exit.value)
  const own = ownExitCode()
  if (own !== undefined) return own
  if (Cause.hasInterruptsOnly(exit.cause)) return interrupted
  printError(`hub: ${sentence(exit.cause)}`)
  return failed
}

/** Ends the process: what is left over now (a kept-alive connection, a lookup) is not waited for. */
export const teardown: Runtime.Teardown = (exit) => {
  const code = codeOf(exit)
  void endPrepared().then(() => process.exit(code))
}
