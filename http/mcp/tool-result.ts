/**
 * The result of a tool from the answer of its endpoint: the same JSON as text and as structured content. Owns what
 * counts as an error of the tool, and the bound of a result.
 */
import type { CallToolResult } from "@modelcontextprotocol/server"
import { toolAnswerBytesMax } from "../../src/limits/mcp.ts"
import { isRecord } from "../../src/protocol/is-record.ts"
import type { Answer } from "../pipeline/response.ts"

const failed = (text: string): CallToolResult => ({ isError: true, content: [{ type: "text", text }] })

const textOf = ({ body }: Answer): string => {
  if (typeof body === "string") return body
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() : "{}"
}

const isLarge = ({ body }: Answer): boolean =>
  typeof body === "string"
    ? Buffer.byteLength(body) > toolAnswerBytesMax
    : body instanceof Uint8Array && body.byteLength > toolAnswerBytesMax

/** The JSON of an answer; undefined where it is too large for a result. */
export const valueOf = (answer: Answer): Readonly<Record<string, unknown>> | undefined => {
  if (isLarge(answer)) return undefined
  const value: unknown = JSON.parse(textOf(answer))
  return isRecord(value) ? value : {}
}

/** A result with this value. A daemon's refusal is an error of the tool, though none of the hub. */
export const resultWith = (value: Readonly<Record<string, unknown>>, text = JSON.stringify(value)): CallToolResult => ({
  ...(value["success"] === false ? { isError: true } : {}),
  content: [{ type: "text", text }],
  structuredContent: value
})

/** The result of an answer. */
export const toolResult = (answer: Answer): CallToolResult => {
  const value = valueOf(answer)
  if (value === undefined) {
    return failed(
      `The call was made. Its answer has more than ${toolAnswerBytesMax} bytes, which no tool's result may have: read it over the REST API.`
    )
  }
  if (answer.status >= 400) return failed(JSON.stringify({ status: answer.status, ...value }))
  return resultWith(value, textOf(answer))
}
