/**
 * Encodes a failure as an error response by the table in problem-table.ts. Never shows a message, a cause or a stack.
 */
import type { HubError } from "../../src/errors.ts"
import { overloadRetrySeconds } from "../../src/limits.ts"
import { type Row, rows, type Tag } from "./problem-table.ts"
import { Answer } from "./response.ts"

const jsonType = ["content-type", "application/json"] as const

/** The answer to a failure. */
export const problem = (failure: HubError, requestId: string): Answer => {
  const row = rows[failure._tag] as Row<Tag>
  const body = {
    error: row.sentence,
    ...(row.code === undefined ? {} : { code: row.code }),
    reason: row.reason,
    requestId,
    ...row.extras?.(failure as never)
  }
  return new Answer(row.status, [jsonType, ...(row.headers?.(failure as never) ?? [])], JSON.stringify(body))
}

/** The answer to a defect. */
export const internal = (requestId: string): Answer => {
  const { status, reason, sentence } = rows.StoreFailed
  return new Answer(status, [jsonType], JSON.stringify({ error: sentence, reason, requestId }))
}

/** The fields of `Overloaded` for the edge's own overload. */
export const overloaded = { retryAfter: overloadRetrySeconds } as const
