/**
 * The events of the specification, as closed lists: those subscribed to by name, those that only `*` receives, those
 * that a daemon may report. Owns names and the subscription rule; event-payload.ts owns the payloads.
 */

/** Subscribable by name. `agent:approve_request` is reserved: accepted, never dispatched. */
const subscribableEvents = [
  "daemon:connect",
  "daemon:disconnect",
  "agent:status",
  "agent:approve_request",
  "command:completed",
  "job:completed"
] as const

/** Only live streams send these. */
export const streamedOnly = ["job:progress"] as const

/** Delivered to those only who name it: `*` does not receive it. */
export const namedOnly: ReadonlySet<string> = new Set(["command:completed", "job:completed", ...streamedOnly])

/** What a daemon reports of one agent and the hub passes on; delivered to `*` only. */
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
export type EventName = Exclude<(typeof subscribableEvents)[number], "agent:approve_request"> | RelayedEvent

/** Every event that is ever dispatched, for filters of live streams. */
export const dispatchedEvents: ReadonlyArray<EventName> = [
  "daemon:connect",
  "daemon:disconnect",
  "agent:status",
  ...relayedEvents,
  "command:completed",
  "job:completed"
]

const aliases: Readonly<Record<string, RelayedEvent>> = { "monitor:long_generating": "monitor:no_progress" }
const relayed = new Map<string, RelayedEvent>(relayedEvents.map((event) => [event, event]))

/**
 * The relayed event that a daemon's word means, its legacy alias included; undefined for unknown and reserved names.
 */
export const relayedEvent = (word: string): RelayedEvent | undefined =>
  relayed.get(word) ?? (Object.hasOwn(aliases, word) ? aliases[word] : undefined)

const accepted: ReadonlySet<string> = new Set([...subscribableEvents, everyEvent])

/** What is subscribed of a wish: accepted names once each, in the order of the wish; every other name is dropped. */
export const subscribed = (wish: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(wish.filter((word) => accepted.has(word)))
]

/** Warns who subscribes to no event that there is; undefined: the subscription accepts some. */
export const subscriptionWarnings = (events: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  events.length > 0
    ? undefined
    : [`Nothing is subscribed, so nothing will be sent. Accepted in events: ${[...accepted].join(", ")}.`]

const byName: ReadonlySet<string> = new Set(subscribableEvents)

/** Whether a subscription gets an event. */
export const subscribes = (events: ReadonlyArray<string>, event: EventName): boolean =>
  (events.includes(everyEvent) && !namedOnly.has(event)) || (byName.has(event) && events.includes(event))
