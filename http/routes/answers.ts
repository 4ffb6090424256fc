/** What a machine's answer to a command becomes for the caller. Owns the shape of done and refused; sends nothing. */
import { Result } from "effect"
import type { CommandAnswer } from "../../actors/directory.ts"
import { isRecord } from "../../src/domain/chat.ts"

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

/** Done, with what the machine sent as it is; or refused. */
export const whole = (answer: CommandAnswer) =>
  answer.success
    ? {
        success: true as const,
        ...(answer.result === undefined ? {} : { result: answer.result }),
        commandId: answer.commandId,
        durationMs: answer.durationMs
      }
    : refusal(answer)

/** The members of the result, where only an object will do. */
export const members = (answer: CommandAnswer): Result.Result<Readonly<Record<string, unknown>>, Refused> => {
  if (!answer.success) return Result.fail(refusal(answer))
  return isRecord(answer.result)
    ? Result.succeed(answer.result)
    : Result.fail(refused(answer, "The machine's answer cannot be read.", "RESULT_INVALID"))
}

/** What every answer to a command carries. */
export const carried = ({ commandId, durationMs }: CommandAnswer) => ({ success: true as const, commandId, durationMs })
