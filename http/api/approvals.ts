/** The contract of approvals: what agents of an account wait on, and the answers. Owns paths and shapes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { promptActions } from "../../src/domain/command/prompt.ts"
import { approvalMessageCharsMax, approvalsPageMax } from "../../src/limits/approvals.ts"
import { promptIdCharsMax, wordCharsMax } from "../../src/limits.ts"
import { access } from "./access.ts"
import { bodyFailures, commandFailures, failures, idempotentFailures, scopedFailures } from "./failures.ts"
import { optional } from "./optional.ts"
import { commanded, millis, pageQuery, Refusal, selectorQuery, Words } from "./shapes.ts"
import { asked } from "./shortcuts.ts"

const Approval = Schema.Struct({
  approvalId: Schema.String,
  daemonId: Schema.String,
  sessionId: Schema.String,
  promptId: Schema.String.annotate({ description: "Names the question to its daemon" }),
  providerType: Schema.String,
  workspaceName: Schema.optionalKey(Schema.String),
  title: Schema.String.annotate({ description: "The question's text" }),
  buttons: Schema.Array(Schema.String),
  ...asked,
  requestedAt: millis,
  expiresAt: Schema.optionalKey(millis).annotate({ description: "When it is rejected, where no answer comes" })
}).annotate({ identifier: "PendingApproval" })

const ApprovalList = Schema.Struct({
  approvals: Schema.Array(Approval),
  total: Schema.Int.annotate({ description: "Of all pages" }),
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ApprovalList" })

const Answer = Schema.Struct({
  decision: optional(
    Schema.Literals(promptActions),
    "This, or `optionId`. `always` is passed on: an agent that offers no such choice refuses it"
  ),
  optionId: optional(Schema.String.check(Schema.isMaxLength(wordCharsMax)), "One of the question's `options`"),
  promptId: optional(
    Schema.String.check(Schema.isPattern(/\S/u), Schema.isMaxLength(promptIdCharsMax)),
    "The question that was seen; the id of the approval says the same"
  ),
  message: optional(
    Schema.String.check(Schema.isMaxLength(approvalMessageCharsMax)),
    "Why; for the daemon and the log of the session"
  )
}).annotate({ identifier: "ApprovalAnswer" })

const Resolved = Schema.Struct({
  success: Schema.Literal(true),
  approvalId: Schema.String,
  decision: Schema.String,
  ...commanded
}).annotate({ identifier: "ResolvedApproval" })

/** What became of an answer. */
export const ApprovalAnswered = Schema.Union([Resolved, Refusal]).annotate({ identifier: "ApprovalAnswered" })

const path = "/api/v1/approvals"

/** `/api/v1/approvals`. */
export const Approvals = HttpApiGroup.make("approvals")
  .annotateMerge(
    OpenApi.annotations({
      description:
        "What agents wait on, over the whole account, as their daemons last reported it. Nothing is stored: a question is there while its daemon is connected and its agent waits."
    })
  )
  .add(
    HttpApiEndpoint.get("list", path, {
      query: {
        state: Schema.optionalKey(Schema.Literal("pending")).annotate({
          description: "`pending`, which it is when absent"
        }),
        ...selectorQuery,
        ...pageQuery(approvalsPageMax, `${approvalsPageMax} when absent`)
      },
      success: ApprovalList,
      error: failures(...scopedFailures, "ValidationFailed", "Overloaded")
    })
      .annotate(Words, ["List approvals", "Those that were asked first come first."])
      .annotateMerge(access({ kind: "any", scope: "agent:read", onHangUp: "cancel" })),
    HttpApiEndpoint.post("resolve", `${path}/:approvalId`, {
      params: { approvalId: Schema.String.annotate({ description: "The `approvalId` of the list or of an event" }) },
      payload: Answer,
      success: ApprovalAnswered,
      error: failures(
        ...scopedFailures,
        ...bodyFailures,
        ...idempotentFailures,
        ...commandFailures,
        "PromptChanged",
        "AlreadyResolved"
      )
    })
      .annotate(Words, [
        "Answer a question",
        "The first answer counts, from wherever it comes: 409 ALREADY_RESOLVED says whose it was, 409 PROMPT_CHANGED that another question waits."
      ])
      .annotateMerge(
        access({
          kind: "any",
          scope: "agent:control",
          onHangUp: "cancel",
          audits: "command.sent",
          tool: "resolve_approval"
        })
      )
  )
