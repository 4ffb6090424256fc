/** The contract of the audit log. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { auditActions, auditActorKinds, auditOutcomes } from "../../src/domain/account/audit-event.ts"
import { auditFilterCharsMax, auditPageMax, auditPageUsual } from "../../src/limits/audit.ts"
import { access } from "./access.ts"
import { failures, publicFailures } from "./failures.ts"
import { millis, nextCursorOfFiltered, pageQuery, timeInQuery, Words } from "./shapes.ts"

const maybe = Schema.optionalKey
const nullable = (description: string) => Schema.NullOr(Schema.String).annotate({ description })
const asked = (description: string) =>
  maybe(Schema.String.check(Schema.isMaxLength(auditFilterCharsMax)).annotate({ description }))

const Actor = Schema.Struct({
  kind: Schema.Literals(auditActorKinds).annotate({
    description:
      "`command_line`: an administrator on the machine of the hub; `administrator`: one over the API. `anonymous`: without a valid credential"
  }),
  id: nullable("Of the API key, the connected app's grant, the session, or the browser that was sent a push message"),
  person: nullable("Id of the person behind it, also behind their key"),
  serviceAccount: nullable("Id of the service account whose key it is")
}).annotate({ identifier: "AuditActor" })

const Audited = Schema.Struct({
  id: Schema.String,
  at: millis.annotate({ description: "When it happened, epoch milliseconds; of several, the first" }),
  actor: Actor,
  action: Schema.String.annotate({
    description: `What was done: ${auditActions.map((action) => `\`${action}\``).join(", ")}. More may be added`
  }),
  object: nullable("The id of what was acted upon"),
  detail: nullable(
    "Which of its kind: the type of a command, the scopes of a key, the join key of a machine, what of a webhook was changed"
  ),
  outcome: Schema.Literals(auditOutcomes).annotate({
    description: "`refused`: by the rules of the hub. `failed`: for another reason; a command may have had its effect"
  }),
  reason: nullable("The `reason` of a refusal or failure; `CALLER_LEFT`: its caller left before the answer"),
  address: nullable("The client's address, of an IPv6 one the /64; null for the command line"),
  node: nullable("The node of the hub that did it"),
  requestId: nullable("The `X-Request-Id` of its answer; of several, the first"),
  count: Schema.Int.annotate({ description: "How many alike there were within a minute: commands, refusals" })
}).annotate({ identifier: "AuditEvent" })

const AuditList = Schema.Struct({
  events: Schema.Array(Audited),
  nextCursor: nextCursorOfFiltered
}).annotate({ identifier: "AuditList" })

const time = (description: string) => maybe(timeInQuery(description))

/** `/api/v1/audit`. */
export const Audit = HttpApiGroup.make("audit")
  .annotateMerge(
    OpenApi.annotations({
      description: "The audit log of the account: who changed what, from where, with which outcome."
    })
  )
  .add(
    HttpApiEndpoint.get("list", "/api/v1/audit", {
      query: {
        action: asked("What was done: `key.created`"),
        actor: asked(
          "The id of an API key, a session, a person or a service account, or a kind of actor: `command_line`, `administrator`"
        ),
        object: asked("The id of what was acted upon"),
        outcome: maybe(Schema.Literals(auditOutcomes).annotate({ description: "Only with this outcome" })),
        since: time("At this time or later, epoch milliseconds"),
        until: time("Before this time, epoch milliseconds"),
        ...pageQuery(auditPageMax, `${auditPageUsual} when absent`)
      },
      success: AuditList,
      error: failures(
        ...publicFailures,
        "AuthRequired",
        "AuthInvalid",
        "AuthForbidden",
        "RoleTooLow",
        "ValidationFailed"
      )
    })
      .annotate(Words, [
        "List what was done, newest first",
        "What happened to the account and what its credentials did, for as long as the hub keeps it (90 days, unless its operator says otherwise). Changes are there once they are answered; refusals and commands within a second or two, counted by the minute. For a dashboard session only."
      ])
      .annotateMerge(access({ kind: "session", role: "admin", onHangUp: "cancel" }))
  )
