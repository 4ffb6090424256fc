/** Every failure and its error response; problems.txt has them all, as the specification says. */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { failures } from "../../../http/api/failures.ts"
import { problems, type Row } from "../../../http/api/problems.ts"
import { internal, problem } from "../../../http/pipeline/problem.ts"
import * as errors from "../../../src/errors.ts"
import { failureSamples } from "../reference/failure-samples.ts"

/** One failure of each name, and those that show something else without a fact or with another one. */
const shown: ReadonlyArray<errors.HubError> = [
  ...Object.values(failureSamples),
  new errors.AuthForbidden({}),
  new errors.RecentLoginRequired({ maxAge: 900 }),
  new errors.DaemonSocketLost({}),
  new errors.CommandTimeout({ commandId: "cmd_00000000000000000001", kept: true })
]
const lineOf = (failure: errors.HubError): string => {
  const { status, headers, body } = problem(failure, "req_1")
  const { error, ...members } = JSON.parse(String(body)) as Record<string, unknown>
  expect(error).toMatch(/^[A-Z].*\.$/u)
  return [failure._tag, status, JSON.stringify(Object.fromEntries(headers)), JSON.stringify(members)].join(" ")
}

describe("a failure", () => {
  it("is shown as its line says, and no more: name, status, headers, members", () =>
    expect(`${shown.map(lineOf).join("\n")}\n`).toMatchFileSnapshot("problems.txt"))

  it.each(shown.map((failure) => [failure._tag, failure] as const))(
    "%s shows the members that its schema in the contract describes, and no other",
    (tag, failure) => {
      const decode = Schema.decodeUnknownExit(Schema.Union(failures(tag)), { onExcessProperty: "error" })
      expect(decode(JSON.parse(String(problem(failure, "req_1").body)))).toMatchObject({ _tag: "Success" })
    }
  )

  it.each(shown.map((failure) => [failure._tag, failure] as const))(
    "%s has the headers that its row names, and no other",
    (tag, failure) => {
      const { headers = {}, optionalHeaders = {} }: Row = problems[tag]
      const sent = problem(failure, "req_1").headers.map(([name]) => name)
      const always = ["content-type", ...Object.keys(headers).map((name) => name.toLowerCase())]
      expect(sent).toEqual(expect.arrayContaining(always))
      expect([...always, ...Object.keys(optionalHeaders).map((name) => name.toLowerCase())]).toEqual(
        expect.arrayContaining(sent)
      )
    }
  )

  it("has a row with a reason in capitals and one sentence", () => {
    for (const row of Object.values<Row>(problems)) {
      expect(row.reason).toMatch(/^[A-Z]+(?:_[A-Z]+)*$/u)
      expect(row.sentence).toMatch(/^[A-Z].*\.$/u)
    }
  })

  it("of ours shows nothing but the request id", () => {
    expect(JSON.parse(String(internal("req_1").body))).toEqual({
      error: expect.any(String),
      reason: "INTERNAL",
      requestId: "req_1",
      docs: "/docs/errors#internal"
    })
  })
})
