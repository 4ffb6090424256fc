/** How a terminal command ended, read from what its daemon answered, however that is written and however long it is. */
import { describe, expect, it } from "vitest"
import { exitCodeIn, outcomeIn, outputEnds } from "../../../../src/domain/command/terminal-outcome.ts"
import { outputEndCharsMax } from "../../../../src/limits/commands.ts"
import { largeFrameBytes } from "../../../../src/limits.ts"
import { fc, forAll } from "../../../support/properties.ts"

const large = "x".repeat(largeFrameBytes)

describe("how a terminal command ended", () => {
  it("is its exit code, of a signal 128 and its number, and else not known", () => {
    for (const [result, code] of [
      [{ exitCode: 3 }, 3],
      [{ exitCode: 0, signal: "SIGTERM" }, 0],
      [{ exitCode: null, signal: "SIGKILL" }, 137],
      [{ exitCode: "3" }, null],
      [{ exitCode: -1e99 }, -2_147_483_648],
      [[3], null],
      [null, null]
    ] as const) {
      expect(outcomeIn(JSON.stringify(result)).exitCode, JSON.stringify(result)).toBe(code)
    }
  })

  it("is read likewise of a long answer, whose texts may hold what looks like it, and whatever the daemon spaces", () => {
    const stdout = `{"exitCode": 7, "stdout":"no"}${large}"exitCode":8\\"`
    for (const indent of [undefined, 1]) {
      const json = JSON.stringify({ stdout, stderr: `${large}\\the "end"\\`, exitCode: 3 }, null, indent)
      expect(outcomeIn(json)).toEqual({ exitCode: 3, output: outputEnds(stdout, `${large}\\the "end"\\`) })
    }
    expect(exitCodeIn(JSON.stringify({ exitCode: null, signal: "SIGSEGV", stdout: large }))).toBe(139)
  })

  it("has the same beginning and end however its texts are escaped", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 40 }).map((unit) => unit.repeat(largeFrameBytes))
    forAll(20, text, text, (stdout, stderr) => {
      const [out, err] = [stdout.slice(0, 200_000), stderr.slice(0, 200_000)]
      const json = JSON.stringify({ exitCode: 1, stdout: out, stderr: err })
      if (json.length >= largeFrameBytes) expect(outcomeIn(json).output).toEqual(outputEnds(out, err))
    })
  })
})

it(`the ends of an output are all of it where it is short, else ${outputEndCharsMax} characters each, stdout before stderr`, () => {
  expect(outputEnds("one\n", "two")).toEqual({ head: "one\ntwo", tail: "" })
  const middle = outputEnds("a".repeat(outputEndCharsMax), "b".repeat(outputEndCharsMax + 1))
  expect(middle).toEqual({ head: "a".repeat(outputEndCharsMax), tail: "b".repeat(outputEndCharsMax) })
  expect(outputEnds("a".repeat(1e6), "b")).toEqual({
    head: "a".repeat(outputEndCharsMax),
    tail: `${"a".repeat(outputEndCharsMax - 1)}b`
  })
})

it("the ends of an output have no sequences for terminals, no control characters but line breaks and tabs, and no half characters", () => {
  expect(outputEnds("\u001b[31mred\u001b[0m\u0000\r\n\tx\u0007", "").head).toBe("red\n\tx")
  for (const bomb of ["\u001b[", "\u001b]8;;", "\u009b1;", "\u001b[2J\u001b[3;1H", "\u001bP"]) {
    const { head, tail } = outputEnds(bomb.repeat(1_000_000), bomb)
    expect(head + tail).not.toMatch(/(?![\n\t])\p{Cc}/u)
    expect(Math.max(head.length, tail.length)).toBeLessThanOrEqual(outputEndCharsMax)
  }
  expect(outputEnds("😀".repeat(2_000), "").head).toBe("😀".repeat(outputEndCharsMax / 2))
})
