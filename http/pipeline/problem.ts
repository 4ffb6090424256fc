/**
 * Encodes a failure as an error response: its row in api/problems.ts, with what problem-table.ts adds. Never shows a
 * message, a cause or a stack.
 */
import type { HubError } from "../../src/errors.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { problems } from "../api/problems.ts"
import { headers, members } from "./problem-table.ts"
import { Answer, type Headers } from "./response.ts"

const jsonType = ["content-type", "application/json"] as const

/** The columns of the table, by any failure: each function gets the failure of its own row. */
const membersOf: Readonly<Record<string, ((failure: never) => object) | undefined>> = members
const headersOf: Readonly<Record<string, ((failure: never) => Headers) | undefined>> = headers

/** What a failure says instead of its row's sentence, where it knows more. */
const sentenceOf = (failure: HubError): string | undefined => {
  if (failure._tag === "NotFound") return failure.what && `There is no ${failure.what}.`
  return failure._tag === "AuthInvalid" ? failure.because : undefined
}

/** The answer to a failure. */
export const problem = (failure: HubError, requestId: string): Answer => {
  const row = problems[failure._tag]
  const body = {
    error: sentenceOf(failure) ?? row.sentence,
    ...("code" in row ? { code: row.code } : {}),
    reason: row.reason,
    requestId,
    ...membersOf[failure._tag]?.(failure as never)
  }
  return new Answer(
    row.status,
    [jsonType, ...(headersOf[failure._tag]?.(failure as never) ?? [])],
    JSON.stringify(body)
  )
}

/** The answer to a defect. */
export const internal = (requestId: string): Answer => {
  const { status, reason, sentence } = problems.StoreFailed
  return new Answer(status, [jsonType], JSON.stringify({ error: sentence, reason, requestId }))
}

/** The fields of `Overloaded` for the edge's own overload. */
export const overloaded = { retryAfter: overloadRetrySeconds } as const
