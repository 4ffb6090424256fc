/**
 * The result of a tool from the answer of its endpoint: the same JSON as text and as structured content. Owns what
 * counts as an error of the tool, and the bound of a result.
 */
import type { CallToolResult } from "@modelcontextprotocol/server"
import type { Scope } from "../../src/domain/account/scopes.ts"
import { costOf } from "../../src/domain/limits/cost.ts"
import { toolAnswerBytesMax, toolAnswerCostMax } from "../../src/limits/mcp.ts"
import { extentOf } from "../../src/protocol/codec.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import type { Answer } from "../pipeline/response.ts"
import type { McpCall } from "./tool-calls.ts"

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: "text", text }] })

const textOf = ({ body }: Answer): string => {
  if (typeof body === "string") return body
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() : "{}"
}

const isLarge = ({ body }: Answer): boolean =>
  typeof body === "string"
    ? Buffer.byteLength(body) > toolAnswerBytesMax
    : body instanceof Uint8Array && body.byteLength > toolAnswerBytesMax

/** The JSON of an answer; undefined where it is too large for a result, or holds too many values. */
export const valueOf = (
  { charge }: Pick<McpCall, "charge">,
  answer: Answer
): Readonly<Record<string, unknown>> | undefined => {
  if (isLarge(answer)) return undefined
  const text = textOf(answer)
  // a large result was read off the loop, as bytes; this parse is on it
  const cost = costOf(0, extentOf(text))
  if (cost > toolAnswerCostMax) return undefined
  charge(text.length + cost)
  const value: unknown = JSON.parse(text)
  return isRecord(value) ? value : {}
}

/** A result with this value. A daemon's refusal is an error of the tool, though none of the hub. */
export const resultWith = (value: Readonly<Record<string, unknown>>, text = JSON.stringify(value)): CallToolResult => ({
  ...(value["success"] === false ? { isError: true } : {}),
  content: [{ type: "text", text }],
  structuredContent: value
})

/** The result of an answer. */
export const toolResult = (call: Pick<McpCall, "charge" | "lacks">, answer: Answer): CallToolResult => {
  const value = valueOf(call, answer)
  if (value === undefined) {
    const bound = isLarge(answer) ? `has more than ${toolAnswerBytesMax} bytes` : "holds too many values"
    return failed(`The call was made. Its answer ${bound} for a tool's result: read it over the REST API.`)
  }
  if (answer.status < 400) return resultWith(value, textOf(answer))
  if (value["requiredScope"] !== undefined) call.lacks(value["requiredScope"] as Scope)
  return failed(JSON.stringify({ status: answer.status, ...value }))
}
