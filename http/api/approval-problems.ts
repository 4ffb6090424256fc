/** The error bodies of policies and of questions that agents wait on. Owns these rows of problems.ts. */
import { Schema } from "effect"
import { answererKinds } from "../../src/domain/approval/answered.ts"
import { maybe, planLimit, type Rows } from "./problem-row.ts"

/** Of approvals and policies. */
export const approvals = {
  AlreadyResolved: {
    status: 409,
    reason: "ALREADY_RESOLVED",
    sentence: "The question is answered already.",
    members: {
      by: Schema.NullOr(Schema.Struct({ kind: Schema.Literals(answererKinds), id: maybe(Schema.String) })).annotate({
        description: "Who answered: a person, a key or an app, a policy, or the daemon itself; null: not known"
      }),
      decision: Schema.NullOr(Schema.String),
      rule: Schema.NullOr(Schema.String)
    },
    fill: ({ by = null, decision = null, rule = null }) => ({ by, decision, rule })
  },
  PolicyLimitReached: {
    status: 403,
    reason: "POLICY_LIMIT_REACHED",
    sentence: "The plan allows no further policy. Remove one that is not needed.",
    members: planLimit
  },
  PushSubscriptionLimitReached: {
    status: 403,
    reason: "PUSH_SUBSCRIPTION_LIMIT_REACHED",
    sentence: "The plan allows no further browser. Remove one that is not needed.",
    members: planLimit
  },
  PreconditionFailed: {
    status: 412,
    reason: "PRECONDITION_FAILED",
    sentence: "It has changed since you read it: read it again. Nothing was changed."
  }
} as const satisfies Partial<Rows>
