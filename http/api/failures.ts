/**
 * The failures that endpoints declare: the schemas of their bodies, and the groups that endpoints share. A route that
 * fails otherwise does not compile. Owns no row: problems.ts has the table.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import type { HubError } from "../../src/errors.ts"
import { type Members, problems, type Row, type Tag } from "./problems.ts"

type Rows = typeof problems

/** The body of a failure. */
export type Problem<T extends Tag> = {
  readonly error: string
  readonly reason: Rows[T]["reason"]
  readonly requestId: string
  readonly docs: string
} & (Rows[T] extends { readonly code: infer C } ? { readonly code: C } : {}) &
  Members<T>

const schemas = new Map<Tag, Schema.Top>()

const schemaOf = (tag: Tag): Schema.Top => {
  const { status, code, reason, sentence, members }: Row = problems[tag]
  const fields = {
    error: Schema.String.annotate({ description: "One public sentence" }),
    ...(code === undefined ? {} : { code: Schema.Literal(code) }),
    reason: Schema.Literal(reason),
    requestId: Schema.String,
    docs: Schema.String.annotate({ description: "Where this failure is described, on this hub" }),
    ...members
  }
  const named = Schema.Struct(fields).annotate({ identifier: `${tag}Problem`, description: sentence })
  return named.pipe(HttpApiSchema.status(status))
}

/** The schema of a failure's body, with its status; the same object at each call. */
const problemSchema = <T extends Tag>(tag: T): Schema.Codec<Problem<T>> => {
  const { like = tag }: Row = problems[tag]
  const known = schemas.get(like) ?? schemaOf(like)
  schemas.set(like, known)
  return known as Schema.Codec<Problem<T>>
}

/** The error schemas of an endpoint that fails in these ways. */
export const failures = <const T extends ReadonlyArray<Tag>>(
  ...tags: T
): ReadonlyArray<Schema.Codec<Problem<T[number]>>> => [...new Set(tags)].map(problemSchema<T[number]>)

/** The failures whose bodies have one of these reasons: what an action may fail with that declares the reasons. */
export type FailureOf<Reason> = Extract<
  HubError,
  { readonly _tag: { [T in Tag]: Rows[T]["reason"] extends Reason ? T : never }[Tag] }
>

export const publicFailures = ["RateLimited", "StoreFailed"] as const
/** An endpoint for any credential, charged to the quota. */
export const credentialFailures = [...publicFailures, "AuthRequired", "AuthInvalid", "ApiLimitExceeded"] as const
/** An endpoint that needs a scope. */
export const scopedFailures = [...credentialFailures, "AuthForbidden", "RoleTooLow"] as const
/** An endpoint for dashboard sessions: a key is refused. */
export const sessionFailures = [
  ...publicFailures,
  "AuthRequired",
  "AuthInvalid",
  "AuthForbidden",
  "RoleTooLow"
] as const
/** An endpoint for dashboard sessions with a recent login. */
export const recentLoginFailures = [...sessionFailures, "RecentLoginRequired"] as const
/** An endpoint that reads a body. */
export const bodyFailures = ["ValidationFailed", "PayloadTooLarge", "Overloaded"] as const
/** A POST that honours an Idempotency-Key. */
export const idempotentFailures = [
  "ValidationFailed",
  "Overloaded",
  "IdempotencyConflict",
  "IdempotencyMismatch",
  "IdempotencyLimitReached",
  "OutcomeNotKept",
  "OutcomeUnknown"
] as const
/** A command to a daemon, with its answer. */
export const commandFailures = [
  "NotFound",
  "DaemonOffline",
  "DaemonSocketLost",
  "CommandTimeout",
  "Overloaded",
  "PayloadTooLarge"
] as const
