/** What a tool's result takes of an answer, and what reading that costs its caller. */
import { expect, it } from "vitest"
import { toolResult } from "../../../http/mcp/tool-result.ts"
import { jsonText } from "../../../http/pipeline/response.ts"

it("the answer of a tool's endpoint is charged to its caller before it is read; one that costs too much is neither read nor charged", () => {
  const charged: Array<number> = []
  const call = { charge: (cost: number) => void charged.push(cost), lacks: () => {} }
  expect(toolResult(call, jsonText('{"a":1}')).structuredContent).toEqual({ a: 1 })
  const dense = JSON.stringify({ all: Array.from({ length: 2_000 }, (_, nth) => ({ [`n${nth}`]: 0 })) })
  expect(toolResult(call, jsonText(dense))).toMatchObject({ isError: true })
  expect(charged).toEqual([7])
})
