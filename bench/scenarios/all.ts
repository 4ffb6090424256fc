/** The list of scenarios by name, and which of them run when none is named. Owns no measurement. */

import type { Scenario } from "../fixture.ts"
import { approvals } from "./approvals.ts"
import { command } from "./command.ts"
import { connect } from "./connect.ts"
import { cost } from "./cost.ts"
import { crowd } from "./crowd.ts"
import { delivery } from "./delivery.ts"
import { endure } from "./endure.ts"
import { fanout } from "./fanout.ts"
import { find } from "./find.ts"
import { footprint } from "./footprint.ts"
import { fuzz } from "./fuzz.ts"
import { idle } from "./idle.ts"
import { jobs } from "./jobs.ts"
import { lag } from "./lag.ts"
import { limits } from "./limits.ts"
import { mixed } from "./mixed.ts"
import { nodes } from "./nodes.ts"
import { observability } from "./observability.ts"
import { policies } from "./policies.ts"
import { registry } from "./registry.ts"
import { rest } from "./rest.ts"
import { siege } from "./siege.ts"
import { start } from "./start.ts"
import { storm } from "./storm.ts"
import { streams } from "./streams.ts"

/** Every scenario. */
export const scenarios = {
  rest,
  command,
  jobs,
  connect,
  idle,
  "idle-joined": (options) => idle({ ...options, nodes: Math.max(2, options.nodes ?? 0) }),
  fanout,
  streams,
  delivery: async ({ seconds, tiny, hub, checkout, settings, nodeArguments, say }) =>
    delivery({
      seconds,
      baselines: tiny !== true,
      tiny: tiny === true,
      say,
      ...(hub === undefined ? {} : { hub }),
      ...(checkout === undefined ? {} : { checkout }),
      ...(settings === undefined ? {} : { settings }),
      ...(nodeArguments === undefined ? {} : { nodeArguments })
    }),
  nodes,
  policies,
  approvals,
  find,
  registry,
  footprint,
  limits,
  observability,
  lag,
  cost,
  start,
  mixed,
  storm,
  crowd,
  endure,
  siege,
  fuzz
} as const satisfies Record<string, Scenario>

/** The name of one. */
export type ScenarioName = keyof typeof scenarios

const long: ReadonlySet<ScenarioName> = new Set(["crowd", "endure", "siege", "fuzz", "footprint"])

/** What runs when none is named: all but those that take a quarter of an hour or more each. */
export const usual = (Object.keys(scenarios) as ReadonlyArray<ScenarioName>).filter((name) => !long.has(name))

/** What can be measured of a hub that runs already: `nodes` of it are known, and whether its process is here. */
export const attachable = (hub: { readonly nodes: number; readonly pid: boolean }): ReadonlyArray<ScenarioName> =>
  usual.filter((name) => {
    if (name === "nodes") return hub.nodes > 1
    // delivery and registry make accounts on the hub's command line; the others of this list measure no hub that runs
    return name === "idle" || name === "streams"
      ? hub.pid
      : !["idle-joined", "delivery", "registry", "limits", "lag", "cost", "start", "observability"].includes(name)
  })
