/**
 * The `warnings` of an answer: what was given and had no effect. Owns where they stand: in a success whose body is a
 * JSON object, beside warnings of its route. Any other answer stays as it is, and so does one that caches keep.
 */
import { isRecord } from "../../src/protocol/is-record.ts"
import { Answer } from "./response.ts"

const member = '"warnings"'

/** What stands behind an object whose last sign is taken away. */
const endOf = (isEmpty: boolean, warnings: ReadonlyArray<string>): string =>
  `${isEmpty ? "" : ","}${member}:${JSON.stringify(warnings)}}`

/** The object with its warnings at its end. The rest keeps its bytes: a daemon's numbers may be beyond a double. */
const withMember = (text: string, warnings: ReadonlyArray<string>): string => {
  const own: unknown = text.includes(member) ? JSON.parse(text) : undefined
  if (isRecord(own) && Array.isArray(own["warnings"]))
    return JSON.stringify({ ...own, warnings: [...own["warnings"], ...warnings] })
  return text.slice(0, -1) + endOf(text.length === 2, warnings)
}

// bytes may be many, of a daemon's, and are never parsed; a route that has warnings answers with text
const withMemberOf = (bytes: Uint8Array, warnings: ReadonlyArray<string>): Uint8Array =>
  Buffer.concat([bytes.subarray(0, -1), Buffer.from(endOf(bytes.byteLength === 2, warnings))])

const has = ({ headers }: Answer, name: string, value?: string): boolean =>
  headers.some(([one, is]) => one.toLowerCase() === name && (value === undefined || is === value))

const openBrace = 123
const closeBrace = 125

/** The answer with these warnings. */
export const withWarnings = (answer: Answer, warnings: ReadonlyArray<string>): Answer => {
  const { status, headers, body } = answer
  if (status >= 300 || !(typeof body === "string" || body instanceof Uint8Array)) return answer
  const isCached = has(answer, "etag") && has(answer, "cache-control")
  if (!has(answer, "content-type", "application/json") || isCached) return answer
  if (typeof body !== "string") {
    const isObject = body[0] === openBrace && body.at(-1) === closeBrace
    return isObject ? new Answer(status, headers, withMemberOf(body, warnings)) : answer
  }
  if (!body.startsWith("{") || !body.endsWith("}")) return answer
  return new Answer(status, headers, withMember(body, warnings))
}
