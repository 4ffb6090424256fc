/** What a push message offers, and when it is sent again. */
import { expect, it } from "vitest"
import { mayBeTakenLater, offeredDecisions } from "../../../../src/domain/push/approval-message.ts"

it.each([
  ["a question without options", undefined, ["approve", "reject"]],
  ["one that is allowed once", ["allow_once", "allow_always", "reject_once"], ["approve", "reject"]],
  ["one that names no rejection", ["allow_once"], ["approve", "reject"]],
  ["one that is allowed for ever alone", ["allow_always"], ["reject"]],
  ["a choice among several", ["allow_once", "allow_once"], ["reject"]]
])("offers what can be answered unseen of %s", (_, kinds, offered) => {
  const options = kinds?.map((kind) => ({ optionId: kind, name: kind, kind }))
  expect(offeredDecisions({ options })).toEqual(offered)
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
