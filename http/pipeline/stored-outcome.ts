/**
 * What is stored of the outcome of a call with an Idempotency-Key: no secrets, nothing of a chat, nothing of a refusal,
 * 1 MiB at most.
 * Owns those rules, and by what two calls are the same. Pure.
 */
import { hash } from "node:crypto"
import { chatIdsOf, mayBeStored } from "../../src/domain/command/chat-content.ts"
import { idempotencyBytesMax } from "../../src/limits.ts"
import type { KeyedCall } from "./idempotency-port.ts"
import { Answer, type Headers } from "./response.ts"

const replayedHeader = ["idempotency-replayed", "true"] as const

/** What is stored of an outcome. `body` undefined: its status only. */
export interface StoredOutcome {
  readonly status: number
  readonly headers: Headers
  readonly body: string | undefined
}

type Rules = Pick<KeyedCall, "secrets" | "command">

/**
 * Whether an outcome is stored. A refused call never reached the action and may be retried under the same key; one that
 * reads a chat reads it again.
 */
export const isStored = (status: number, command: Rules["command"]): boolean =>
  (status < 400 || status > 429) && (command === undefined || mayBeStored(command))

/** A daemon may have put its reply beside the id of a message. */
const withoutReply = (name: string, value: unknown): unknown =>
  name === "result" && value !== undefined ? JSON.parse(chatIdsOf(JSON.stringify(value)) ?? "{}") : value

const omit = (body: string, { secrets, command }: Rules): string => {
  const sendsChat = command === "send_chat"
  if (secrets.length === 0 && !sendsChat) return body
  const members = Object.entries(JSON.parse(body) as Record<string, unknown>) // our own answer
  const kept = members.filter(([name]) => !secrets.includes(name))
  return JSON.stringify(
    Object.fromEntries(sendsChat ? kept.map(([name, value]) => [name, withoutReply(name, value)]) : kept)
  )
}

/**
 * What is stored of an answer: never its secrets nor what an agent says, and only its status when the body exceeds the
 * bound.
 */
export const storedOutcomeOf = (answer: Answer, rules: Rules): StoredOutcome => {
  const { status, headers, body: given } = answer
  const isLarge = given instanceof Uint8Array && given.byteLength > idempotencyBytesMax
  if (isLarge) return { status, headers: [], body: undefined }
  const body = given instanceof Uint8Array ? Buffer.from(given).toString() : given
  if (typeof body !== "string") return { status, headers, body: undefined }
  if (Buffer.byteLength(body) > idempotencyBytesMax) return { status, headers: [], body: undefined }
  return { status, headers, body: status < 300 ? omit(body, rules) : body }
}

/** The answer of a replay. */
export const replayOf = (kept: StoredOutcome): Answer =>
  new Answer(kept.status, [...kept.headers, replayedHeader], kept.body)

/** Two calls under one key are the same call when these hashes are equal. */
export const bodyHashOf = (call: Pick<KeyedCall, "path" | "query" | "body">): Uint8Array =>
  hash("sha256", JSON.stringify([call.path, call.query, call.body]), "buffer")
