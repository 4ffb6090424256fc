/**
 * The events that there are, as closed lists: those that the specification subscribes to by name, those that a daemon
 * may report, those that the hub adds. Owns the names; subscription.ts owns who gets what, event-payload.ts what they
 * say.
 */

/** The kind of every daemon, as payloads name it. */
export const daemonType = "service-daemon"

/** `events` of a webhook takes these and `*`. `agent:approve_request` is reserved: accepted, never dispatched. */
export const subscribableEvents = [
  "daemon:connect",
  "daemon:disconnect",
  "agent:status",
  "agent:approve_request"
] as const

/** Accepted, and sent by nothing. */
export const reservedEvent = "agent:approve_request"

/** What the hub adds to the specification: delivered to those only who name it, `*` does not receive it. */
const addedEvents = [
  "command:completed",
  "job:completed",
  "approval:requested",
  "approval:resolved",
  "daemon:identity_copied"
] as const

/** Only live streams send these. */
export const streamedOnly = ["job:progress"] as const

/** What `*` does not receive. */
export const namedOnly: ReadonlySet<string> = new Set([...addedEvents, ...streamedOnly])

/** What a daemon reports of one agent and the hub passes on; the specification delivers it to `*` only. */
export const relayedEvents = [
  "agent:generating_started",
  "agent:generating_completed",
  "agent:waiting_approval",
  "agent:waiting_choice",
  "agent:stopped",
  "monitor:no_progress"
] as const

/** Sent by the test endpoint, to the tested webhook only. */
export const testEvent = "webhook:test"

/** Subscribes to every dispatched event but those of `namedOnly`. */
export const everyEvent = "*"

/** An event relayed from a daemon. */
export type RelayedEvent = (typeof relayedEvents)[number]

/** Any event that is ever dispatched to subscriptions. */
export type EventName =
  | Exclude<(typeof subscribableEvents)[number], typeof reservedEvent>
  | RelayedEvent
  | (typeof addedEvents)[number]

/** Every event that is ever dispatched, for filters of live streams. */
export const dispatchedEvents: ReadonlyArray<EventName> = [
  "daemon:connect",
  "daemon:disconnect",
  "agent:status",
  ...relayedEvents,
  ...addedEvents
]

/** `additionalEvents` of a webhook takes these: what `events` has no name for. */
export const additionalEvents = [...relayedEvents, testEvent, ...addedEvents] as const

const aliases: Readonly<Record<string, RelayedEvent>> = { "monitor:long_generating": "monitor:no_progress" }
const relayed = new Map<string, RelayedEvent>(relayedEvents.map((event) => [event, event]))

/**
 * The relayed event that a daemon's word means, its legacy alias included; undefined for unknown and reserved names.
 */
export const relayedEvent = (word: string): RelayedEvent | undefined =>
  relayed.get(word) ?? (Object.hasOwn(aliases, word) ? aliases[word] : undefined)

/** What a daemon says of a question that it decided by a policy. */
export const decidedWord = "approval:resolved"
