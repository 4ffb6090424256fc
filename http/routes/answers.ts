/** What a machine's answer to a command becomes for the caller. Owns the shape of done and refused; sends nothing. */
import { Result } from "effect"
import type { CommandAnswer } from "../../actors/directory.ts"
import { isRecord } from "../../src/domain/chat.ts"
import { textOfResult } from "../../src/protocol/largeresult.ts"
import { jsonText } from "../answer.ts"

/** The machine refused, or answered what cannot be read: 200 either way, as the hub is not at fault. */
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
  refused(answer, answer.error ?? "The machine refused the command.", answer.code)

/** Done, with what the machine sent as it is; or refused. What it did not send is not written: JSON knows no undefined. */
export const whole = (answer: CommandAnswer) => {
  if (!answer.success) return refusal(answer)
  const { result, commandId, durationMs } = answer
  const text = textOfResult(result)
  if (text === undefined) return { success: true as const, result, commandId, durationMs }
  // text and not bytes: under an Idempotency-Key it is kept like any other
  return jsonText(`{"success":true,"result":${text},"commandId":"${commandId}","durationMs":${durationMs}}`)
}

/** The members of the result, where only an object will do. */
export const members = (answer: CommandAnswer): Result.Result<Readonly<Record<string, unknown>>, Refused> => {
  if (!answer.success) return Result.fail(refusal(answer))
  return isRecord(answer.result)
    ? Result.succeed(answer.result)
    : Result.fail(refused(answer, "The machine's answer cannot be read.", "RESULT_INVALID"))
}

/** What every answer to a command carries. */
export const carried = ({ commandId, durationMs }: CommandAnswer) => ({ success: true as const, commandId, durationMs })
