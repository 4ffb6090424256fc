/** What several scenarios do with a fleet: settle it on a server, and command it. Measures nothing. */
import type { Generator } from "../fleet/generator.ts"
import type { Behaviour } from "../fleet/light-daemon.ts"
import type { Ask } from "../load/wrk.ts"

const reportMillis = 30_000
const joiningAtOnce = 200

/** Connects a daemon for each token to a server and waits until all are online; their ids. */
export const settle = async (
  generator: Generator,
  fleet: string,
  url: string,
  tokens: ReadonlyArray<string>,
  from?: string,
  addresses = 1
): Promise<ReadonlyArray<string>> => {
  await generator.ask("fleet", { fleet, url, reportMillis, ...(from === undefined ? {} : { from, addresses }) })
  return join(generator, fleet, url, tokens)
}

/** Connects further daemons of a fleet. */
export const join = async (
  generator: Generator,
  fleet: string,
  url: string,
  tokens: ReadonlyArray<string>,
  manner: Behaviour = "idle"
): Promise<ReadonlyArray<string>> => {
  const { failed, daemonIds } = await generator.ask("join", { fleet, tokens, manner, atOnce: joiningAtOnce })
  if (failed > 0) throw new Error(`${failed} of ${tokens.length} daemons could not connect to ${url}`)
  return daemonIds
}

/** A cheap command to a daemon. */
export const commandTo = (daemonId: string, key: string): Ask => ({
  method: "POST",
  path: `/api/v1/daemons/${daemonId}/command`,
  headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  body: JSON.stringify({ type: "read_chat", payload: {} })
})
