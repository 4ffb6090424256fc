/**
 * What a daemon's answer to a command becomes for the caller. Owns the shape of done and refused, and what of it is
 * made off the loop; sends nothing.
 */
import { Effect, Result } from "effect"
import type { OffLoop } from "../../actors/runtime/worker-jobs.ts"
import { isRecord } from "../../src/domain/command/chat.ts"
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import { LargeResult } from "../../src/protocol/large-result.ts"
import type { Job } from "../../src/runtime/worker/jobs.ts"
import { type Answer, jsonBytes } from "../pipeline/response.ts"

/** The daemon refused, or answered what cannot be read: 200 either way, as the hub is not at fault. */
export interface RefusedCommand {
  readonly success: false
  readonly error: string
  readonly daemonCode?: string
  readonly commandId: string
  readonly durationMs: number
}

const refusalWith = (answer: CommandAnswer, error: string, daemonCode: string | undefined): RefusedCommand => ({
  success: false,
  error,
  ...(daemonCode === undefined ? {} : { daemonCode }),
  commandId: answer.commandId,
  durationMs: answer.durationMs
})

const refusal = (answer: CommandAnswer): RefusedCommand =>
  refusalWith(answer, answer.error ?? "The daemon refused the command.", answer.code)

/**
 * Done, with what the daemon sent as it is; or refused. What it did not send is not written: JSON knows no undefined.
 */
export const encodeCommand = (answer: CommandAnswer) => {
  if (!answer.success) return refusal(answer)
  const { result, commandId, durationMs } = answer
  if (!(result instanceof LargeResult)) return { success: true as const, result, commandId, durationMs }
  const tail = `,"commandId":"${commandId}","durationMs":${durationMs}}`
  return jsonBytes(Buffer.concat([resultHead, result.bytes, Buffer.from(tail)]))
}

const resultHead = Buffer.from('{"success":true,"result":')

/** The members of the result, where only an object will do. */
export const resultMembers = (
  answer: CommandAnswer
): Result.Result<Readonly<Record<string, unknown>>, RefusedCommand> => {
  if (!answer.success) return Result.fail(refusal(answer))
  return isRecord(answer.result) ? Result.succeed(answer.result) : Result.fail(unreadable(answer))
}

const unreadable = (answer: CommandAnswer): RefusedCommand =>
  refusalWith(answer, "The daemon's answer cannot be read.", "RESULT_INVALID")

const bytesOf = (result: unknown): Uint8Array =>
  result instanceof LargeResult ? result.bytes : new Uint8Array(Buffer.from(JSON.stringify(result) ?? "null"))

/** An answer of a shortcut made off the loop, from a result that is too large or too dear to be read on it. */
export const encodeOffLoop = (
  { ask }: OffLoop["Service"],
  accountId: string,
  answer: CommandAnswer,
  job: Extract<Job, { readonly carried: object }>["job"],
  snapshot?: Readonly<Record<string, unknown>>
): Effect.Effect<RefusedCommand | Answer> => {
  if (!answer.success) return Effect.succeed(refusal(answer))
  const asked = { job, bytes: bytesOf(answer.result), carried: commonMembers(answer), snapshot }
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

/** What every answer to a command carries. */
export const commonMembers = ({ commandId, durationMs }: CommandAnswer) => ({
  success: true as const,
  commandId,
  durationMs
})
