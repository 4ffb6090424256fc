/**
 * What is stored of the outcome of a call with an Idempotency-Key: no secrets, 1 MiB at most, nothing of a refusal.
 * Owns those rules, and by what two calls are the same. Pure.
 */
import { hash } from "node:crypto"
import { idempotencyBytesMax } from "../../src/limits.ts"
import { Answer, type Headers } from "./response.ts"

const replayedHeader = ["idempotency-replayed", "true"] as const

/** What is stored of an outcome. `body` undefined: its status only. */
export interface StoredOutcome {
  readonly status: number
  readonly headers: Headers
  readonly body: string | undefined
}

/** Whether an outcome is stored. A refused call never reached the action and may be retried under the same key. */
export const isStored = (status: number): boolean => status < 400 || status > 429

const omit = (body: string, secrets: ReadonlyArray<string>): string => {
  if (secrets.length === 0) return body
  const members = JSON.parse(body) as Record<string, unknown> // our own answer
  return JSON.stringify(Object.fromEntries(Object.entries(members).filter(([name]) => !secrets.includes(name))))
}

/** What is stored of an answer: never its secrets, and only its status when the body exceeds the bound. */
export const storedOutcomeOf = (answer: Answer, secrets: ReadonlyArray<string>): StoredOutcome => {
  const { status, headers, body: given } = answer
  const isLarge = given instanceof Uint8Array && given.byteLength > idempotencyBytesMax
  if (isLarge) return { status, headers: [], body: undefined }
  const body = given instanceof Uint8Array ? Buffer.from(given).toString() : given
  if (typeof body !== "string") return { status, headers, body: undefined }
  if (Buffer.byteLength(body) > idempotencyBytesMax) return { status, headers: [], body: undefined }
  return { status, headers, body: status < 300 ? omit(body, secrets) : body }
}

/** The answer of a replay. */
export const replayOf = (kept: StoredOutcome): Answer =>
  new Answer(kept.status, [...kept.headers, replayedHeader], kept.body)

/** Two calls under one key are the same call when these hashes are equal. */
export const bodyHashOf = ({ path, query, body }: Readonly<Record<"path" | "query" | "body", string>>): Uint8Array =>
  hash("sha256", JSON.stringify([path, query, body]), "buffer")
