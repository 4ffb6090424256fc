/**
 * The labels of the counters, each with the closed list of its values. Owns the lists; counts nothing. A peer never
 * chooses a value: a close code or status outside the list counts as `other`.
 */
import { STATUS_CODES } from "node:http"
import { dispatchedEvents, testEvent } from "../domain/event/events.ts"
import { failureTags, type HubError } from "../errors.ts"
import { actorKinds } from "../limits/actors.ts"
import { close } from "../protocol/close.ts"
import { misfitMembers } from "../protocol/tolerant.ts"

/** A label. `Value` is what callers may pass, `values` what is told apart. */
export interface Label<Value extends string = string> {
  readonly name: string
  readonly values: ReadonlySet<string>
  /** Never set: it carries the type. */
  readonly value?: Value
}

/** Stands for every value outside the list. */
export const other = "other"

const label = <const Value extends string>(name: string, ...values: ReadonlyArray<Value>): Label<Value> => ({
  name,
  values: new Set<string>(values)
})

/**
 * Close codes of the library and of RFC 6455, beside those of the protocol: 1005 is a close without a code, 1006 none
 * at all.
 */
const socketCodes = [1002, 1003, 1005, 1006, 1007, 1008, 1009, 1010, 1011]

export const labels = {
  status: label<string>("status", ...Object.keys(STATUS_CODES)),
  update: label("outcome", "told", "done", "failed"),
  push: label("outcome", "sent", "gone", "failed", "dropped"),
  reason: { name: "reason", values: new Set(failureTags) } as Label<HubError["_tag"]>,
  where: label("where", "offloop", "flush", "ends", "endpoint", "timers", "events", "snapshots", "carried", "asked"),
  code: label<string>("code", ...[...socketCodes, ...Object.values(close).map(({ code }) => code)].map(String)),
  ignored: label("why", "unknown type", "misfit", "second result", "late result", "event"),
  member: { name: "member", values: misfitMembers } as Label,
  command: label("outcome", "succeeded", "refused", "overloaded", "timeout", "lost", "cancelled"),
  event: label("event", ...dispatchedEvents, testEvent),
  attempt: label("outcome", "succeeded", "failed", "retry"),
  dropped: label("by", "number", "bytes"),
  kind: label("kind", ...(Object.keys(actorKinds) as Array<keyof typeof actorKinds>)),
  logDropped: label("why", "budget", "size", "misfit", "repeated", "unasked"),
  logEnded: label("why", "slow_reader", "log_ended", "daemon_offline", "daemon_revoked", "unsupported", "overloaded"),
  presence: label("to", "online", "offline"),
  connection: label("state", "busy", "idle"),
  queue: label(
    "queue",
    "deliveries",
    "outcomes",
    "command records",
    "leases taken",
    "leases returned",
    "volumes",
    "seen events",
    "claims",
    "join keys",
    "access tokens",
    "keys",
    "tokens",
    "new commands",
    "pending commands",
    "places",
    "online daemons"
  ),
  spansDropped: label("why", "full", "failed"),
  refused: label(
    "why",
    "not signed by this hub",
    "not readable",
    "of a later version",
    "of an unknown kind",
    "repeated"
  )
} as const

/** The name of a queue whose entries are written, or answered, in batches. */
export type QueueName = NonNullable<(typeof labels)["queue"]["value"]>
