/** What an entry of the log says of errors. */
import { Cause } from "effect"
import { expect, it } from "vitest"
import { entryOf } from "../../../src/runtime/log.ts"

const both = new AggregateError(
  [new Error("connect ECONNREFUSED ::1:9"), new Error("connect ETIMEDOUT 192.0.2.1:9")],
  ""
)
const fetchFailed = new TypeError("fetch failed", { cause: both })

const errorsOf = (message: ReadonlyArray<unknown>, cause: Cause.Cause<unknown> = Cause.empty) =>
  entryOf({ message, logLevel: "Warn", cause, date: new Date(0) }, {})["errors"]

it("an entry says the error at each address of a name that cannot be connected to", () => {
  const told = "connect ECONNREFUSED ::1:9; connect ETIMEDOUT 192.0.2.1:9"
  expect(errorsOf(["it is away", fetchFailed])).toBe(told)
  expect(errorsOf(["it is away"], Cause.fail(fetchFailed))).toBe(told)
  expect(errorsOf(["it is away"], Cause.die(both))).toBe(told)
})

it("an entry says the innermost cause of an error among its words, and nothing twice", () => {
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:9")
  expect(errorsOf(["it is away", new TypeError("fetch failed", { cause: refused })])).toBe(refused.message)
  expect(errorsOf(["it is away", refused])).toBeUndefined()
  expect(errorsOf(["it is away"], Cause.fail(refused))).toBeUndefined()
})
