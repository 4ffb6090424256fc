/** The targets of a job by how they ended. */
import { expect, it } from "vitest"
import { outputOf, targetsByOutcome } from "../../../../console/src/state/targets-by-outcome.ts"

const target = (daemonId: string, exitCode: number, head: string, tail = "") => ({
  daemonId,
  state: exitCode === 0 ? ("succeeded" as const) : ("failed" as const),
  commandId: null,
  finishedAt: 1,
  exitCode,
  output: { head, tail }
})

it("puts those with the same state, exit code and output together, the most first", () => {
  const all = [
    target("a", 0, "v1"),
    target("b", 0, "v2"),
    target("c", 0, "v2"),
    target("d", 1, "v2"),
    target("e", 0, "v2")
  ]
  expect(targetsByOutcome(all).map(({ ids }) => ids)).toEqual([["b", "c", "e"], ["a"], ["d"]])
  expect([outputOf(target("a", 0, "x", "y")), outputOf({})]).toEqual(["x\n…\ny", ""])
})
