/** How late does the hub's event loop get while the embedded database works for a second? */

import type { BenchOptions, Outcome } from "../fixture.ts"
import { atMost, shown } from "../report/figures.ts"
import { runProgram } from "../servers/child.ts"

const lagMillisMax = 20

/** Runs the scenario, in a process of its own: the store as the hub has it, and a clock beside it. */
export const lag = async (options: BenchOptions): Promise<Outcome> => {
  const millis = options.tiny === true ? 50 : 1_000
  const lags: Array<number> = []
  let query = 0
  for (let run = 1; run <= options.runs; run++) {
    options.say(`lag: run ${run} of ${options.runs}`)
    const said = await runProgram("micro/lag-process.ts", [String(millis)])
    lags.push(Number(said["lagMillis"]))
    query = Number(said["queryMillis"])
  }
  return {
    figures: [
      atMost("event_loop_lag_ms", Math.max(...lags), "ms", lagMillisMax),
      shown("event_loop_query_ms", query, "ms")
    ]
  }
}
