/**
 * Encodes a daemon's answer to a command for the caller. Owns the shapes of success and refusal, and which answers the
 * worker thread encodes. Sends nothing.
 */
import { Effect, Result } from "effect"
import type { WorkerThread } from "../../actors/runtime/worker-thread.ts"
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import { type TerminalResult, terminalResult } from "../../src/domain/command/terminal.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import { LargeResult } from "../../src/protocol/large-frame.ts"
import type { WorkerTask } from "../../src/runtime/worker/tasks.ts"
import { type Answer, jsonBytes } from "../pipeline/response.ts"

/** The daemon refused, or its answer cannot be parsed. Status 200 in both cases, because the hub is not at fault. */
export interface RefusedCommand {
  readonly success: false
  readonly error: string
  readonly daemonCode?: string
  readonly result?: TerminalResult
  readonly commandId: string
  readonly durationMs: number
}

/** What a terminal command had printed before it was ended. */
const printed = ({ success, result }: CommandAnswer): Pick<RefusedCommand, "result"> =>
  !success && isRecord(result) && (typeof result["stdout"] === "string" || typeof result["stderr"] === "string")
    ? { result: terminalResult(result) }
    : {}

const refusalWith = (answer: CommandAnswer, error: string, daemonCode: string | undefined): RefusedCommand => ({
  success: false,
  error,
  ...(daemonCode === undefined ? {} : { daemonCode }),
  ...printed(answer),
  commandId: answer.commandId,
  durationMs: answer.durationMs
})

/** A refusal as its caller is told. */
export const refusalOf = (answer: CommandAnswer): RefusedCommand =>
  refusalWith(answer, answer.error ?? "The daemon refused the command.", answer.code)

/** A success with the daemon's result unchanged, or a refusal. JSON leaves out what the daemon did not send. */
export const encodeCommand = (answer: CommandAnswer) => {
  if (!answer.success) return refusalOf(answer)
  const { result, commandId, durationMs } = answer
  if (!(result instanceof LargeResult)) return { success: true as const, result, commandId, durationMs }
  const tail = Buffer.from(`,"commandId":"${commandId}","durationMs":${durationMs}}`)
  const { bytes, release } = result.between(resultHead, tail)
  return jsonBytes(bytes, [], release)
}

const resultHead = Buffer.from('{"success":true,"result":')

/** The result of an answer that must be an object. */
export const resultMembers = (
  answer: CommandAnswer
): Result.Result<Readonly<Record<string, unknown>>, RefusedCommand> => {
  if (!answer.success) return Result.fail(refusalOf(answer))
  return isRecord(answer.result) ? Result.succeed(answer.result) : Result.fail(unreadable(answer))
}

const unreadable = (answer: CommandAnswer): RefusedCommand =>
  refusalWith(answer, "The daemon's answer cannot be read.", "RESULT_INVALID")

const bytesOf = (result: unknown): Uint8Array =>
  result instanceof LargeResult ? result.bytes : new Uint8Array(Buffer.from(JSON.stringify(result) ?? "null"))

/** Encodes a shortcut's answer in the worker thread: the result is too large, or too expensive, for the event loop. */
export const encodeInWorker = (
  { ask }: WorkerThread["Service"],
  accountId: string,
  answer: CommandAnswer,
  task: Extract<WorkerTask, { readonly carried: object }>["task"],
  snapshot?: Readonly<Record<string, unknown>>
): Effect.Effect<RefusedCommand | Answer> => {
  if (!answer.success) return Effect.succeed(refusalOf(answer))
  const asked = { task, bytes: bytesOf(answer.result), carried: commonMembers(answer), snapshot }
  return Effect.map(ask(accountId, asked), (done) => {
    if (done?.done === "answer") return jsonBytes(done.bytes)
    return done === undefined
      ? refusalWith(
          answer,
          "The daemon's answer was not read: too many large ones of this account wait.",
          "RESULT_NOT_READ"
        )
      : unreadable(answer)
  })
}

/** The members of every answer to a command. */
export const commonMembers = ({ commandId, durationMs }: CommandAnswer) => ({
  success: true as const,
  commandId,
  durationMs
})
