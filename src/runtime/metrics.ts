/**
 * The hub's metrics, as a closed list of names, help texts and labels, in a registry of Effect's Metric. Owns the
 * registry and the cells of the counters. Code that counts calls `count`; code that holds something registers a gauge
 * with `watch`. Formats nothing: Effect's exporters can read the registry, and metrics-format.ts does.
 */
import { Context, Effect, Metric, type Scope } from "effect"
import { type Label, labels, other } from "./metric-labels.ts"
import { formatMetrics } from "./metrics-format.ts"

interface Figure {
  readonly help: string
  readonly label?: Label
}

/** Counters, which only grow. */
export const counters = {
  hub_requests_total: { help: "Requests answered, by status", label: labels.status },
  hub_requests_offline_total: { help: "Requests answered with 500 as their daemon is offline, which is no fault" },
  hub_requests_aborted_total: { help: "Requests whose caller left before the answer" },
  hub_connections_refused_total: { help: "Connections closed as they came, for want of places" },
  hub_answers_cut_total: {
    help: "Answers whose readers were cut off, as too much waited for them or others of theirs"
  },
  hub_refusals_total: { help: "Requests refused by the guard, by reason", label: labels.reason },
  hub_request_log_omitted_total: {
    help: "Requests that are not in the request log of their account, for want of room"
  },
  hub_audit_omitted_total: { help: "Events that are not in the audit log, for want of room" },
  hub_defects_total: { help: "Unexpected failures, by where they were caught", label: labels.where },
  hub_sockets_opened_total: { help: "Daemon sockets opened" },
  hub_sockets_closed_total: { help: "Daemon sockets closed, by close code", label: labels.code },
  hub_frames_received_total: { help: "Frames from daemons" },
  hub_frames_sent_total: { help: "Frames to daemons" },
  hub_frames_dropped_total: { help: "Frames that a daemon did not read in time" },
  hub_frames_ignored_total: { help: "Frames of daemons that were dropped, by why", label: labels.ignored },
  hub_misfits_total: {
    help: "Parts of daemons' frames that did not fit and were dropped, by member",
    label: labels.member
  },
  hub_daemon_updates_total: {
    help: "Updates of daemons that the hub told, by what became of them",
    label: labels.update
  },
  hub_commands_total: { help: "Commands, by how they ended", label: labels.command },
  hub_events_total: { help: "Events dispatched, by name", label: labels.event },
  hub_events_refused_total: { help: "Events that were not taken, as their account is disabled" },
  hub_attempts_total: { help: "Attempts of deliveries, by outcome", label: labels.attempt },
  hub_push_messages_total: { help: "Messages to browsers, by what became of them", label: labels.push },
  hub_deliveries_dropped_total: {
    help: "Deliveries not made as their account had too much pending, by what",
    label: labels.dropped
  },
  hub_quota_written_total: { help: "Counted calls that are in the store" },
  hub_actor_crashes_total: { help: "Actors that crashed, by kind", label: labels.kind },
  hub_log_events_total: { help: "Events of logs that were passed on" },
  hub_log_dropped_total: { help: "Frames and events of logs that were dropped, by why", label: labels.logDropped },
  hub_log_gaps_total: { help: "Gaps that streams of logs were told of" },
  hub_log_streams_ended_total: { help: "Streams of logs that the hub ended, by why", label: labels.logEnded },
  hub_presence_changes_total: { help: "Times online that began or ended, by which", label: labels.presence },
  hub_bus_gaps_total: { help: "Times that messages on the bus may have been lost; one a second while it is away" },
  hub_bus_dropped_total: { help: "Messages the bus could not pass on" },
  hub_spans_dropped_total: { help: "Spans of traces that were not sent, by why", label: labels.spansDropped },
  hub_bus_refused_total: { help: "Messages on the bus that were not heard, by why", label: labels.refused }
} as const satisfies Record<string, Figure>

/** Gauges, read on demand. */
export const gauges = {
  hub_connections: { help: "Connections open, daemon sockets among them" },
  hub_connections_max: { help: "Connections there may be" },
  hub_exchanges: { help: "Requests under way" },
  hub_streams: { help: "Live streams open" },
  hub_log_streams: { help: "Streams of logs open" },
  hub_sockets: { help: "Daemon sockets open" },
  hub_sockets_unauthenticated: { help: "Daemon sockets that have not authenticated yet" },
  hub_body_bytes: { help: "Bytes of request bodies held before their checks are done" },
  hub_answer_bytes: { help: "Bytes of large answers that wait for their readers" },
  hub_daemons_online: { help: "Daemons online, grace included" },
  hub_daemons_in_grace: { help: "Daemons whose connection was lost and whose time online goes on for now" },
  hub_ready: { help: "Whether this node was ready when that was last looked at" },
  hub_bus_away: { help: "Whether this node does not hear the others" },
  hub_database_connections: { help: "Connections to the database, by state", label: labels.connection },
  hub_database_waiters: { help: "Callers that wait for a connection to the database" },
  hub_queue_entries: { help: "Entries that wait for the write under way, by queue", label: labels.queue },
  hub_deliveries_pending: { help: "Deliveries of the whole hub that wait to be made, 20000 at most" },
  hub_deliveries_overdue: { help: "Those of them that are a minute late, of receivers that are not known to be away" },
  hub_commands_pending: { help: "Commands that wait for a daemon" },
  hub_jobs: { help: "Jobs that this node leads" },
  hub_subscribers: { help: "Webhooks with a live subscriber here" },
  hub_buckets: { help: "Rate windows in memory" },
  hub_credentials_cached: { help: "Credentials in the cache" }
} as const satisfies Record<string, Figure>

export type CounterName = keyof typeof counters
/** The label values of a counter that are known at compile time. */
export type LabelOf<N extends CounterName> = (typeof counters)[N] extends { readonly label: Label<infer Value> }
  ? Value
  : ""
export type GaugeName = keyof typeof gauges

/** One counter at one value of its label. */
export interface Sum {
  sum: number
}

/** The registry that an exporter reads. It is the hub's own: no library adds a series to it. */
export const registry = Context.make(Metric.MetricRegistry, new Map())

/** Registers a series whose state is read only when an exporter asks. */
export const register = <Input, State>(metric: Metric.Metric<Input, State>, get: () => State): Metric.Registration =>
  Metric.registerUnsafe(metric, registry, { get, update: () => {}, modify: () => {} })

const counts = new Map<CounterName, Map<string, Sum>>()

/**
 * Adds a series. The exporter reads its cell: adding to the cell takes 2 ns, an update through the registry 110 ns, and
 * some series count every frame.
 */
const addSeries = (name: CounterName, value: string): Sum => {
  const { help, label }: Figure = counters[name]
  const attributes = label === undefined ? {} : { [label.name]: value }
  const cell: Sum = { sum: 0 }
  counts.get(name)!.set(value, cell)
  register(Metric.counter(name, { description: help, attributes, incremental: true }), () => ({
    count: cell.sum,
    incremental: true
  }))
  return cell
}

/** A longer list begins with `other` alone: most of its values never occur. */
const valuesFromStartMax = 40

/** The label values that are shown before they are counted. The list of members is empty until the schemas are made. */
const valuesFromStart = ({ values }: Label): Iterable<string> =>
  values.size > 0 && values.size <= valuesFromStartMax ? values : [other]

for (const [name, { label }] of Object.entries(counters) as Array<[CounterName, Figure]>) {
  counts.set(name, new Map())
  for (const value of label === undefined ? [""] : valuesFromStart(label)) addSeries(name, value)
}

/** A value outside the label's list counts as `other`: no peer can lengthen the text of the metrics. */
const listed = (name: CounterName, value: string): string => {
  const { label }: Figure = counters[name]
  return label === undefined || label.values.has(value) ? value : other
}

/** The sum itself, for code that counts per frame and saves the look-up. */
export const sumOf = <N extends CounterName>(name: N, value: LabelOf<N> | "" = ""): Sum => {
  const of = counts.get(name)!
  const known = of.get(value)
  if (known !== undefined) return known
  const under = listed(name, value)
  return of.get(under) ?? addSeries(name, under)
}

/** Adds to a counter. `value` is the label's value where the counter has one. */
export const count = <N extends CounterName>(name: N, value: LabelOf<N> | "" = "", by = 1): void => {
  sumOf(name, value).sum += by
}

/** The value of a counter. */
export const counted = (name: CounterName, value = ""): number => counts.get(name)!.get(value)?.sum ?? 0

/** One series of a gauge: what its readers give, and a level that is kept. */
interface Gauged extends Sum {
  readonly readers: Set<() => number>
}

const held = new Map<GaugeName, Map<string, Gauged>>()

const valueOf = ({ readers, sum }: Gauged): number => {
  let total = sum
  for (const read of readers) total += read()
  return total
}

for (const [name, { help, label }] of Object.entries(gauges) as Array<[GaugeName, Figure]>) {
  const series = new Map<string, Gauged>()
  held.set(name, series)
  for (const value of label?.values ?? [""]) {
    const one: Gauged = { sum: 0, readers: new Set() }
    series.set(value, one)
    const attributes = label === undefined ? {} : { [label.name]: value }
    register(Metric.gauge(name, { description: help, attributes }), () => ({ value: valueOf(one) }))
  }
}

/** The label values of a gauge. */
type GaugeLabelOf<N extends GaugeName> = (typeof gauges)[N] extends { readonly label: Label<infer Value> } ? Value : ""

/** Registers a reader of a gauge until the returned function is called. Several readers add up. */
export const watch = <N extends GaugeName>(
  name: N,
  read: () => number,
  value: GaugeLabelOf<N> | "" = ""
): (() => void) => {
  const { readers } = held.get(name)!.get(value)!
  readers.add(read)
  return () => {
    readers.delete(read)
  }
}

/** Registers a reader of a gauge without a label while the scope is open. */
export const watchInScope = (name: GaugeName, read: () => number): Effect.Effect<void, never, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.sync(() => watch(name, read)),
      (unwatch) => Effect.sync(unwatch)
    )
  )

/** The level of a gauge that has no owner to read it from: who adds to it takes away as much. */
export const levelOf = <N extends GaugeName>(name: N, value: GaugeLabelOf<N>): Sum => held.get(name)!.get(value)!

/** The value of a gauge. */
export const gauged = <N extends GaugeName>(name: N, value: GaugeLabelOf<N> | "" = ""): number =>
  valueOf(held.get(name)!.get(value)!)

/** All metrics in the Prometheus text format. */
export const prometheus = (): string => formatMetrics(Metric.snapshotUnsafe(registry))
