/** What a push message offers, and when it is sent again. */
import { expect, it } from "vitest"
import { askedOf, mayBeTakenLater } from "../../../../src/domain/push/approval-message.ts"
import { pushSubjectCharsMax, pushTitleCharsMax } from "../../../../src/limits/push.ts"

const long = "x".repeat(100_000)
const session = { sessionId: long, providerType: long, workspaceName: long, buttons: [long] }
const question = { approvalId: "apr_1", daemonId: "dmn_1", promptId: "p1", requestedAt: 0, expiresAt: 1, ...session }

it.each([
  ["a question without options", undefined, ["approve", "reject"]],
  ["one that is allowed once", ["allow_once", "allow_always", "reject_once"], ["approve", "reject"]],
  ["one that names no rejection", ["allow_once"], ["approve", "reject"]],
  ["one that is allowed for ever alone", ["allow_always"], ["reject"]],
  ["a choice among several", ["allow_once", "allow_once"], ["reject"]]
])("offers what can be answered unseen of %s", (_, kinds, offered) => {
  const options = kinds?.map((kind) => ({ optionId: kind, name: kind, kind }))
  expect(askedOf({ ...question, title: "", ...(options && { options }) }).decisions).toEqual(offered)
})

it("keeps little of a question that waits to be told, however long it is", () => {
  const option = { optionId: long, name: long, kind: "allow_once" }
  const asked = askedOf({ ...question, title: long, subject: { action: long, resource: long }, options: [option] })
  expect(asked).toEqual({
    approvalId: "apr_1",
    title: long.slice(0, pushTitleCharsMax),
    subject: { action: long.slice(0, pushSubjectCharsMax), resource: long.slice(0, pushSubjectCharsMax) },
    expiresAt: 1,
    decisions: ["approve", "reject"]
  })
})

it.each([
  [undefined, "timeout", true],
  [undefined, "blocked_address", false],
  [500, undefined, true],
  [429, undefined, true],
  [201, undefined, false],
  [400, undefined, false],
  [410, undefined, false],
  [302, "redirect", false]
] as const)("is sent again after %s %s: %s", (statusCode, error, isAgain) => {
  expect(mayBeTakenLater({ statusCode, error })).toBe(isAgain)
})
