/**
 * What the process itself uses, under the names that other Node services give it: memory, processor, descriptors,
 * garbage collections, and how late the event loop runs. Owns the observers; they run while their scope is open.
 */
import { constants, monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks"
import { getHeapStatistics } from "node:v8"
import { Clock, Effect, Metric } from "effect"
import { descriptorsMax, descriptorsOpen } from "./descriptors.ts"
import { observe, type Series, seriesOf } from "./histograms.ts"
import { register } from "./metrics.ts"

/**
 * How often it is seen how late the loop is: each stall of this length, and of shorter ones a share. At 10 ms it would
 * cost ten times as much: 0.5 % of a core, more than a thousand idle daemons.
 */
const loopDelayMillis = 100
const nanosPerSecond = 1e9
const microsPerSecond = 1e6

const gauge = (name: string, description: string, read: () => number): Metric.Registration =>
  register(Metric.gauge(name, { description }), () => ({ value: read() }))

const memoryGauges = () => [
  gauge("process_resident_memory_bytes", "Resident memory", () => process.memoryUsage.rss()),
  gauge("nodejs_heap_size_total_bytes", "Size of the heap", () => getHeapStatistics().total_heap_size),
  gauge("nodejs_heap_size_limit_bytes", "What the heap may grow to", () => getHeapStatistics().heap_size_limit),
  gauge("nodejs_heap_size_used_bytes", "Used part of the heap", () => getHeapStatistics().used_heap_size),
  gauge("nodejs_external_memory_bytes", "Memory of buffers outside the heap", () => getHeapStatistics().external_memory)
]

/** Where the system does not say how many descriptors are open, or has no limit, it is not shown. */
const handleGauges = () => {
  const [open, max] = [descriptorsOpen(), descriptorsMax()]
  return [
    gauge(
      "nodejs_active_resources",
      "Handles and requests of Node, those of the sockets library apart",
      () => process.getActiveResourcesInfo().length
    ),
    ...(open === undefined ? [] : [gauge("process_open_fds", "File descriptors in use", () => descriptorsOpen() ?? 0)]),
    ...(Number.isFinite(max) ? [gauge("process_max_fds", "File descriptors there may be", () => max)] : [])
  ]
}

const startTime = (clock: Clock.Clock): Metric.Registration => {
  const startedAt = clock.currentTimeMillisUnsafe() / 1_000 - process.uptime()
  return gauge("process_start_time_seconds", "When the process started, since 1970", () => startedAt)
}

const processorTime = (): Metric.Registration => {
  const help = "Processor time of the process, all threads"
  const metric = Metric.counter("process_cpu_seconds_total", { description: help, incremental: true })
  return register(metric, () => {
    const { user, system } = process.cpuUsage()
    return { count: (user + system) / microsPerSecond, incremental: true }
  })
}

/** The delays are those since the last scrape, so that the greatest is not the greatest for ever. */
const watchLoop = () => {
  const delays = monitorEventLoopDelay({ resolution: loopDelayMillis })
  delays.enable()
  const seconds = (nanos: number): number => Math.max(0, nanos / nanosPerSecond - loopDelayMillis / 1_000)
  const of = (name: string, help: string, read: () => number) =>
    gauge(`nodejs_eventloop_lag_${name}_seconds`, `${help} of the event loop since the last scrape`, () =>
      delays.count === 0 ? 0 : seconds(read())
    )
  const gauges = [
    of("p50", "Median delay", () => delays.percentile(50)),
    of("p99", "99th percentile of the delay", () => delays.percentile(99)),
    // read last: what follows is the next scrape's
    of("max", "Greatest delay", () => {
      const { max } = delays
      delays.reset()
      return max
    })
  ]
  return { gauges, stop: () => delays.disable() }
}

const kinds = new Map([
  [constants.NODE_PERFORMANCE_GC_MAJOR, "major"],
  [constants.NODE_PERFORMANCE_GC_MINOR, "minor"],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, "incremental"],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, "weakcb"]
])

/** The entry of a collection; Node's types lack half of it. */
type Collection = PerformanceEntry & { readonly detail: { readonly kind: number } }

const watchCollections = () => {
  const series = new Map<number, Series>()
  for (const [kind, name] of kinds) series.set(kind, seriesOf("nodejs_gc_duration_seconds", { kind: name }))
  const observer = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as unknown as ReadonlyArray<Collection>) {
      const one = series.get(detail.kind)
      if (one !== undefined) observe(one, duration / 1_000)
    }
  })
  observer.observe({ entryTypes: ["gc"] })
  return { stop: () => observer.disconnect() }
}

/** Shows what the process uses while the scope is open. */
export const watchProcess = Effect.acquireRelease(
  Effect.map(Clock.Clock, (clock) => {
    const loop = watchLoop()
    const own = [...memoryGauges(), ...handleGauges(), startTime(clock), processorTime()]
    return { gauges: [...own, ...loop.gauges], stops: [loop.stop, watchCollections().stop] }
  }),
  ({ gauges, stops }) =>
    Effect.sync(() => {
      for (const one of gauges) one.remove()
      for (const stop of stops) stop()
    })
)
