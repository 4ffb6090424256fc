/**
 * Every scenario of the bench runs, at a size that takes a second, against one hub: its figures have their names and
 * are numbers. No figure is judged: this machine may be doing anything.
 */
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import type { BenchOptions } from "../../../bench/fixture.ts"
import { report, table } from "../../../bench/report/figures.ts"
import { page } from "../../../bench/report/page.ts"
import { type ScenarioName, scenarios } from "../../../bench/scenarios/all.ts"
import { type BenchHub, startHub } from "../../../bench/servers/hub.ts"

const patienceMillis = 180_000
let hub: BenchHub | undefined
beforeEach(async ({ task }) => {
  // a try after one that failed does not go on with what that one left
  const again = (task.result?.retryCount ?? 0) > 0
  if (hub !== undefined && !again) return
  await hub?.stop()
  hub = await startHub({ settings: { HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8", HUB_DRAIN: "100ms" } })
}, patienceMillis)
afterAll(() => hub?.stop(), patienceMillis)

const ofItsOwn: BenchOptions = {
  seconds: 0.3,
  runs: 1,
  daemons: 10,
  rate: 50,
  pinned: false,
  database: "postgres",
  tiny: true,
  settings: { HUB_DRAIN: "100ms" },
  // siege.night.test.ts has each row of siege, fuzz.test.ts more inputs
  only: ["pings", "rest", "socket", "registry"],
  say: () => {}
}

const options = (running: BenchHub): BenchOptions => ({ ...ofItsOwn, hub: running })

const promised: Readonly<Record<ScenarioName, ReadonlyArray<string>>> = {
  rest: ["get_daemons_vs_bare", "get_daemons_vs_fastify"],
  command: [
    "command_vs_bare",
    "command_cpu_vs_bare",
    "command_vs_fastify",
    "command_added_p50_ms",
    "command_added_p99_ms",
    "growth_command"
  ],
  jobs: [
    "job_rate_off",
    "job_slow_rate_off",
    "job_failed",
    "job_sent_again",
    "job_abort_ms",
    "job_cpu_vs_single",
    "job_abort_end_ms"
  ],
  connect: ["connect_per_s"],
  idle: ["idle_rss_bytes", "idle_cpu_us_per_s"],
  "idle-joined": ["idle_joined_rss_bytes", "idle_joined_cpu_us_per_s", "idle_joined_postgres_us_per_s"],
  fanout: ["events_per_s"],
  streams: ["streams_p50_ms", "streams_p99_ms", "streams_cpu_vs_bare", "streams_idle_bytes"],
  delivery: ["deliveries_per_s", "event_to_receiver_p50_ms", "event_to_receiver_p99_ms"],
  registry: ["registry_metadata_vs_bare", "registry_304_vs_bare", "registry_download_vs_bare"],
  nodes: ["cross_node_added_p50_us", "cross_node_added_vs_hop", "cross_node_vs_local", "hop_redis_p50_us"],
  limits: ["limit_check_us", "limit_check_redis_us", "bucket_rss_bytes"],
  observability: ["traces_sampled_cpu", "observed_cpu_share", "observed_metrics_us", "observed_audit_us"],
  lag: ["event_loop_lag_ms"],
  start: ["start_second_s", "start_second_vs_bare", "start_first_s", "start_second_cpu_s"],
  mixed: ["mixed_command_p99_ms", "mixed_failed", "mixed_healthy_lost"],
  storm: ["storm_back_s", "storm_command_p99_ms", "storm_failed"],
  crowd: [
    "crowd_online",
    "crowd_lost",
    "crowd_command_p99_ms",
    "crowd_failed",
    "crowd_memory_growth",
    "crowd_cores_vs_model",
    "crowd_memory_vs_model"
  ],
  endure: ["endure_lost", "endure_throughput_after_vs_before", "endure_table_growth", "endure_pinned_per_s"],
  siege: ["siege_pings_p99_ms", "siege_pings_failed", "siege_pings_rss_mb", "siege_pings_broken"],
  fuzz: ["fuzz_rest_findings", "fuzz_socket_findings", "fuzz_registry_findings", "fuzz_rest_per_s"]
}

describe("the bench measures", () => {
  it.each(Object.keys(scenarios) as ReadonlyArray<ScenarioName>)("%s", { timeout: patienceMillis }, async (name) => {
    const outcome = await scenarios[name](
      ["nodes", "idle-joined", "crowd", "endure", "observability", "fuzz"].includes(name) ? ofItsOwn : options(hub!)
    )
    const { figures } = outcome
    expect(figures.map((figure) => figure.name)).toEqual(expect.arrayContaining([...promised[name]]))
    for (const figure of figures) expect([figure.name, Number.isFinite(figure.value)]).toEqual([figure.name, true])
    const made = report(name, outcome)
    for (const figure of made.figures) expect(table(made)).toContain(figure.name)
    expect(page([made])).toContain(`<h2>${name}</h2>`)
  })
})
