/** What a tool call shows when it is opened. */
import { expect, it } from "vitest"
import { toolBlocksMax, toolCharsMax } from "../../../../console/src/limits.ts"
import { diffLines, toolBlocks } from "../../../../console/src/state/tool-details.ts"
import { fc, forAll } from "../../../support/properties.ts"

it("a tool call shows what the agent gave to be shown, and else what went in and out", () => {
  const content = [
    { type: "content", content: { type: "text", text: "2 passed" } },
    { type: "diff", path: "a.ts", oldText: null, newText: "one" },
    { type: "terminal", terminalId: "t1" },
    null
  ]
  expect(toolBlocks({ content, rawOutput: "left out" })).toEqual([
    { kind: "text", label: "Output", text: "2 passed" },
    { kind: "diff", path: "a.ts", before: null, after: "one" }
  ])
  expect(toolBlocks({ content: [], rawInput: { command: "ls" }, rawOutput: "a" })).toEqual([
    { kind: "text", label: "Input", text: '{\n  "command": "ls"\n}' },
    { kind: "text", label: "Output", text: "a" }
  ])
  expect(toolBlocks({ status: "completed", content: "odd" })).toBeUndefined()
})

it("a tool call is bounded in its parts and in each text", () => {
  const part = { type: "diff", path: "a", oldText: "x".repeat(5_000_000), newText: "" }
  const blocks = toolBlocks({ content: Array.from({ length: toolBlocksMax + 1 }, () => part) })!
  expect(blocks).toHaveLength(toolBlocksMax)
  expect(blocks.every((one) => one.kind === "diff" && one.before!.length < toolCharsMax + 100)).toBe(true)
})

it("a change is the lines between what stays, with three lines around", () => {
  expect(diffLines("a\nb\nc\nd\ne\nf", "a\nb\nc\nd\nX\nf")).toEqual([
    { mark: " ", text: "b" },
    { mark: " ", text: "c" },
    { mark: " ", text: "d" },
    { mark: "-", text: "e" },
    { mark: "+", text: "X" },
    { mark: " ", text: "f" }
  ])
  expect(diffLines(null, "new")).toEqual([{ mark: "+", text: "new" }])
})

it("a change has every line that only one side has", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 8 })
  forAll(lines, lines, (from, to) => {
    const shown = diffLines(from.join("\n"), to.join("\n"))
    const count = (mark: string) => shown.filter((line) => line.mark === mark).length
    return count("+") - count("-") === to.length - from.length
  })
})
