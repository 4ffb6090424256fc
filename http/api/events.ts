/** The contract of the live stream. Owns its path and query; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { access } from "./access.ts"

const optional = Schema.optionalKey

/** `/api/v1/events`. */
export const Events = HttpApiGroup.make("events").add(
  HttpApiEndpoint.get("stream", "/api/v1/events", {
    query: {
      event: optional(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
      daemonId: optional(Schema.Union([Schema.String, Schema.Array(Schema.String)]))
    },
    headers: Schema.Struct({ "last-event-id": optional(Schema.String) }),
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))
  })
    .annotateMerge(
      OpenApi.annotations({
        summary: "The account's events as they happen (Server-Sent Events)",
        description:
          "`event` and `daemonId` filter, each may be given several times. `Last-Event-ID` resumes from a bounded buffer; an event named `gap` says that something in between is not held any more."
      })
    )
    .annotateMerge(access({ kind: "any", anyScope: ["ide:read", "agent:read"], streams: true }))
)
