/**
 * Is an answer a documented one? Owns that judgement, by what an operation declares and by what docs/edge.md says of
 * requests that reach no operation.
 */
import type { Answer } from "./answers.ts"
import type { Contract, Declared, Operation } from "./operations.ts"

/** What was asked. */
export interface Asked {
  /** Only what it declares may be answered; absent: what any operation declares, and the refusals of the edge. */
  readonly operation?: Operation
  readonly isHead: boolean
}

const unavailable = 503
const failed = 400
/** Neither may ever be the answer to bad input: something broke, or a node ended in mid-work. */
const internal = "INTERNAL"

/** What may be answered before a request reaches an operation (docs/edge.md). */
const edge: Declared = new Map([
  [400, new Set(["VALIDATION_FAILED"])],
  [403, new Set(["ORIGIN_FORBIDDEN", "TOKEN_REVOKED", "ACCOUNT_DISABLED"])],
  [404, new Set(["NOT_FOUND"])],
  [405, new Set(["METHOD_NOT_ALLOWED"])],
  [411, new Set(["LENGTH_REQUIRED"])],
  [413, new Set(["PAYLOAD_TOO_LARGE"])],
  [426, new Set(["UPGRADE_REQUIRED"])]
])
/** What the transport may answer at any operation, as the contract's description says. */
const transport: Declared = new Map([
  [414, new Set(["URI_TOO_LONG"])],
  [415, new Set(["UNSUPPORTED_MEDIA_TYPE"])]
])
/** What the HTTP library answers by itself, with a line of HTML, before it closes. */
const libraryStatuses = new Set([400, 431, 505])
/** Beyond the operations: what the library says to `Expect`, pages, preflights, the upgrade of a daemon's socket. */
const otherStatuses = new Set([100, 101, 200, 204, 304, 307, 308])

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isJson = ({ headers }: Answer): boolean => headers.get("content-type")?.startsWith("application/json") === true

/** The reason of a failure that has the documented form; else what is wrong with it. */
const problemOf = (answer: Answer): { readonly reason?: string; readonly wrong?: string } => {
  if (!isJson(answer)) return { wrong: "its body is no JSON" }
  const body = parsed(answer.body) as Readonly<Record<string, unknown>> | undefined
  if (typeof body !== "object" || body === null) return { wrong: "its body is no JSON object" }
  const { error, reason, requestId } = body
  if (typeof error !== "string" || error === "") return { wrong: "it has no error" }
  if (typeof reason !== "string") return { wrong: "it has no reason" }
  // docs/idempotency.md: in a replayed answer it is the first call's
  const isReplay = answer.headers.get("idempotency-replayed") === "true" && typeof requestId === "string"
  if (!isReplay && requestId !== answer.headers.get("x-request-id"))
    return { wrong: "its requestId is not that of its head" }
  return { reason }
}

const isOfLibrary = ({ status, headers, body }: Answer): boolean =>
  libraryStatuses.has(status) && headers.get("content-type")?.startsWith("text/html") !== false && !body.startsWith("{")

/** `/readyz`, which a request may reach that names no operation, says in a form of its own what is not ready. */
const isNotReady = ({ operation }: Asked, answer: Answer): boolean => {
  if (operation !== undefined && operation.id !== "system.ready") return false
  if (answer.status !== unavailable || !isJson(answer)) return false
  const body = parsed(answer.body) as { readonly status?: unknown; readonly waitingFor?: unknown } | null | undefined
  return body?.status === "not ready" && Array.isArray(body.waitingFor)
}

/** What is wrong with an answer; undefined where it is a documented one. */
export const judgeAnswer = (contract: Contract, asked: Asked, answer: Answer): string | undefined => {
  const { status } = answer
  const { operation } = asked
  const allowed = [transport, ...(operation === undefined ? [contract.anywhere, edge] : [operation.declared])]
  if (status < failed) {
    const known = allowed.some((one) => one.has(status)) || (operation === undefined && otherStatuses.has(status))
    if (!known) return `${status} is not declared`
    if (asked.isHead || answer.isStream || !isJson(answer)) return undefined
    return parsed(answer.body) === undefined ? `${status}: its body is no JSON` : undefined
  }
  if (operation === undefined && isOfLibrary(answer)) return undefined
  if (asked.isHead) {
    // without a body its reason is unknown: it must be one that may be given. That nothing broke, log and metrics say
    const known = allowed.some((one) => [...(one.get(status) ?? [])].some((reason) => reason !== internal))
    return known ? undefined : `${status} is not declared`
  }
  if (isNotReady(asked, answer)) return undefined
  const { reason, wrong } = problemOf(answer)
  if (wrong !== undefined) return `${status}: ${wrong}: ${answer.body.slice(0, 200)}`
  if (reason === internal) return `${status} ${internal}: ${answer.body.slice(0, 200)}`
  if (allowed.some((one) => one.get(status)?.has(reason!) === true)) return undefined
  return `${status} ${reason} is not declared: ${answer.body.slice(0, 200)}`
}
