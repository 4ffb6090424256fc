/**
 * The bench's command line: `./hub bench [scenario …] [options]`. Owns the reading of its words, the progress line, the
 * table at the end and the exit code (1 where a figure misses its goal); measures nothing itself.
 */
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { attach } from "./attach.ts"
import { allHold, type Report, report, table, write } from "./figures.ts"
import { type BenchOptions, canPin, type Scenario } from "./ground.ts"
import { page } from "./page.ts"
import { changes, keep, records } from "./record.ts"
import { type ScenarioName, scenarios } from "./scenarios/all.ts"

const usage = `hub bench [scenario …] [options]      measures; without a scenario all of them, which takes half an hour
scenarios: ${Object.keys(scenarios).join(", ")}
  --daemons N         size of the fleet          --seconds S   length of one measurement (10)
  --rate R            operations offered a second where the scenario has a rate
  --runs N            repetitions; the median counts (3)
  --database D        postgres (default) or embedded
  --url U --email E --password P [--pid N]
                      measure a hub that runs already, signed in as this account; pid: its process on this machine
  --json F            write the figures           --html F      write a page with charts
  --compare           show the change against bench/baseline.json
  --record            make this run the one on record
  --cpu-prof D        have the hub write a CPU profile into this folder`

const flags = {
  daemons: { type: "string" },
  seconds: { type: "string" },
  rate: { type: "string" },
  runs: { type: "string" },
  database: { type: "string" },
  url: { type: "string" },
  email: { type: "string" },
  password: { type: "string" },
  pid: { type: "string" },
  json: { type: "string" },
  html: { type: "string" },
  "cpu-prof": { type: "string" },
  compare: { type: "boolean" },
  record: { type: "boolean" },
  tiny: { type: "boolean" },
  help: { type: "boolean" }
} as const

type Values = { readonly [K in keyof typeof flags]?: (typeof flags)[K]["type"] extends "string" ? string : boolean }

const print = (text: string): void => void process.stdout.write(`${text}\n`)

/** One line that is written over on a terminal, and lines where it is a file. */
const progress = (text: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text.slice(0, (process.stderr.columns ?? 80) - 1)}`)
  else process.stderr.write(`${text}\n`)
}

const number = (values: Values, name: "daemons" | "seconds" | "rate" | "runs" | "pid"): number | undefined => {
  const text = values[name]
  if (text === undefined) return undefined
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
  return value
}

const optionsOf = async (values: Values): Promise<BenchOptions> => {
  const daemons = number(values, "daemons")
  const rate = number(values, "rate")
  const pid = number(values, "pid")
  const { url, email, password, database = "postgres" } = values
  if (database !== "postgres" && database !== "embedded") throw new Error("--database is postgres or embedded")
  if (url !== undefined && (email === undefined || password === undefined))
    throw new Error("--url needs --email and --password of an account there")
  const profile = values["cpu-prof"]
  return {
    seconds: number(values, "seconds") ?? 10,
    runs: number(values, "runs") ?? 3,
    ...(daemons === undefined ? {} : { daemons }),
    ...(rate === undefined ? {} : { rate }),
    pinned: canPin() && url === undefined && values.tiny !== true,
    database,
    tiny: values.tiny === true,
    ...(url === undefined
      ? {}
      : { hub: await attach({ url, email: email!, password: password!, ...(pid === undefined ? {} : { pid }) }) }),
    ...(profile === undefined ? {} : { nodeArguments: ["--cpu-prof", `--cpu-prof-dir=${profile}`] }),
    say: progress
  }
}

const finish = (made: ReadonlyArray<Report>, values: Values): void => {
  if (values.compare === true) for (const one of made) print(changes(one, records()[one.scenario]).join("\n"))
  if (values.record === true) keep(made)
  if (values.json !== undefined) {
    if (made.length === 1) write(made[0]!, values.json)
    else writeFileSync(values.json, `${JSON.stringify(made, null, 2)}\n`)
  }
  if (values.html !== undefined) writeFileSync(values.html, page(made))
}

/** Runs what the words ask for; gives the exit code. */
export const bench = async (words: ReadonlyArray<string>): Promise<number> => {
  let values: Values
  let names: ReadonlyArray<ScenarioName>
  let options: BenchOptions
  try {
    const parsed = parseArgs({ args: [...words], allowPositionals: true, options: flags })
    values = parsed.values
    if (values.help === true) {
      print(usage)
      return 0
    }
    const unknown = parsed.positionals.find((name) => !Object.hasOwn(scenarios, name))
    if (unknown !== undefined) throw new Error(`there is no scenario ${unknown}`)
    const asked = parsed.positionals as ReadonlyArray<ScenarioName>
    names = asked.length > 0 ? asked : (Object.keys(scenarios) as ReadonlyArray<ScenarioName>)
    options = await optionsOf(values)
  } catch (error) {
    print(`${error instanceof Error ? error.message : String(error)}\n${usage}`)
    return 2
  }
  const made: Array<Report> = []
  try {
    for (const name of names) {
      const scenario: Scenario = scenarios[name]
      const { figures, series } = await scenario(options)
      if (process.stderr.isTTY) progress("")
      made.push(report(name, figures, series))
      print(`${table(made.at(-1)!)}\n`)
    }
  } finally {
    await options.hub?.stop()
  }
  finish(made, values)
  return made.every(allHold) ? 0 : 1
}
