/**
 * The `warnings` of an answer: what was given and had no effect. Owns where they stand: in a success whose body is a
 * JSON object, beside warnings of its route. Any other answer stays as it is, and so does one that caches compare.
 */
import { isRecord } from "../../src/protocol/is-record.ts"
import { Answer } from "./response.ts"

const member = '"warnings"'

/** The object with its warnings at its end. The rest keeps its bytes: a daemon's numbers may be beyond a double. */
const withMember = (text: string, warnings: ReadonlyArray<string>): string => {
  const own: unknown = text.includes(member) ? JSON.parse(text) : undefined
  if (isRecord(own) && Array.isArray(own["warnings"]))
    return JSON.stringify({ ...own, warnings: [...own["warnings"], ...warnings] })
  const before = text.slice(0, -1)
  return `${before}${before === "{" ? "" : ","}${member}:${JSON.stringify(warnings)}}`
}

const has = ({ headers }: Answer, name: string, value?: string): boolean =>
  headers.some(([one, is]) => one.toLowerCase() === name && (value === undefined || is === value))

/** The answer with these warnings. */
export const withWarnings = (answer: Answer, warnings: ReadonlyArray<string>): Answer => {
  const { status, headers, body } = answer
  if (status >= 300 || !(typeof body === "string" || body instanceof Uint8Array)) return answer
  if (!has(answer, "content-type", "application/json") || has(answer, "etag")) return answer
  const text = typeof body === "string" ? body : Buffer.from(body).toString()
  if (!text.startsWith("{") || !text.endsWith("}")) return answer
  return new Answer(status, headers, withMember(text, warnings))
}
