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
export interface Refused {
  readonly success: false
  readonly error: string
  readonly daemonCode?: string
  readonly commandId: string
  readonly durationMs: number
}

const refused = (answer: CommandAnswer, error: string, daemonCode: string | undefined): Refused => ({
  success: false,
  error,
  ...(daemonCode === undefined ? {} : { daemonCode }),
  commandId: answer.commandId,
  durationMs: answer.durationMs
})

const refusal = (answer: CommandAnswer): Refused =>
  refused(answer, answer.error ?? "The daemon refused the command.", answer.code)

/**
 * Done, with what the daemon sent as it is; or refused. What it did not send is not written: JSON knows no undefined.
 */
export const whole = (answer: CommandAnswer) => {
  if (!answer.success) return refusal(answer)
  const { result, commandId, durationMs } = answer
  if (!(result instanceof LargeResult)) return { success: true as const, result, commandId, durationMs }
  const tail = `,"commandId":"${commandId}","durationMs":${durationMs}}`
  return jsonBytes(Buffer.concat([resultHead, result.bytes, Buffer.from(tail)]))
}

const resultHead = Buffer.from('{"success":true,"result":')

/** The members of the result, where only an object will do. */
export const members = (answer: CommandAnswer): Result.Result<Readonly<Record<string, unknown>>, Refused> => {
  if (!answer.success) return Result.fail(refusal(answer))
  return isRecord(answer.result) ? Result.succeed(answer.result) : Result.fail(unfit(answer))
}

const unfit = (answer: CommandAnswer): Refused =>
  refused(answer, "The daemon's answer cannot be read.", "RESULT_INVALID")

const bytesOf = (result: unknown): Uint8Array =>
  result instanceof LargeResult ? result.bytes : new Uint8Array(Buffer.from(JSON.stringify(result) ?? "null"))

/** An answer of a shortcut made off the loop, from a result that is too large or too dear to be read on it. */
export const madeOffLoop = (
  { ask }: OffLoop["Service"],
  accountId: string,
  answer: CommandAnswer,
  job: Extract<Job, { readonly carried: object }>["job"],
  snapshot?: Readonly<Record<string, unknown>>
): Effect.Effect<Refused | Answer> => {
  if (!answer.success) return Effect.succeed(refusal(answer))
  const asked = { job, bytes: bytesOf(answer.result), carried: carried(answer), snapshot }
  return Effect.map(ask(accountId, asked), (done) => {
    if (done?.done === "answer") return jsonBytes(done.bytes)
    return done === undefined
      ? refused(
          answer,
          "The daemon's answer was not read: too many large ones of this account wait.",
          "RESULT_NOT_READ"
        )
      : unfit(answer)
  })
}

/** What every answer to a command carries. */
export const carried = ({ commandId, durationMs }: CommandAnswer) => ({ success: true as const, commandId, durationMs })
