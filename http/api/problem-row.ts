/** What a row of the table of failures has, and the members that several rows share. Owns no row. */
import { Schema } from "effect"
import { plans } from "../../src/domain/account/plans.ts"
import type { HubError } from "../../src/errors.ts"
import type { Reason } from "./reasons.ts"

/** A failure's name. */
export type Tag = HubError["_tag"]

/** The codes of the specification's error table. */
export const codes = [
  "AUTH_REQUIRED",
  "AUTH_INVALID",
  "AUTH_FORBIDDEN",
  "RECENT_LOGIN_REQUIRED",
  "RATE_LIMITED",
  "API_LIMIT_EXCEEDED"
] as const

/** What a caller is told of one failure. */
export interface Row {
  readonly status: number
  /** Only where the specification's error table has one. */
  readonly code?: (typeof codes)[number]
  readonly reason: Reason
  readonly sentence: string
  readonly members?: Schema.Struct.Fields
  /** The headers that always come with it. */
  readonly headers?: ReadonlyArray<string>
  /** The headers that may come with it. */
  readonly optionalHeaders?: ReadonlyArray<string>
  /** The failure whose body describes this one too. */
  readonly like?: Tag
}

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
/** The headers of a refused credential. */
export const challenge = ["WWW-Authenticate"]
/** The headers of what is worth another try. */
export const timed = ["Retry-After"]
