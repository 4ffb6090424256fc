/** Places in logs as callers are given them. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { cursorOf, logTag, readCursor } from "../../../../src/domain/log/cursor.ts"
import { logIdCharsMax } from "../../../../src/limits/logs.ts"

const tag = logTag("dmn_1", { kind: "session", id: "s1" })

describe("a place in a log", () => {
  it.each([
    ["the first", { logId: "a", seq: 0 }],
    ["the highest number that a daemon may give", { logId: "a", seq: Number.MAX_SAFE_INTEGER }],
    ["one of the longest numbering", { logId: "\u{1f600}".repeat(logIdCharsMax / 2), seq: 7 }]
  ])("is read as it was given: %s", (_, place) =>
    expect(readCursor(tag, cursorOf(tag, place))).toEqual(Result.succeed(place))
  )

  it("is refused where its number is beyond what any daemon may give", () =>
    expect(Result.isFailure(readCursor(tag, `${tag}.YQ.${Number.MAX_SAFE_INTEGER + 1}`))).toBe(true))
})
