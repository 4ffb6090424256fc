/** What a row of the table of failures has, and the members that several rows share. Owns no row. */
import { Schema } from "effect"
import { plans } from "../../src/domain/account/plans.ts"
import type { HubError } from "../../src/errors.ts"

export type Tag = HubError["_tag"]

/** Where a failure is described, for its caller. */
export const docsOf = (reason: string): string => `/docs/errors#${reason.toLowerCase()}`

/** The codes of the specification's error table. */
export const codes = [
  "AUTH_REQUIRED",
  "AUTH_INVALID",
  "AUTH_FORBIDDEN",
  "RECENT_LOGIN_REQUIRED",
  "RATE_LIMITED",
  "API_LIMIT_EXCEEDED"
] as const

/** A failure of this name. */
export type Failure<T extends Tag> = Extract<HubError, { readonly _tag: T }>

/** Headers, each with its value for a failure; undefined: it does not come with this one. */
export type HeaderValues<F> = Readonly<Record<string, (failure: F) => string | undefined>>

/** What a caller is told of one failure. */
export interface Row<F = never> {
  readonly status: number
  /** Only where the specification's error table has one. */
  readonly code?: (typeof codes)[number]
  /** Tells the failures of one status apart. */
  readonly reason: string
  readonly sentence: string
  /** What it says instead, where it knows more. */
  readonly says?: (failure: F) => string | undefined
  readonly members?: Schema.Struct.Fields
  /** The members, where they are not the facts of these names that the failure has. */
  readonly fill?: (failure: F) => object
  /** The headers that always come with it. */
  readonly headers?: HeaderValues<F>
  /** The headers that may come with it. */
  readonly optionalHeaders?: HeaderValues<F>
  /** The failure whose body describes this one too. */
  readonly like?: Tag
}

/** Rows of failures, by name. */
export type Rows = { readonly [T in Tag]: Row<Failure<T>> }

/** A member that may be absent. */
export const maybe = Schema.optionalKey
/** A number of seconds. */
export const seconds = (description: string) => Schema.Int.annotate({ description: `Seconds: ${description}` })
/** When to try again. */
export const retryAfter = seconds("when to try again")
/** What is wrong with an input. */
export const issues = Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String })).annotate({
  description: "What does not fit, and where"
})
/** The command that a failure is about. */
export const commandId = maybe(Schema.String.annotate({ description: "The command, where it was accepted" }))
/** A bound of the plan. */
export const planLimit = { limit: Schema.Int, plan: Schema.Literals(plans) }

const realm = 'Bearer realm="hub"'
/** The value of a refused credential's header. */
export const challengeText = (rest: string): string => (rest === "" ? realm : `${realm}, ${rest}`)
/** The header of a refused credential. */
export const challenge = (rest = "") => ({ "WWW-Authenticate": () => challengeText(rest) })
/** The header of what is worth another try. */
export const timed = { "Retry-After": ({ retryAfter }: { readonly retryAfter: number }) => String(retryAfter) }
/** To the millisecond, where many callers are each given their own time, so that their retries spread. */
export const timedApart = {
  "Retry-After-Ms": ({ retryAfterMillis }: { readonly retryAfterMillis?: number }) => retryAfterMillis?.toString()
}
/** The header of an outcome that was stored. */
export const replayed = { "Idempotency-Replayed": () => "true" }
