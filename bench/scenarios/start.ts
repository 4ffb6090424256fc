/**
 * How soon is a hub ready, the first time in a data folder and the second time, beside a bare Node that opens the same
 * database? Owns the turns; each run has a folder of its own.
 */
import { join } from "node:path"
import type { BenchOptions, Outcome } from "../fixture.ts"
import { median, middle, middleAtMost, spread } from "../report/compare.ts"
import { shown } from "../report/figures.ts"
import { startProgram } from "../servers/child.ts"
import { removeFolder, scratchFolder } from "../servers/child-process.ts"
import { type Started, startOnce } from "../servers/started-hub.ts"

const goals = { second: 2 }
interface Round {
  readonly first: Started
  readonly second: Started
  /** Seconds of a bare process until it has the folder open. */
  readonly bare: number
}

const bareStart = async (dataFolder: string): Promise<number> => {
  const began = performance.now()
  const program = startProgram("baseline/embedded.ts", [join(dataFolder, "database")])
  try {
    await program.line()
    return (performance.now() - began) / 1_000
  } finally {
    await program.stop()
  }
}

const round = async (script: boolean): Promise<Round> => {
  const folder = scratchFolder("hub-bench-start-")
  try {
    const data = join(folder, "data")
    const first = await startOnce(data, script)
    const second = await startOnce(data, script)
    return { first, second, bare: await bareStart(data) }
  } finally {
    removeFolder(folder)
  }
}

/** Runs the scenario. `./hub` itself is started, but for tests: it may install what is missing. */
export const start = async (options: BenchOptions): Promise<Outcome> => {
  const rounds: Array<Round> = []
  for (let run = 1; run <= options.runs; run++) {
    options.say(`start: run ${run} of ${options.runs}`)
    rounds.push(await round(options.tiny !== true))
  }
  const seconds = (of: (round: Round) => number): ReadonlyArray<number> => rounds.map(of)
  const second = seconds((one) => one.second.millis / 1_000)
  const bare = seconds((one) => one.bare)
  return {
    figures: [
      middleAtMost("start_second_s", second, "s", goals.second),
      {
        ...shown("start_second_vs_bare", median(second), "s"),
        baseline: median(bare),
        ratio: median(second) / median(bare),
        ...(second.length < 2 ? {} : { spread: spread(second) })
      },
      middle(
        "start_first_s",
        seconds((one) => one.first.millis / 1_000),
        "s"
      ),
      middle(
        "start_second_cpu_s",
        seconds((one) => one.second.cpuSeconds),
        "s"
      )
    ]
  }
}
