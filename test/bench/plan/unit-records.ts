/** Figures of record of which unit costs are made, as a run of the bench writes them. Owns these numbers. */
import { unitScenarios } from "../../../bench/plan/units.ts"
import type { Records } from "../../../bench/report/record.ts"

const usual: Readonly<Record<string, number>> = {
  idle_cpu_us_per_s: 4,
  idle_joined_cpu_us_per_s: 5,
  idle_joined_postgres_us_per_s: 1,
  idle_joined_rss_bytes: 6_000,
  idle_joined_empty_rss_mb: 200,
  connect_cpu_us: 400,
  connect_postgres_us: 100,
  command_cpu_us: 60,
  local_node_cpu_us: 100,
  cross_node_cpu_us: 180,
  cross_node_redis_us: 20,
  events_cpu_us: 25,
  events_postgres_us: 5,
  delivery_cpu_us: 150,
  delivery_postgres_us: 60,
  get_daemons_cpu_us: 30
}

/** Records of a machine, of these scenarios; each has all figures. */
export const unitRecords = (
  more: Readonly<Record<string, number>> = {},
  machine = "m",
  scenarios: ReadonlyArray<string> = unitScenarios
): Records => {
  const figures = Object.entries({ ...usual, ...more }).map(([name, value]) => ({ name, value, unit: "" }))
  return Object.fromEntries(scenarios.map((scenario) => [scenario, { scenario, machine, revision: "r", figures }]))
}
