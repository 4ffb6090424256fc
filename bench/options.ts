/**
 * The words of `./hub bench`: what they may be, and what they ask for. Owns their reading and the sentences that say
 * what is wrong with them; measures nothing.
 */
import { closeSync, existsSync, openSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { type BenchOptions, canPin } from "./fixture.ts"
import { attachable, type ScenarioName, scenarios, usual } from "./scenarios/all.ts"
import { attach, attachNode } from "./servers/attached-hub.ts"
import type { BenchHub } from "./servers/hub.ts"
import { attacks } from "./siege/all.ts"
import { Misused, reasonOf, UsageError } from "./usage-error.ts"

/** What to write on `--help` and beside a mistake. */
export const usage = `hub bench [scenario …] [options]   measures; without a scenario all but crowd and siege,
                      in less than 25 minutes
scenarios: ${Object.keys(scenarios).join(", ")}
  --daemons N         size of the fleet          --seconds S   length of one measurement (8; crowd 600, siege 10)
  --rate R            operations offered a second where the scenario has a rate
  --runs N            repetitions; the median counts (3)
  --database D        postgres (default; of siege embedded) or embedded
  --nodes N           the hub has N nodes, joined by a Redis; the first is measured, in nodes and crowd all
  --url U --email E --password P [--pid N]
                      measure a hub that runs already, signed in as this account; pid: its process on this machine.
                      Further nodes: --url and --pid again
  --only A,B          the rows of siege that run
  --checkout D        siege measures the hub of this checkout of the project, with the attackers of this one
  --json F            write the figures           --html F      write a page with charts
  --compare           show the change against bench/baseline.json
  --record            make this run the one on record
  --cpu-prof D        have the hub write a CPU profile into this folder`

const flags = {
  daemons: { type: "string" },
  seconds: { type: "string" },
  rate: { type: "string" },
  runs: { type: "string" },
  nodes: { type: "string" },
  database: { type: "string" },
  url: { type: "string", multiple: true },
  email: { type: "string" },
  password: { type: "string" },
  pid: { type: "string", multiple: true },
  json: { type: "string" },
  html: { type: "string" },
  "cpu-prof": { type: "string" },
  only: { type: "string" },
  checkout: { type: "string" },
  compare: { type: "boolean" },
  record: { type: "boolean" },
  tiny: { type: "boolean" },
  help: { type: "boolean" }
} as const

const parse = (words: ReadonlyArray<string>) => parseArgs({ args: [...words], allowPositionals: true, options: flags })
type Values = ReturnType<typeof parse>["values"]

/** The parsed arguments. */
export interface ParsedOptions {
  readonly names: ReadonlyArray<ScenarioName>
  readonly options: (name: ScenarioName) => BenchOptions
  /** Files to write, and what to do with the record. */
  readonly json?: string
  readonly html?: string
  readonly compare: boolean
  readonly record: boolean
  readonly hubs: ReadonlyArray<BenchHub>
}

const standardSeconds = 8
const ownSeconds: Partial<Record<ScenarioName, number>> = { crowd: 600, siege: 10 }
const nodesMax = 16

const number = (text: string | undefined, name: string, whole = true): number | undefined => {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!(value > 0) || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
    throw new Misused(`--${name} must be a ${whole ? "whole " : ""}number above 0, not ${text}`)
  return value
}

/** A file that cannot be written is better known before the run than after it. */
const writable = (file: string | undefined, name: string): void => {
  if (file === undefined) return
  try {
    closeSync(openSync(file, "a"))
  } catch (error) {
    throw new UsageError(`--${name} cannot be written: ${reasonOf(error)}`)
  }
}

/** What belongs to the siege alone. */
const checkSiege = ({ only, checkout }: Values, names: ReadonlyArray<ScenarioName>): void => {
  if ((only !== undefined || checkout !== undefined) && names.some((name) => name !== "siege"))
    throw new Misused("--only and --checkout belong to siege: name it, and nothing else")
  const unknown = only?.split(",").find((name) => !Object.hasOwn(attacks, name))
  if (unknown !== undefined) throw new Misused(`siege has no row ${unknown}; it has ${Object.keys(attacks).join(", ")}`)
  if (checkout !== undefined && !existsSync(join(checkout, "src/main.ts")))
    throw new Misused(`--checkout is a folder with a checkout of this project, not ${checkout}`)
}

/** Is given how to take back what was made at a hub that runs already. */
type Made = (takeBack: () => Promise<void>) => void

const attached = async (values: Values, made: Made): Promise<ReadonlyArray<BenchHub>> => {
  const { url: urls = [], email, password, pid: pids = [] } = values
  if (urls.length === 0) {
    if (email !== undefined || password !== undefined || pids.length > 0)
      throw new Misused("--email, --password and --pid belong to a hub that runs already: name it with --url")
    return []
  }
  if (email === undefined || password === undefined)
    throw new Misused("--url needs --email and --password of an account there")
  const told = pids.map((pid) => number(pid, "pid")!)
  const [first, ...others] = await Promise.all(
    urls.map((url, at) => {
      const pid = told[at] === undefined ? {} : { pid: told[at] }
      return at === 0 ? attach({ url, email, password, ...pid }, made) : attachNode({ url, ...pid })
    })
  )
  return [first!, ...others]
}

const namesOf = (positionals: ReadonlyArray<string>, values: Values): ReadonlyArray<ScenarioName> => {
  const unknown = positionals.find((name) => !Object.hasOwn(scenarios, name))
  if (unknown !== undefined)
    throw new Misused(`there is no scenario ${unknown}; there are ${Object.keys(scenarios).join(", ")}`)
  if (positionals.length > 0) return positionals as ReadonlyArray<ScenarioName>
  if (values.url === undefined) return usual
  return attachable({ nodes: values.url.length, pid: values.pid !== undefined })
}

/** What a hub elsewhere cannot be asked is said before anything is made there. */
const assertSeenFromOutside = (names: ReadonlyArray<ScenarioName>, values: Values): void => {
  const seen = attachable({ nodes: values.url!.length, pid: values.pid !== undefined })
  const unseen = names.find((name) => name !== "crowd" && !seen.includes(name))
  if (unseen !== undefined)
    throw new Misused(`${unseen} cannot be measured there; of this hub these can: ${seen.join(", ")}`)
}

const check = (values: Values): void => {
  const { database = "postgres", url } = values
  if (database !== "postgres" && database !== "embedded") throw new Misused("--database is postgres or embedded")
  const nodes = number(values.nodes, "nodes") ?? 1
  if (nodes > nodesMax) throw new Misused(`--nodes is at most ${nodesMax}`)
  if (nodes > 1 && database === "embedded")
    throw new Misused("--nodes shares a Postgres: leave out --database embedded")
  if (
    url !== undefined &&
    (values.nodes !== undefined || values.database !== undefined || values["cpu-prof"] !== undefined)
  )
    throw new Misused("--nodes, --database and --cpu-prof are for hubs the bench starts: leave out --url")
  if (url !== undefined && values.record === true)
    throw new Misused("--record keeps figures of a hub the bench started: leave out --url")
  writable(values.json, "json")
  writable(values.html, "html")
}

const read = (words: ReadonlyArray<string>): ReturnType<typeof parse> => {
  try {
    return parse(words)
  } catch (error) {
    throw new Misused(reasonOf(error).split(". ")[0]!)
  }
}

/** Parses the arguments; undefined when only the usage is wanted. Fails with `UsageError` when they make no sense. */
export const parseOptions = async (
  words: ReadonlyArray<string>,
  say: (text: string) => void,
  made: Made
): Promise<ParsedOptions | undefined> => {
  const { values, positionals } = read(words)
  if (values.help === true) return undefined
  check(values)
  const names = namesOf(positionals, values)
  checkSiege(values, names)
  if (values.url !== undefined) assertSeenFromOutside(names, values)
  const [daemons, rate, nodes] = [
    number(values.daemons, "daemons"),
    number(values.rate, "rate"),
    number(values.nodes, "nodes")
  ]
  const seconds = number(values.seconds, "seconds", false)
  const runs = number(values.runs, "runs") ?? 3
  const only = values.only?.split(",")
  const hubs = await attached(values, made)
  const [hub, ...others] = hubs
  const profile = values["cpu-prof"]
  return {
    names,
    hubs,
    compare: values.compare === true,
    record: values.record === true,
    ...(values.json === undefined ? {} : { json: values.json }),
    ...(values.html === undefined ? {} : { html: values.html }),
    options: (name) => ({
      seconds: seconds ?? ownSeconds[name] ?? standardSeconds,
      runs,
      ...(daemons === undefined ? {} : { daemons }),
      ...(rate === undefined ? {} : { rate }),
      ...(nodes === undefined ? {} : { nodes }),
      pinned: canPin() && hub === undefined && values.tiny !== true,
      // with the embedded one all that a hub does is in its own process
      database: (values.database ?? (name === "siege" ? "embedded" : "postgres")) as BenchOptions["database"],
      tiny: values.tiny === true,
      ...(only === undefined ? {} : { only }),
      ...(values.checkout === undefined ? {} : { checkout: values.checkout }),
      ...(hub === undefined ? {} : { hub, others }),
      ...(profile === undefined ? {} : { nodeArguments: ["--cpu-prof", `--cpu-prof-dir=${profile}`] }),
      say
    })
  }
}
