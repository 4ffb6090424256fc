/**
 * The messages of the AsyncAPI document and the schemas of what they hold, by channel. Owns their names; asyncapi.ts
 * puts them into the document.
 */
import { JsonSchema, Schema } from "effect"
import { daemonFrames } from "../../src/protocol/frames.ts"
import { hubFrames } from "../../src/protocol/hub-frames.ts"
import { wireKey } from "../../src/protocol/wire-key.ts"
import type { Access } from "../api/access.ts"
import { allEvents, deliveredEvents, streamedEvents } from "../api/event-bodies.ts"
import { StreamGap } from "../api/events.ts"
import { LogEnd, LogEvent, LogGap } from "../api/sessions.ts"
import type { Examples } from "./examples.ts"
import { corrected, type Json, refTo, rewrite, type Schemas, withoutCopies } from "./json-schemas.ts"
import { deliveryHeaders } from "./webhooks.ts"

export type Messages = Readonly<Record<string, Json>>

/** `log_events` as `LogEventsFrame`. */
const frameName = (type: string): string =>
  `${type
    .split("_")
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("")}Frame`

const frameSchemas = (frames: Readonly<Record<string, Schema.Top>>): ReadonlyArray<Schema.Top> =>
  Object.entries(frames).map(([type, data]) =>
    Schema.Struct({ type: Schema.Literal(type), data }).annotate({ identifier: frameName(type) })
  )

const described = [
  ...frameSchemas(daemonFrames),
  ...frameSchemas(hubFrames),
  ...allEvents.map(({ body }) => body),
  StreamGap,
  LogEvent,
  LogGap,
  LogEnd
]

const draft07Prefix = "#/definitions/"
const toComponent = (node: Json): Json => {
  const ref = node["$ref"]
  return typeof ref === "string" && ref.startsWith(draft07Prefix) ? refTo(ref.slice(draft07Prefix.length)) : node
}

/** The schemas that messages refer to, by name. */
export const messageSchemas = (): Schemas => {
  const all = Schema.toJsonSchemaDocument(Schema.Union(described), { includeAnnotationKey: (key) => key === wireKey })
  const { schema, definitions } = JsonSchema.toDocumentDraft07(all)
  const named = rewrite(corrected(definitions), toComponent) as Schemas
  return withoutCopies(rewrite(schema, toComponent) as Json, named).schemas
}

const messageOf = (name: string, schema: string, more: Json = {}): Json => ({ name, payload: refTo(schema), ...more })

const framesOf = (frames: Readonly<Record<string, unknown>>): Messages =>
  Object.fromEntries(Object.keys(frames).map((type) => [type, messageOf(type, frameName(type))]))

export const daemonMessages: Messages = framesOf(daemonFrames)
/** What the hub sends to them. */
export const hubMessages: Messages = framesOf(hubFrames)

const shown = (examples: Examples, event: string): Json => {
  const payload = examples.events[event]
  return payload === undefined ? {} : { examples: [{ payload }] }
}

const headersSchema: Json = {
  type: "object",
  required: deliveryHeaders.map(({ name }) => name),
  properties: Object.fromEntries(
    deliveryHeaders.map(({ name, description, schema }) => [name as string, { ...(schema as Json), description }])
  )
}

export const deliveryMessages = (examples: Examples): Messages =>
  Object.fromEntries(
    deliveredEvents.map(({ event, name, summary }) => [
      name,
      messageOf(event, name, { summary, headers: headersSchema, ...shown(examples, event) })
    ])
  )

/** What a live stream sends, by the schema of its events. Each message is the `data` of an event. */
export const streamMessages = (streams: NonNullable<Access["streams"]>, examples: Examples): Messages => {
  if (streams === "LogEvent") {
    const summary = "An event of the log; the name is its `type`"
    return {
      LogEvent: messageOf("LogEvent", "LogEvent", { summary }),
      LogGap: messageOf("gap", "LogGap"),
      LogEnd: messageOf("end", "LogEnd")
    }
  }
  const events = streamedEvents.map(({ event, name, summary }) => [
    name,
    messageOf(event, name, { summary, ...shown(examples, event) })
  ])
  return { ...Object.fromEntries(events), StreamGap: messageOf("gap", "StreamGap") }
}
