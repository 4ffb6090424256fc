/** The contract of the live stream. Owns its path, its query and the shape of a gap; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { wireKey } from "../../src/protocol/wire-key.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { failures, scoped } from "./failures.ts"

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

/** `/api/v1/events`. */
export const Events = HttpApiGroup.make("events")
  .annotateMerge(OpenApi.annotations({ description: "The live stream of events." }))
  .add(
    HttpApiEndpoint.get("stream", "/api/v1/events", {
      query: {
        event: list("Only these events; `*` is all but `command:completed`"),
        daemonId: list("Only events of these daemons")
      },
      headers: Schema.Struct({
        "last-event-id": optional(Schema.String.annotate({ description: "The id after which to resume" }))
      }),
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
      error: failures(...scoped, "ValidationFailed", "Overloaded")
    })
      .annotateMerge(answers({ headers: ["Cache-Control", "X-Accel-Buffering"] }))
      .annotateMerge(
        OpenApi.annotations({
          summary: "The account's events as they happen (Server-Sent Events)",
          description:
            "`event` and `daemonId` filter, each may be given several times. `Last-Event-ID` resumes from a bounded buffer; an event named `gap` says that something in between is not held any more."
        })
      )
      .annotateMerge(
        access({ kind: "any", anyScope: ["ide:read", "agent:read"], streams: "StreamedEvent", onHangUp: "cancel" })
      )
  )
