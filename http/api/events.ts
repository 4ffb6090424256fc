/** The contract of the live stream, and of the secret for who forwards it. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { wireKey } from "../../src/protocol/wire-key.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { failures, scopedFailures } from "./failures.ts"
import { selectorQuery, Words } from "./shapes.ts"

const optional = Schema.optionalKey

/** A parameter that may be given several times, or once with commas. */
const list = (description: string) =>
  optional(
    Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({
      description,
      [wireKey]: { type: "array", items: { type: "string" } }
    })
  )

/** The data of a `gap`. */
export const StreamGap = Schema.Struct({ after: Schema.String }).annotate({
  identifier: "StreamGap",
  description: "Something behind this id is not held any more"
})

const ListenSecret = Schema.Struct({
  secret: Schema.String.annotate({ description: "In the form of a webhook's secret; the same at each call" })
}).annotate({ identifier: "ListenSecret" })

const readers = { kind: "any", anyScope: ["ide:read", "agent:read"], onHangUp: "cancel" } as const

/** `/api/v1/events`. */
export const Events = HttpApiGroup.make("events")
  .annotateMerge(OpenApi.annotations({ description: "The live stream of events." }))
  .add(
    HttpApiEndpoint.get("stream", "/api/v1/events", {
      query: {
        event: list(
          "Only these events; `*` is all but `command:completed`, `daemon:identity_copied`, and those of jobs and approvals"
        ),
        daemonId: list("Only events of these daemons"),
        ...selectorQuery
      },
      headers: Schema.Struct({
        "last-event-id": optional(Schema.String.annotate({ description: "The id after which to resume" }))
      }),
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
      error: failures(...scopedFailures, "ValidationFailed", "Overloaded")
    })
      .annotateMerge(answers({ headers: ["Cache-Control", "X-Accel-Buffering"] }))
      .annotate(Words, [
        "The account's events as they happen (Server-Sent Events)",
        "`event` and `daemonId` filter, each may be given several times. `Last-Event-ID` resumes from a bounded buffer; an event named `gap` says that something in between is not held any more."
      ])
      .annotateMerge(access({ ...readers, streams: "StreamedEvent" })),
    HttpApiEndpoint.get("listenSecret", "/api/v1/events/listen-secret", {
      success: ListenSecret,
      error: failures(...scopedFailures)
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotate(Words, [
        "The secret that events forwarded from the stream are signed with",
        "For tools that read the stream and post each event to an address of their own, as `hub listen` does, signed as a webhook's delivery is. One per account; no webhook uses it."
      ])
      // a secret for a program that checks signatures
      .annotateMerge(access({ kind: "any", scope: "webhook:manage", onHangUp: "cancel", tool: false }))
  )
