/**
 * What a webhook subscribes to, and who gets an event. Owns the two lists that a webhook names events in, which share
 * no name and so are kept as one, and what is said of names that do not fit. events.ts owns the names.
 */
import { warningsMax } from "../../limits/edge.ts"
import { shownName } from "../redaction/shown-name.ts"
import { nearestOf } from "../text/edit-distance.ts"
import {
  additionalEvents,
  dispatchedEvents,
  type EventName,
  everyEvent,
  namedOnly,
  relayedEvent,
  reservedEvent,
  streamedOnly,
  subscribableEvents
} from "./events.ts"

const accepted: ReadonlySet<string> = new Set([...subscribableEvents, everyEvent])
const additional: ReadonlySet<string> = new Set(additionalEvents)

/** The names of both lists, once each; every name that is in neither is left out. */
export type SubscribedNames = ReadonlyArray<string>

/** What a caller wishes; undefined: nothing is said of that list. */
export interface Wish {
  readonly events?: ReadonlyArray<string> | undefined
  readonly additionalEvents?: ReadonlyArray<string> | undefined
}

/** A change of what is subscribed: `by` comes in place of all names in `replaced`. */
export interface SubscriptionChange {
  readonly replaced: ReadonlyArray<string>
  readonly by: SubscribedNames
}

const among = (names: ReadonlyArray<string>, list: ReadonlySet<string>): ReadonlyArray<string> => [
  ...new Set(names.filter((name) => list.has(name)))
]

/** What is subscribed of a wish, in its order. */
export const subscribed = ({ events = [], additionalEvents = [] }: Wish): SubscribedNames => [
  ...among(events, accepted),
  ...among(additionalEvents, additional)
]

/** The change that a wish makes; undefined: none. */
export const subscriptionChange = (wish: Wish): SubscriptionChange | undefined =>
  wish.events === undefined && wish.additionalEvents === undefined
    ? undefined
    : {
        replaced: [
          ...(wish.events === undefined ? [] : accepted),
          ...(wish.additionalEvents === undefined ? [] : additional)
        ],
        by: subscribed(wish)
      }

/** What is subscribed, as the two lists that its owner sees. */
export const shownSubscription = (names: SubscribedNames) => ({
  events: names.filter((name) => accepted.has(name)),
  additionalEvents: names.filter((name) => additional.has(name))
})

/** What a name is that `events` does not take, or that nothing sends. */
const whyNot = (name: string): string => {
  if (name === reservedEvent) return "is reserved: nothing sends it"
  if (namedOnly.has(name) && additional.has(name)) return "is asked for in additionalEvents"
  if (additional.has(name)) return 'is sent to "*", or to who names it in additionalEvents'
  if ((streamedOnly as ReadonlyArray<string>).includes(name)) return "is sent to live streams only"
  const meant = relayedEvent(name) ?? nearestOf(name, dispatchedEvents)
  return `is no event${meant === undefined ? "" : `; did you mean ${meant}`}`
}

const acceptedText = [...accepted].filter((name) => name !== reservedEvent).join(", ")

/** Warns of each name that was left out or that nothing sends, and of a subscription to nothing. */
export const subscriptionWarnings = (wish: ReadonlyArray<string>, names: SubscribedNames): ReadonlyArray<string> => [
  ...[...new Set(wish)]
    .filter((name) => !accepted.has(name) || name === reservedEvent)
    .slice(0, warningsMax)
    .map(shownName)
    .map((name) => `${JSON.stringify(name)} ${whyNot(name)}.`),
  ...(names.length > 0
    ? []
    : [
        `Nothing is subscribed, so nothing will be sent. Accepted in events: ${acceptedText}; in additionalEvents: ${additionalEvents.join(", ")}.`
      ])
]

/** Whether a subscription gets an event. */
export const subscribes = (names: SubscribedNames, event: EventName): boolean =>
  names.includes(event) || (names.includes(everyEvent) && !namedOnly.has(event))
