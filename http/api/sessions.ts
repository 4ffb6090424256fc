/** The contract of sessions' logs: a page of what happened, and the stream of what happens. Owns paths and shapes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { logEndReasons } from "../../src/domain/log/log.ts"
import { gapReasons } from "../../src/domain/log/position.ts"
import { logPageMax, logPageUsual } from "../../src/limits/logs.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { commandFailures, failures, scopedFailures } from "./failures.ts"
import { DaemonParam, pageQuery, Words } from "./shapes.ts"

const maybe = Schema.optionalKey

const SessionParam = {
  ...DaemonParam,
  sessionId: Schema.String.annotate({
    description: "Id of a session, as the daemon's status and its target ids have it"
  })
}
const place = "Behind this place: an `id` of the stream or a `next`; `0` is the oldest event that is kept"

/** Where a reading of a log begins. */
export const logAfter = { after: maybe(Schema.String).annotate({ description: place }) }
/** How much of it a page has. */
export const logLimit = { limit: pageQuery(logPageMax, `${logPageUsual} without one`).limit }

/** What every reading of a session's log takes. */
const logQuery = {
  ...logAfter,
  deltas: maybe(Schema.Literals(["true", "false"])).annotate({
    description: "`false` leaves out the pieces of messages: whole messages only"
  })
}

/** The same of a page. */
const logPageQuery = { ...logQuery, ...logLimit }

/** The header by which a stream is resumed. */
export const lastEventId = Schema.Struct({
  "last-event-id": maybe(Schema.String.annotate({ description: "The id behind which to resume; wins over `after`" }))
})

/** One event of a log. */
export const LogEvent = Schema.StructWithRest(
  Schema.Struct({
    seq: Schema.Int.annotate({ description: "Its number in its log" }),
    type: Schema.String.annotate({
      description: "`message`, `tool_call`, … of a session, `output` or `exit` of a command, or what a newer daemon has"
    }),
    timestamp: Schema.Finite.annotate({ description: "Epoch milliseconds, on the daemon's clock" })
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
).annotate({ identifier: "LogEvent", description: "As the daemon sent it" })

/** The data of a `gap` in a stream of a log. */
export const LogGap = Schema.Struct({
  after: Schema.NullOr(Schema.String).annotate({ description: "The place behind which something is missing" }),
  reason: Schema.Literals(gapReasons)
}).annotate({ identifier: "LogGap", description: "Something is not to be had any more" })

/** The data of an `end`. */
export const LogEnd = Schema.Struct({ reason: Schema.Literals(logEndReasons) }).annotate({
  identifier: "LogEnd",
  description: "The hub ends the stream"
})

/** A page of a log. */
export const LogPage = Schema.Struct({
  events: Schema.Array(LogEvent).annotate({ description: "Oldest first" }),
  next: Schema.String.annotate({ description: "The `after` of what follows, here or of the stream" }),
  more: Schema.Boolean.annotate({ description: "There is more to read at once" }),
  gap: Schema.Boolean.annotate({ description: "Something behind `after` is not to be had any more" }),
  firstSeq: Schema.Int.annotate({ description: "The number of the oldest event that is kept" }),
  lastSeq: Schema.Int.annotate({ description: "The number of the newest event" })
}).annotate({ identifier: "LogPage" })

/** How a log may not be read. */
export const logFailures = failures(...scopedFailures, ...commandFailures, "ValidationFailed", "DaemonLacksFeature")
/** How a stream of it may not begin. */
export const logStreamFailures = failures(
  ...scopedFailures,
  "ValidationFailed",
  "NotFound",
  "Overloaded",
  "DaemonOffline",
  "DaemonLacksFeature"
)

/** A stream of a log. */
export const LogStream = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))

/** What a stream of a log says beside the events. */
export const streamWords =
  "Each event has its `type` as `event` and a place as `id`; `Last-Event-ID` resumes. Without a place it begins with what happens from now on. " +
  "`gap` (`{after, reason}`) says that something is not to be had any more, `end` (`{reason}`) why the hub ends the stream. It outlives the daemon's reconnects."

const path = "/api/v1/daemons/:daemonId/sessions/:sessionId/events"
const read = { kind: "any", scope: "agent:read", onHangUp: "cancel" } as const

/** `/api/v1/daemons/{daemonId}/sessions/{sessionId}/events`. */
export const Sessions = HttpApiGroup.make("sessions")
  .annotateMerge(OpenApi.annotations({ description: "What happens in a session: messages, tool calls, approvals." }))
  .add(
    HttpApiEndpoint.get("events", path, {
      params: SessionParam,
      query: logPageQuery,
      success: LogPage,
      error: logFailures
    })
      .annotate(Words, [
        "What happened in a session",
        "Asked of the daemon, which keeps a bounded log in memory; the hub keeps none of it."
      ])
      .annotateMerge(access({ ...read, tool: "list_session_events" })),
    HttpApiEndpoint.get("stream", `${path}/stream`, {
      params: SessionParam,
      query: logQuery,
      headers: lastEventId,
      success: LogStream,
      error: logStreamFailures
    })
      .annotateMerge(answers({ headers: ["Cache-Control", "X-Accel-Buffering"] }))
      .annotate(Words, ["A session as it happens (Server-Sent Events)", streamWords])
      .annotateMerge(access({ ...read, streams: "LogEvent" }))
  )
