/** Results of a job as lines. */
import { expect, it } from "vitest"
import { resultsAnswer } from "../../../http/routes/job-views.ts"

it("a result with line breaks between its members is one line, and its numbers stay as they are", () => {
  const target = { daemonId: "d", state: "succeeded", result: '{\n"a": 12345678901234567890,\n"b": "x\\ny"}' } as const
  const { body } = resultsAnswer([target as never, target as never], undefined, true)
  const lines = String(body).trimEnd().split("\n")
  expect(lines.map((line) => line.includes('"a": 12345678901234567890, "b": "x\\ny"'))).toEqual([true, true])
})
