/**
 * The bench's command line: `./hub bench [scenario] [--seconds N] [--json file]`. Owns the list of scenarios, the
 * table at the end and the exit code (1 where a figure misses its goal); measures nothing itself.
 */
import { parseArgs } from "node:util"
import { delivery } from "./delivery.ts"
import { allHold, type Figure, report, table, write } from "./figures.ts"
import { limits } from "./limits.ts"

interface Options {
  readonly seconds: number
}

const scenarios: Record<string, (options: Options) => Promise<ReadonlyArray<Figure>>> = {
  delivery: ({ seconds }) => delivery({ seconds, baselines: true }),
  limits: () => limits()
}

const usage = `./hub bench <scenario> [--seconds N] [--json file]\nscenarios: ${Object.keys(scenarios).join(", ")}`

/** Runs what the words ask for; gives the exit code. */
export const bench = async (words: ReadonlyArray<string>): Promise<number> => {
  const print = (text: string): void => void process.stdout.write(`${text}\n`)
  let parsed: { values: { seconds?: string; json?: string; help?: boolean }; positionals: Array<string> }
  try {
    parsed = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { seconds: { type: "string" }, json: { type: "string" }, help: { type: "boolean" } }
    })
  } catch (error) {
    print(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
    return 2
  }
  const { values, positionals } = parsed
  const name = positionals[0]
  const scenario = name === undefined ? undefined : scenarios[name]
  const seconds = Number(values.seconds ?? "20")
  if (values.help === true || name === undefined || scenario === undefined || !(seconds > 0)) {
    print(usage)
    return values.help === true ? 0 : 2
  }
  const made = report(name, await scenario({ seconds }))
  print(table(made))
  if (values.json !== undefined) write(made, values.json)
  return allHold(made) ? 0 : 1
}
