/** The contract of policies: rules for what agents may do, and what they say of a case. Owns paths and shapes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { onTimeouts } from "../../src/domain/policy/policy.ts"
import { actions, effects } from "../../src/domain/policy/rule.ts"
import { answerSecondsMax, policyIdCharsMax, resourceCharsMax, rulesPerPolicyMax } from "../../src/limits/policies.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { bodyFailures, failures, recentLoginFailures, sessionFailures } from "./failures.ts"
import { optional } from "./optional.ts"
import { millis, removed, Words } from "./shapes.ts"

const patterns = "`*` is any text, `?` any character, over the whole value"

const rule = {
  action: Schema.String.annotate({ description: `What an agent asks for: ${actions.join(", ")}; ${patterns}` }),
  resource: Schema.String.annotate({
    description: `A path, a command without its quotes, an address, or the name of a tool; ${patterns}. Each command of a line is judged alone`
  }),
  effect: Schema.Literals(effects).annotate({ description: "Of several rules that match: deny, else ask, else allow" })
}

const NewRule = Schema.Struct({
  ...rule,
  provider: optional(Schema.String, "Only agents of this type; absent: all"),
  cwd: optional(Schema.String, "Only in this folder; absent: in all")
}).annotate({ identifier: "NewPolicyRule" })
const Rule = Schema.Struct({
  ...rule,
  provider: Schema.optionalKey(Schema.String),
  cwd: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "PolicyRule" })

const Default = Schema.Literals(["ask", "deny"])
const OnTimeout = Schema.Literals(onTimeouts)
const Seconds = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1), Schema.isLessThanOrEqualTo(answerSecondsMax))

const NewPolicy = Schema.Struct({
  selector: optional(Schema.String, "Which daemons, by their tags; absent: all"),
  rules: Schema.Array(NewRule).check(Schema.isMaxLength(rulesPerPolicyMax)),
  default: optional(Default, "What holds where no rule matches; `ask` where it is absent"),
  timeoutSeconds: optional(Seconds, "How long a question waits for an answer; absent: without an end"),
  onTimeout: optional(OnTimeout, "What then becomes of it; `reject` where it is absent")
}).annotate({ identifier: "NewPolicy" })

const Policy = Schema.Struct({
  id: Schema.String,
  version: Schema.Int.annotate({
    description: "Counted up by each change, also past a removal; the `ETag` is it in quotes"
  }),
  selector: Schema.String.annotate({ description: "Empty: all daemons" }),
  rules: Schema.Array(Rule),
  default: Default,
  timeoutSeconds: Schema.NullOr(Schema.Int),
  onTimeout: OnTimeout,
  updatedAt: millis,
  warnings: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
    description: "Rules that allow more than they seem to, or that have no effect"
  })
}).annotate({ identifier: "Policy" })
const PolicyList = Schema.Struct({ policies: Schema.Array(Policy) }).annotate({ identifier: "PolicyList" })
const RemovedPolicy = removed("RemovedPolicy")

const Place = Schema.String.check(Schema.isMaxLength(resourceCharsMax))
const Case = Schema.Struct({
  action: Schema.Literals(actions),
  resource: Schema.String.check(Schema.isMaxLength(resourceCharsMax)),
  provider: optional(Place, "The type of the agent; absent: none that a rule names"),
  cwd: optional(Place, "The folder; absent: not known"),
  rules: optional(
    Schema.Array(NewRule).check(Schema.isMaxLength(rulesPerPolicyMax)),
    "Rules to try instead of those of the policy, which need not exist then; nothing is kept"
  )
}).annotate({ identifier: "PolicyCase" })
const Verdict = Schema.Struct({
  effect: Schema.Literals(effects),
  rule: Schema.NullOr(
    Schema.Struct({ index: Schema.Int.annotate({ description: "Its number, from 0" }), ...Rule.fields })
  ).annotate({ description: "The rule that says so; null: none does, and the default holds" })
}).annotate({ identifier: "PolicyVerdict" })

const path = "/api/v1/policies"
const params = {
  policyId: Schema.String.check(
    Schema.isPattern(/^[a-z0-9][a-z0-9_-]*$/u),
    Schema.isMaxLength(policyIdCharsMax)
  ).annotate({ description: "A name of your own: lower-case letters, digits, `-` and `_`" })
}
const ifMatch = {
  "if-match": Schema.optionalKey(Schema.String).annotate({
    description:
      "The `ETag` of the version that you changed; of another nothing is changed. `*`: of any that is there. Absent: also of none"
  })
}
const ifNew = {
  "if-none-match": Schema.optionalKey(Schema.String).annotate({ description: "`*`: only where there is none yet" })
}
const read = { kind: "session", role: "admin", onHangUp: "cancel" } as const
const change = { kind: "session", role: "admin", recent: true, onHangUp: "finish" } as const
const tagged = answers({ headers: ["ETag"] })

/** `/api/v1/policies`. */
export const Policies = HttpApiGroup.make("policies")
  .annotateMerge(
    OpenApi.annotations({
      description:
        "What agents may do without asking, and what never: rules that daemons decide by, on the machine. All policies that mean a daemon apply together; deny comes before ask before allow."
    })
  )
  .add(
    HttpApiEndpoint.get("list", path, { success: PolicyList, error: failures(...sessionFailures) })
      .annotate(Words, ["List policies", "In the order of their ids."])
      .annotateMerge(access(read)),
    HttpApiEndpoint.get("show", `${path}/:policyId`, {
      params,
      success: Policy,
      error: failures(...sessionFailures, "NotFound")
    })
      .annotate(Words, ["Read a policy", "Its `ETag` goes with a change as `If-Match`."])
      .annotateMerge(tagged)
      .annotateMerge(access(read)),
    HttpApiEndpoint.put("set", `${path}/:policyId`, {
      params,
      headers: { ...ifMatch, ...ifNew },
      payload: NewPolicy,
      success: Policy,
      error: failures(...recentLoginFailures, ...bodyFailures, "NotFound", "PreconditionFailed", "PolicyLimitReached")
    })
      .annotate(Words, [
        "Set a policy",
        "Replaces one of the same id. Its daemons have it within seconds, others with their next connection; questions that wait stay. A rule that can never match is refused."
      ])
      .annotateMerge(tagged)
      .annotateMerge(access({ ...change, audits: "policy.set" })),
    HttpApiEndpoint.delete("remove", `${path}/:policyId`, {
      params,
      headers: ifMatch,
      success: RemovedPolicy,
      error: failures(...recentLoginFailures, "ValidationFailed", "NotFound", "PreconditionFailed")
    })
      .annotate(Words, ["Remove a policy", "Its rules hold no more."])
      .annotateMerge(access({ ...change, audits: "policy.removed" })),
    HttpApiEndpoint.post("evaluate", `${path}/:policyId/evaluate`, {
      params,
      payload: Case,
      success: Verdict,
      error: failures(...sessionFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, [
        "Try a policy",
        "What this policy alone says of a case, as a daemon would decide it. Nothing is asked or done."
      ])
      .annotateMerge(access({ ...read, idempotent: false, audits: false }))
  )
