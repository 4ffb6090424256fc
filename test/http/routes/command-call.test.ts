/** What a caller wishes of a command: whether it waits, and how long the command may take. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { readPreference } from "../../../http/routes/command-call.ts"
import type { CommandType } from "../../../src/protocol/frames.ts"

const wish = (
  prefer: string | undefined,
  timeoutSeconds?: number,
  waitMillisMax = 60_000,
  type: CommandType = "terminal_exec"
) => {
  const read = readPreference(
    {
      headers: prefer === undefined ? {} : { prefer },
      payload: timeoutSeconds === undefined ? {} : { timeoutSeconds }
    },
    waitMillisMax,
    type
  )
  return Result.isSuccess(read) ? read.success : read.failure.issues[0]!.path
}

describe("a caller", () => {
  it.each(["respond-async", "Respond-Async", "wait=10, respond-async", "respond-async;x=1 , return=minimal"])(
    "who prefers %s does not wait",
    (prefer) => {
      expect(wish(prefer)).toEqual({ async: true, seconds: undefined })
    }
  )

  it.each([undefined, "", "return=minimal", "respond-asynchronously", "x=respond-async"])(
    "who prefers %s waits",
    (prefer) => {
      expect(wish(prefer)).toEqual({ async: false, seconds: undefined })
    }
  )

  it.each([
    [1, 60, 61],
    [1, 3_600, 3_601]
  ])("may say from %d to %d seconds, and not %d", (least, most, beyond) => {
    const prefer = most > 60 ? "respond-async" : undefined
    for (const seconds of [least, most]) expect(wish(prefer, seconds)).toMatchObject({ seconds })
    for (const seconds of [0, beyond, 1.5, Number.POSITIVE_INFINITY, Number.NaN])
      expect(wish(prefer, seconds)).toBe("timeoutSeconds")
  })

  it.each(["read_chat", "read_log", "chat_debug_bundle"] as const)("who asks for a chat (%s) waits", (type) => {
    expect(wish("respond-async", undefined, 60_000, type)).toEqual({ async: false, seconds: undefined })
    expect(wish("respond-async", 5, 60_000, type)).toEqual({ async: false, seconds: 5 })
    expect(wish("respond-async", 61, 60_000, type)).toBe("timeoutSeconds")
  })

  it("waits as long as the operator allows, where that is more than a minute", () => {
    expect(wish(undefined, 300, 300_000)).toMatchObject({ seconds: 300 })
    expect(wish(undefined, 301, 300_000)).toBe("timeoutSeconds")
    expect(wish(undefined, 60, 5_000)).toMatchObject({ seconds: 60 })
  })
})
