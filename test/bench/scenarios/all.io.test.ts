/**
 * What each scenario of the bench tells of: it runs once, at a size that takes a moment, and its figures have their
 * names and units; some only at night. No figure is judged or has to be there: this machine may be doing anything. All
 * but those whose subject is a hub of their own share two nodes.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type BenchOptions, withHubs } from "../../../bench/fixture.ts"
import { report, table } from "../../../bench/report/figures.ts"
import { page } from "../../../bench/report/page.ts"
import { type ScenarioName, scenarios } from "../../../bench/scenarios/all.ts"
import { freePort } from "../../../bench/servers/free-port.ts"
import type { BenchHub } from "../../../bench/servers/hub.ts"
import { inspectedAt } from "../../../bench/servers/inspector.ts"
import type { Stores } from "../../../bench/servers/store-cpu.ts"
import { atNight } from "../../support/run-sizes.ts"

const options: BenchOptions = {
  seconds: 0.1,
  runs: 1,
  daemons: 10,
  rate: 50,
  pinned: false,
  database: "embedded",
  tiny: true,
  settings: { HUB_DRAIN: "100ms" },
  inputs: 20,
  say: () => {}
}

/** What the scenarios share. */
interface Shared {
  readonly hubs: ReadonlyArray<BenchHub>
  readonly stores: Stores
  /** Of the first hub. */
  readonly inspector: number
}
let shared: Shared
let end: () => Promise<void>
beforeAll(async () => {
  const over = Promise.withResolvers<void>()
  const inspector = await freePort()
  // some wait until all daemons are offline
  const settings = { ...options.settings, HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8", HUB_DISCONNECT_GRACE: "1s" }
  // as a scenario of several nodes starts them
  shared = await new Promise<Shared>((resolve, reject) => {
    const whole = withHubs(
      { ...options, nodes: 2, settings, nodeArguments: inspectedAt(inspector) },
      (hubs, stores) => {
        resolve({ hubs, stores, inspector })
        return over.promise
      }
    )
    whole.catch(reject)
    end = () => {
      over.resolve()
      return whole
    }
  })
})
afterAll(() => end?.())

const optionsOf = (name: ScenarioName): BenchOptions => {
  const [hub, ...others] = shared.hubs
  switch (name) {
    case "endure":
    case "footprint":
    case "start":
      return options
    case "fuzz":
      return { ...options, only: ["rest"] }
    case "idle-joined":
      return { ...options, hub: hub!, others, stores: shared.stores, inspector: shared.inspector }
    case "siege":
      // its other rows: siege.night.io.test.ts
      return { ...options, hub: hub!, only: ["pings", "slow-heads"] }
    case "crowd":
    case "nodes":
      return { ...options, hub: hub!, others }
    default:
      return { ...options, hub: hub! }
  }
}

/** Some of the figures of each, with their units. */
const promised: Readonly<Record<ScenarioName, ReadonlyArray<string>>> = {
  rest: ["get_daemons_vs_bare /s", "get_daemons_vs_fastify /s"],
  command: [
    "command_vs_bare /s",
    "command_cpu_vs_bare µs",
    "command_vs_fastify /s",
    "command_added_p50_ms ms",
    "command_added_p99_ms ms",
    "growth_command µs"
  ],
  jobs: [
    "job_rate_off %",
    "job_slow_rate_off %",
    "job_failed targets",
    "job_sent_again commands",
    "job_abort_ms ms",
    "job_exit_sent_beyond commands",
    "job_cpu_vs_single µs",
    "job_abort_end_ms ms"
  ],
  connect: ["connect_per_s /s"],
  idle: ["idle_rss_bytes B", "idle_cpu_us_per_s µs/s"],
  "idle-joined": ["idle_joined_rss_bytes B", "idle_joined_cpu_us_per_s µs/s", "idle_joined_postgres_us_per_s µs/s"],
  find: ["find_online_ms ms", "find_offline_ms ms"],
  policies: ["policies_reach_ms ms", "policies_cpu_us µs"],
  approvals: ["question_to_event_p50_ms ms", "question_to_event_p99_ms ms"],
  fanout: ["events_per_s /s"],
  streams: ["streams_p50_ms ms", "streams_p99_ms ms", "streams_cpu_vs_bare µs", "streams_idle_bytes B"],
  delivery: ["deliveries_per_s /s", "event_to_receiver_p50_ms ms", "event_to_receiver_p99_ms ms"],
  registry: ["registry_metadata_vs_bare /s", "registry_304_vs_bare /s", "registry_download_vs_bare /s"],
  nodes: ["cross_node_added_p50_us µs", "cross_node_added_vs_hop µs", "cross_node_vs_local /s", "hop_redis_p50_us µs"],
  footprint: ["registry_instructions instructions", "report_instructions instructions"],
  limits: ["limit_check_us µs", "limit_check_redis_us µs", "bucket_rss_bytes B"],
  observability: ["traces_sampled_cpu µs", "observed_cpu_share %", "observed_metrics_us µs", "observed_audit_us µs"],
  lag: ["event_loop_lag_ms ms"],
  cost: ["cost_underestimate x", "cost_memory_underestimate x", "cost_scan_ms_per_mib ms"],
  start: ["start_second_s s", "start_second_vs_bare s", "start_first_s s", "start_second_cpu_s s"],
  mixed: ["mixed_command_p99_ms ms", "mixed_failed commands", "mixed_healthy_lost daemons"],
  storm: ["storm_back_s s", "storm_command_p99_ms ms", "storm_failed commands"],
  crowd: [
    "crowd_online daemons",
    "crowd_lost daemons",
    "crowd_command_p99_ms ms",
    "crowd_failed commands",
    "crowd_memory_growth MB",
    "crowd_cores_vs_model cores",
    "crowd_memory_vs_model MB"
  ],
  endure: [
    "endure_lost deliveries",
    "endure_throughput_after_vs_before /s",
    "endure_table_growth MB",
    "endure_pinned_per_s /s"
  ],
  siege: [
    "siege_pings_p99_ms ms",
    "siege_pings_failed requests",
    "siege_pings_rss_mb MB",
    "siege_slow_heads_broken things"
  ],
  fuzz: ["fuzz_rest_findings", "fuzz_rest_per_s /s"]
}

// what starts hubs of its own or waits for long, valgrind most of all: at night; and of fuzz more in fuzz.io.test.ts
const long: ReadonlySet<string> = new Set(["lag", "start", "endure", "siege", "storm", "fuzz", "footprint"])
const played = (Object.keys(scenarios) as ReadonlyArray<ScenarioName>).filter((name) => atNight || !long.has(name))
it.each(played)("the bench measures %s", async (name) => {
  const outcome = await scenarios[name](optionsOf(name))
  // what is told by the CPU that was used is told so where the core was not busy
  const figures = outcome.figures.map(({ name: figure, unit }) => `${figure} ${unit.replace(" by CPU", "")}`.trim())
  expect(figures).toEqual(expect.arrayContaining([...promised[name]]))
  const made = report(name, outcome)
  for (const figure of made.figures) expect(table(made)).toContain(figure.name)
  expect(page([made])).toContain(`<h2>${name}</h2>`)
})
