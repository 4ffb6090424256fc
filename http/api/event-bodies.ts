/**
 * The contract of events: the bodies of webhook deliveries, which live streams send as data too. Owns the shapes;
 * src/domain/event/event-payload.ts makes the payloads.
 */
import { Schema } from "effect"
import { answererKinds } from "../../src/domain/approval/answered.ts"
import { commandStates } from "../../src/domain/command/stored-command.ts"
import { daemonType, relayedEvents } from "../../src/domain/event/events.ts"
import { jobStates } from "../../src/domain/job/job.ts"
import { TargetCounts } from "./job-shapes.ts"
import { AgentState, millis } from "./shapes.ts"

const maybe = Schema.optionalKey

const daemon = { daemonId: Schema.String, daemonType: Schema.Literal(daemonType), timestamp: millis }
const connected = {
  ...daemon,
  hostname: Schema.String,
  nickname: Schema.String,
  platform: Schema.String,
  version: Schema.String
}
const AgentChange = Schema.Struct({
  targetSessionId: Schema.String,
  providerType: Schema.String,
  workspaceName: maybe(Schema.String),
  status: AgentState,
  previousStatus: AgentState,
  ended: maybe(Schema.Literal(true)).annotate({ description: "It is gone: its last status is `idle`" })
}).annotate({ identifier: "AgentChange" })

const session = {
  targetSessionId: maybe(Schema.String).annotate({ description: "When the event is about one session" }),
  providerType: maybe(Schema.String),
  providerSessionId: maybe(Schema.String),
  workspaceName: maybe(Schema.String).annotate({
    description: "The directory of a CLI or ACP agent, or the workspace"
  }),
  surfaceHidden: maybe(Schema.Boolean),
  muted: maybe(Schema.Boolean)
}
const prompt = {
  promptId: maybe(Schema.String).annotate({ description: "Names the prompt; give it with the approval" }),
  modalMessage: maybe(Schema.String).annotate({ description: "The prompt's text, at most 2 KiB" }),
  modalButtons: maybe(Schema.Array(Schema.String))
}
const relayedMembers: Readonly<Record<(typeof relayedEvents)[number], Schema.Struct.Fields>> = {
  "agent:generating_started": {},
  "agent:generating_completed": { duration: maybe(Schema.Int).annotate({ description: "Whole seconds" }) },
  "agent:waiting_approval": prompt,
  "agent:waiting_choice": prompt,
  "agent:stopped": {},
  "monitor:no_progress": { elapsedSec: maybe(Schema.Int).annotate({ description: "Seconds without visible progress" }) }
}

const summaries: Readonly<Record<(typeof relayedEvents)[number], string>> = {
  "agent:generating_started": "An agent began a response",
  "agent:generating_completed": "An agent finished a response",
  "agent:waiting_approval": "An agent waits for an approval",
  "agent:waiting_choice": "An agent waits for a choice",
  "agent:stopped": "The session of an agent stopped",
  "monitor:no_progress": "An agent makes no visible progress"
}

/** `daemon:connect` as `DaemonConnect`. */
const nameOf = (event: string): string =>
  event
    .split(/[:_]/u)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("")

const bodyOf = (event: string, summary: string, payload: Schema.Struct.Fields) => {
  const name = `${nameOf(event)}Event`
  const body = Schema.Struct({
    event: Schema.Literal(event),
    payload: Schema.Struct(payload).annotate({ identifier: `${nameOf(event)}Payload` }),
    timestamp: Schema.Int.annotate({ description: "Epoch milliseconds: when this body was built" })
  }).annotate({ identifier: name })
  return { event, name, summary, body }
}

const relayed = relayedEvents.map((event) =>
  bodyOf(event, summaries[event], { ...daemon, event: Schema.Literal(event), ...session, ...relayedMembers[event] })
)

const approval = {
  ...daemon,
  targetSessionId: maybe(Schema.String),
  promptId: maybe(Schema.String),
  providerType: maybe(Schema.String)
}

const job = {
  jobId: Schema.String,
  type: Schema.String,
  state: Schema.Literals(jobStates),
  targets: Schema.Int,
  counts: TargetCounts,
  timestamp: millis
}

/** Every event that webhooks and live streams get, with its body. */
const commonEvents = [
  bodyOf("daemon:connect", "A daemon came online", connected),
  bodyOf("daemon:disconnect", "A daemon went offline", {
    ...connected,
    reason: Schema.Literals(["closed", "timeout", "replaced", "disconnected", "revoked"]),
    connectedMs: Schema.Int
  }),
  bodyOf("agent:status", "Agents of a daemon changed their state; at most one per 10 seconds per daemon", {
    ...daemon,
    agents: Schema.Array(AgentChange)
  }),
  ...relayed,
  bodyOf("command:completed", "A kept command ended; only to those who name this event", {
    ...daemon,
    commandId: Schema.String,
    type: Schema.String,
    state: Schema.Literals(commandStates.filter((state) => state !== "pending")),
    durationMs: Schema.Int.annotate({ description: "From its acceptance to this end" })
  }),
  bodyOf("approval:requested", "An agent waits for an answer; only to those who name this event", {
    ...approval,
    approvalId: Schema.String.annotate({ description: "For `POST /api/v1/approvals/{approvalId}`" }),
    title: Schema.String.annotate({ description: "The question's text, at most 2 KiB" }),
    subject: maybe(Schema.Struct({ action: Schema.String, resource: Schema.String })).annotate({
      description: "What it asks for, as rules of policies name it"
    }),
    workspaceName: maybe(Schema.String),
    requestedAt: millis,
    expiresAt: maybe(millis)
  }),
  bodyOf("approval:resolved", "A question of an agent waits no more; only to those who name this event", {
    ...approval,
    approvalId: maybe(Schema.String).annotate({ description: "Absent: a policy decided, and it was never shown" }),
    by: Schema.Literals(answererKinds).annotate({ description: "`daemon`: on the machine, or the agent withdrew it" }),
    decision: maybe(Schema.String),
    rule: maybe(Schema.String).annotate({ description: "Of a policy: its id and the number of the rule" }),
    count: Schema.Int.annotate({ description: "Decisions of a policy alike; this tells of the last" })
  }),
  bodyOf("job:completed", "A job ended; only to those who name this event", job),
  bodyOf(
    "daemon:identity_copied",
    "Another machine took the place of a daemon's, with its token; only to those who name this event",
    { ...connected, formerHostname: Schema.String.annotate({ description: "Of the machine that was connected" }) }
  )
]

/** Every event that live streams send, with its body. */
export const streamedEvents = [
  ...commonEvents,
  bodyOf("job:progress", "Targets of a job changed their state; at most one per second and job, where it is named", job)
]

/** Every event that webhooks get, with its body. */
export const deliveredEvents = [
  ...commonEvents,
  bodyOf("webhook:test", "The test of one webhook", {
    webhookId: Schema.String,
    message: Schema.String,
    timestamp: millis
  })
]

/** Every event that there is, with its body. */
export const allEvents = [...new Set([...streamedEvents, ...deliveredEvents])]

/** The body of any event of a live stream. */
export const StreamedEvent = Schema.Union(streamedEvents.map(({ body }) => body)).annotate({
  identifier: "StreamedEvent",
  description: "The data of each event of the stream"
})
