/** The list of scenarios by name. Owns no measurement. */
import { delivery } from "../delivery.ts"
import type { Scenario } from "../ground.ts"
import { limits } from "../limits.ts"
import { command } from "./command.ts"
import { connect } from "./connect.ts"
import { fanout } from "./fanout.ts"
import { idle } from "./idle.ts"
import { lag } from "./lag.ts"
import { mixed } from "./mixed.ts"
import { registry } from "./registry.ts"
import { rest } from "./rest.ts"

/** Every scenario. */
export const scenarios = {
  rest,
  command,
  connect,
  idle,
  fanout,
  delivery: async ({ seconds, tiny, hub }) => ({
    figures: await delivery({ seconds, baselines: tiny !== true, ...(hub === undefined ? {} : { hub }) })
  }),
  registry,
  limits: async ({ tiny }) => ({ figures: await (tiny === true ? limits(50, 1_000) : limits()) }),
  lag,
  mixed
} as const satisfies Record<string, Scenario>

/** The name of one. */
export type ScenarioName = keyof typeof scenarios
