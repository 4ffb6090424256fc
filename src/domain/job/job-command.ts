/**
 * The command that a job sends. Owns which commands may be sent to many daemons, and reads them by the rules of single
 * ones; sends nothing.
 */
import { Result } from "effect"
import { type Issue, type PayloadTooLarge, ValidationFailed } from "../../errors.ts"
import { readRawCommand } from "../command/raw-command.ts"
import { readTerminal } from "../command/terminal.ts"
import { type JobType, jobTypes } from "./job.ts"

export interface JobCommand {
  readonly type: JobType
  readonly payload: Readonly<Record<string, unknown>>
}

type Payload = Readonly<Record<string, unknown>>
type Read = Result.Result<JobCommand, ValidationFailed | PayloadTooLarge>

const wrong = (...issues: ReadonlyArray<Issue>): Result.Result<never, ValidationFailed> =>
  Result.fail(new ValidationFailed({ issues }))

const isType = (given: string): given is JobType => (jobTypes as ReadonlyArray<string>).includes(given)

const readTerminalPayload = ({ command, name, cwd }: Payload): Read => {
  const texts = { command, ...(name != null && { name }), ...(cwd != null && { cwd }) }
  const issues = Object.entries(texts).flatMap(([key, value]) =>
    typeof value === "string" ? [] : [{ path: `payload.${key}`, message: "Expected a text" }]
  )
  if (issues.length > 0) return wrong(...issues)
  const read = readTerminal(texts as { readonly command: string })
  if (Result.isSuccess(read)) return Result.succeed({ type: "terminal_exec", payload: { ...read.success } })
  return wrong(...read.failure.issues.map(({ path, message }) => ({ path: `payload.${path}`, message })))
}

/** Reads it. A session or a prompt is one daemon's: neither can be named. */
export const readJobCommand = (given: string, payload: Payload): Read => {
  if (!isType(given)) return wrong({ path: "type", message: `Expected one of ${jobTypes.join(", ")}` })
  const named = ["targetSessionId", "promptId"].filter((key) => payload[key] != null)
  if (named.length > 0) {
    return wrong(
      ...named.map((key) => ({ path: `payload.${key}`, message: "A job is for daemons, not for one session" }))
    )
  }
  if (given === "terminal_exec") return readTerminalPayload(payload)
  return Result.map(readRawCommand(given, payload), ({ payload }) => ({ type: given, payload }))
}
