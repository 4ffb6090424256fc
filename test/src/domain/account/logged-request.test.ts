/** Which statuses a filter of the request log means. */
import { describe, expect, it } from "vitest"
import { statusRangeOf } from "../../../../src/domain/account/logged-request.ts"

describe("a filter by status", () => {
  it.each([
    ["none", "none"],
    ["429", { from: 429, to: 429 }],
    ["4xx", { from: 400, to: 499 }],
    ["500", { from: 500, to: 500 }]
  ])("means of %s", (text, range) => expect(statusRangeOf(text)).toEqual(range))

  it("leaves out of 5xx a machine that is offline, which is a 500 and no failure of the hub", () =>
    expect(statusRangeOf("5xx")).toEqual({ from: 500, to: 599, but: "DAEMON_OFFLINE" }))
})
