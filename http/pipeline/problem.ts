/** Encodes a failure as an error response, by its row in api/problems.ts. Never shows a message, a cause or a stack. */
import { overloadRetrySeconds } from "../../src/limits.ts"
import { type Answerable, docsOf, problems, type Row } from "../api/problems.ts"
import { Answer } from "./response.ts"

const jsonType = ["content-type", "application/json"] as const

/** What is made of a failure, by its row. */
type Making = (failure: never, requestId: string) => Answer

const makingOf = (row: Row): Making => {
  const { status, code, reason, sentence, says, fill } = row
  const docs = docsOf(reason)
  const names = Object.keys(row.members ?? {})
  const headers = Object.entries({ ...row.headers, ...row.optionalHeaders }).map(
    ([name, value]) => [name.toLowerCase(), value] as const
  )
  const facts = (failure: Readonly<Record<string, unknown>>): object =>
    Object.fromEntries(names.flatMap((name) => (failure[name] === undefined ? [] : [[name, failure[name]]])))
  return (failure, requestId) => {
    const error = says?.(failure) ?? sentence
    const coded = code === undefined ? {} : { code }
    const members = fill === undefined ? facts(failure) : fill(failure)
    const sent = headers.flatMap(([name, value]) => {
      const text = value(failure)
      return text === undefined ? [] : [[name, text] as const]
    })
    return new Answer(
      status,
      [jsonType, ...sent],
      JSON.stringify({ error, ...coded, reason, requestId, docs, ...members })
    )
  }
}

const makings = Object.fromEntries(Object.entries<Row>(problems).map(([tag, row]) => [tag, makingOf(row)]))

/** The answer to a failure. */
export const problem = (failure: Answerable, requestId: string): Answer =>
  makings[failure._tag]!(failure as never, requestId)

/** The answer to a defect. */
export const internal = (requestId: string): Answer => {
  const { status, reason, sentence } = problems.StoreFailed
  return new Answer(status, [jsonType], JSON.stringify({ error: sentence, reason, requestId, docs: docsOf(reason) }))
}

/** The fields of `Overloaded` for the edge's own overload. */
export const overloaded = { retryAfter: overloadRetrySeconds } as const
