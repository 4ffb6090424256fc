/** The contract of the request log. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { statusFilterShape } from "../../src/domain/account/logged-request.ts"
import {
  loggedPathCharsMax,
  loggedPerFlushMax,
  loggedRequestsMax,
  requestsPageMax,
  requestsPageUsual
} from "../../src/limits.ts"
import { access } from "./access.ts"
import { failures, publicFailures } from "./failures.ts"
import { millis, nextCursor, pageQuery, timeInQuery, Words } from "./shapes.ts"

const maybe = Schema.optionalKey
const asked = (description: string) =>
  maybe(Schema.String.check(Schema.isMaxLength(loggedPathCharsMax)).annotate({ description }))

const Caller = Schema.Union([
  Schema.Struct({
    kind: Schema.tag("key"),
    id: Schema.String,
    name: Schema.NullOr(Schema.String).annotate({ description: "null: its record is not kept any more" })
  }).annotate({ identifier: "LoggedKey" }),
  Schema.Struct({
    kind: Schema.tag("grant"),
    id: Schema.String,
    name: Schema.NullOr(Schema.String).annotate({ description: "Of the connected app; null: it is disconnected" })
  }).annotate({ identifier: "LoggedGrant" }),
  Schema.Struct({ kind: Schema.tag("session") }).annotate({ identifier: "LoggedSession" })
]).annotate({ identifier: "LoggedCredential" })

const Logged = Schema.Struct({
  id: Schema.String,
  at: millis.annotate({ description: "When it was answered, epoch milliseconds" }),
  requestId: Schema.String.annotate({ description: "The `X-Request-Id` of its answer" }),
  method: Schema.String,
  path: Schema.String.annotate({
    description: `As it was asked for, without the query; its first ${loggedPathCharsMax} characters`
  }),
  operation: Schema.String.annotate({ description: "The operation of this document: `daemons.status`" }),
  route: Schema.String.annotate({ description: "`/api/v1/daemons/{daemonId}/status`" }),
  status: Schema.NullOr(Schema.Int).annotate({ description: "null: the caller left before the answer" }),
  reason: Schema.NullOr(Schema.String).annotate({ description: "The `reason` of an error" }),
  code: Schema.NullOr(Schema.String).annotate({ description: "Its `code`" }),
  durationMs: Schema.Finite.annotate({ description: "Until the answer; of a stream until it began" }),
  credential: Caller,
  owner: Schema.NullOr(
    Schema.Struct({
      kind: Schema.Literals(["person", "service_account"]),
      id: Schema.String,
      name: Schema.NullOr(Schema.String).annotate({
        description: "The person's address, or the service account's name; null: it is not in the account any more"
      })
    }).annotate({ identifier: "CredentialOwner" })
  ).annotate({ description: "Who was signed in, or whose key it was; null: the key was the account's" }),
  omitted: Schema.Int.annotate({
    description: `Requests of the account that were answered on that node in the second before and are not kept, because there were more than ${loggedPerFlushMax}`
  })
}).annotate({ identifier: "LoggedRequest" })

const RequestList = Schema.Struct({
  requests: Schema.Array(Logged),
  omitted: Schema.Int.annotate({
    description: "How many requests of the account are not kept since the oldest one that is, whatever is asked for"
  }),
  nextCursor
}).annotate({ identifier: "RequestList" })

const since = timeInQuery("Answered then or later, epoch milliseconds")

/** `/api/v1/requests`. */
export const Requests = HttpApiGroup.make("requests")
  .annotateMerge(OpenApi.annotations({ description: "The latest API requests of the account." }))
  .add(
    HttpApiEndpoint.get("list", "/api/v1/requests", {
      query: {
        status: maybe(
          Schema.String.check(
            Schema.isPattern(statusFilterShape, { message: "must be a status (404), a class of them (4xx), or none" })
          ).annotate({ description: "A status, a class of them (`4xx`), or `none`: the caller left before the answer" })
        ),
        method: maybe(
          Schema.Literals(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).annotate({
            description: "Only of this method"
          })
        ),
        reason: asked("The `reason` of an error: `RATE_LIMITED`"),
        key: asked("The id of an API key or a connected app, or `session`: of dashboard sessions"),
        operation: asked("The operation: `daemons.status`"),
        pathContains: asked("What its path contains"),
        since: maybe(since),
        ...pageQuery(requestsPageMax, `${requestsPageUsual} when absent`)
      },
      success: RequestList,
      error: failures(...publicFailures, "AuthRequired", "AuthInvalid", "ValidationFailed")
    })
      .annotate(Words, [
        "List the latest requests, newest first",
        `Of the last 24 hours at most ${loggedRequestsMax}, a second after they were answered. The dashboard session of an administrator sees those of the whole account, of another member their own, an API key those that were made with it. Requests without a valid credential belong to no account; calls of this list are not in it, and not charged to the quota.`
      ])
      .annotateMerge(access({ kind: "any", role: "viewer", quota: false, logged: false, onHangUp: "cancel" }))
  )
