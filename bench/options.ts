/**
 * The arguments of `./hub bench`: what they may be, and what they ask for. Owns the sentences that say what is wrong
 * with them; measures nothing.
 */
import { closeSync, existsSync, openSync } from "node:fs"
import { join } from "node:path"
import {
  ArgumentError,
  asksHelp,
  type Flags,
  flagLines,
  readArguments,
  refuseNumber,
  type Values
} from "../src/cli/arguments.ts"
import { type BenchOptions, canPin } from "./fixture.ts"
import { surfaces } from "./fuzz/findings.ts"
import { attachable, type ScenarioName, scenarios, usual } from "./scenarios/all.ts"
import { attach, attachNode } from "./servers/attached-hub.ts"
import { type FrontKind, frontKinds } from "./servers/front.ts"
import type { BenchHub } from "./servers/hub.ts"
import { attacks } from "./siege/all.ts"
import { reasonOf, UsageError } from "./usage-error.ts"

const number = refuseNumber()
const refuseIndex = (text: string): string | undefined =>
  /^\d{1,9}$/u.test(text) ? undefined : ` must be a whole number of at least 0, not ${text}`

const flags = {
  daemons: { kind: "number", says: "size of the fleet", refuse: number },
  seconds: {
    kind: "number",
    says: "length of one measurement (8; crowd 600, endure 1,800, siege 10)",
    refuse: refuseNumber(false)
  },
  rate: {
    kind: "number",
    says: "operations offered per second where the scenario has a rate; of siege MB of each attacking account (20)",
    refuse: number
  },
  runs: { kind: "number", says: "repetitions; the median counts (3)", refuse: number },
  database: { kind: "text", says: "postgres (default; of siege and fuzz embedded) or embedded" },
  nodes: {
    kind: "number",
    says: "the number of nodes, joined by a Redis; the first is measured, in nodes, crowd and siege all",
    refuse: number
  },
  behind: { kind: "text", says: "siege has this proxy before the hub: nginx or haproxy" },
  tls: { kind: "switch", says: "siege speaks TLS, with the hub or with the proxy before it" },
  url: { kind: "url", many: true, says: "measure a hub that runs already; further nodes of it: --url and --pid again" },
  email: { kind: "email", says: "the account there that is signed in" },
  password: { kind: "text", says: "its password" },
  pid: { kind: "number", many: true, says: "the process of that hub on this machine", refuse: number },
  only: { kind: "list", says: "the rows of siege, or the surfaces of fuzz, that run, with commas between them" },
  inputs: { kind: "number", says: "inputs of each surface of fuzz (1,000,000)", refuse: number },
  seed: { kind: "number", says: "what the inputs of fuzz are drawn from (another one each time)", refuse: number },
  first: { kind: "number", says: "the index of its first input (0)", refuse: refuseIndex },
  checkout: {
    kind: "folder",
    says: "measure the hub of this checkout of the project, with the load of this one"
  },
  json: { kind: "file", says: "write the figures" },
  html: { kind: "file", says: "write a page with charts" },
  compare: { kind: "switch", says: "show the change against bench/baseline.json" },
  record: { kind: "switch", says: "make this run the one on record" },
  "cpu-prof": { kind: "folder", says: "have the hub write a CPU profile into this folder" },
  tiny: { kind: "switch", hidden: true, says: "everything as small as can be, for the tests" }
} satisfies Flags
type Given = Values<typeof flags>

/** What to write on `--help` and beside a mistake. */
export const usage = `hub bench [scenario …] [options]   measures; without a scenario all but crowd,
                                   endure, siege, fuzz and footprint, in half an hour
hub bench plan --daemons NUMBER    reckons what a load needs (plan --help)
scenarios: ${Object.keys(scenarios).join(", ")}

${flagLines(flags).join("\n")}`

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
const ownSeconds: Partial<Record<ScenarioName, number>> = { crowd: 600, endure: 1_800, siege: 10 }
const nodesMax = 16

/** With the embedded one all that a hub does is in its own process; several nodes need one beside them. */
const databaseOf = (name: ScenarioName, nodes = 1): BenchOptions["database"] =>
  name === "fuzz" || (name === "siege" && nodes === 1) ? "embedded" : "postgres"

const isFront = (text: string): text is FrontKind => (frontKinds as ReadonlyArray<string>).includes(text)

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

/** A file that cannot be written is better known before the run than after it. */
const writable = (file: string | undefined, name: string): void => {
  if (file === undefined) return
  try {
    closeSync(openSync(file, "a"))
  } catch (error) {
    throw new UsageError(`--${name} cannot be written: ${reasonOf(error)}`)
  }
}

/** They start no hub, or one that is this checkout's own. */
const ownHub: ReadonlySet<ScenarioName> = new Set(["limits", "observability", "lag", "cost", "start", "endure", "fuzz"])

/** What belongs to the siege, or to the fuzzing, alone. */
const checkOwn = (given: Given, names: ReadonlyArray<ScenarioName>): void => {
  const { only, checkout, inputs, seed, first, behind, tls } = given
  const isAlone = (name: ScenarioName): boolean => names.every((one) => one === name)
  if ((behind !== undefined || tls === true) && !isAlone("siege"))
    throw new ArgumentError("--behind and --tls belong to siege: name it, and nothing else")
  if (behind !== undefined && !isFront(behind)) throw new ArgumentError(`--behind is ${frontKinds.join(" or ")}`)
  if ((inputs !== undefined || seed !== undefined || first !== undefined) && !isAlone("fuzz"))
    throw new ArgumentError("--inputs, --seed and --first belong to fuzz: name it, and nothing else")
  if (only !== undefined && !isAlone("siege") && !isAlone("fuzz"))
    throw new ArgumentError("--only belongs to siege and to fuzz: name one of them, and nothing else")
  const [what, all] = isAlone("fuzz") ? ["fuzz has no surface", surfaces] : ["siege has no row", Object.keys(attacks)]
  const unknown = only?.split(",").find((name) => !(all as ReadonlyArray<string>).includes(name))
  if (unknown !== undefined) throw new ArgumentError(`${what} ${unknown}; it has ${all.join(", ")}`)
  const measuresNone = names.find((name) => ownHub.has(name))
  if (checkout !== undefined && measuresNone !== undefined)
    throw new ArgumentError(`--checkout has no hub that ${measuresNone} measures`)
  if (checkout !== undefined && !existsSync(join(checkout, "src/main.ts")))
    throw new ArgumentError(`--checkout is a folder with a checkout of this project, not ${checkout}`)
}

/** Is given how to take back what was made at a hub that runs already. */
type Made = (takeBack: () => Promise<void>) => void

const attached = async (values: Given, made: Made): Promise<ReadonlyArray<BenchHub>> => {
  const { url: urls = [], email, password, pid: pids = [] } = values
  if (urls.length === 0) {
    if (email !== undefined || password !== undefined || pids.length > 0)
      throw new ArgumentError("--email, --password and --pid belong to a hub that runs already: name it with --url")
    return []
  }
  if (email === undefined || password === undefined)
    throw new ArgumentError("--url needs --email and --password of an account there")
  const told = pids.map((pid) => Number(pid))
  const [first, ...others] = await Promise.all(
    urls.map((url, at) => {
      const pid = told[at] === undefined ? {} : { pid: told[at] }
      return at === 0 ? attach({ url, email, password, ...pid }, made) : attachNode({ url, ...pid })
    })
  )
  return [first!, ...others]
}

const namesOf = (positionals: ReadonlyArray<string>, values: Given): ReadonlyArray<ScenarioName> => {
  const unknown = positionals.find((name) => !Object.hasOwn(scenarios, name))
  if (unknown !== undefined)
    throw new ArgumentError(`there is no scenario ${unknown}; there are ${Object.keys(scenarios).join(", ")}`)
  if (positionals.length > 0) return positionals as ReadonlyArray<ScenarioName>
  if (values.url === undefined) return usual
  return attachable({ nodes: values.url.length, pid: values.pid !== undefined })
}

/** What a hub elsewhere cannot be asked is said before anything is made there. */
const assertSeenFromOutside = (names: ReadonlyArray<ScenarioName>, values: Given): void => {
  const seen = attachable({ nodes: values.url!.length, pid: values.pid !== undefined })
  const unseen = names.find((name) => name !== "crowd" && !seen.includes(name))
  if (unseen !== undefined)
    throw new ArgumentError(`${unseen} cannot be measured there; of this hub these can: ${seen.join(", ")}`)
}

const check = (values: Given): void => {
  const { database = "postgres", url } = values
  if (database !== "postgres" && database !== "embedded") throw new ArgumentError("--database is postgres or embedded")
  const nodes = numberOf(values.nodes) ?? 1
  if (nodes > nodesMax) throw new ArgumentError(`--nodes is at most ${nodesMax}`)
  if (nodes > 1 && database === "embedded")
    throw new ArgumentError("--nodes shares a Postgres: leave out --database embedded")
  if (
    url !== undefined &&
    (values.nodes !== undefined || values.database !== undefined || values["cpu-prof"] !== undefined)
  )
    throw new ArgumentError("--nodes, --database and --cpu-prof are for hubs the bench starts: leave out --url")
  if (url !== undefined && values.record === true)
    throw new ArgumentError("--record keeps figures of a hub the bench started: leave out --url")
  writable(values.json, "json")
  writable(values.html, "html")
}

/** Parses the arguments; undefined when only the usage is wanted. Fails with `ArgumentError` or `UsageError`. */
export const parseOptions = async (
  words: ReadonlyArray<string>,
  say: (text: string) => void,
  made: Made
): Promise<ParsedOptions | undefined> => {
  if (asksHelp(words)) return undefined
  const { values, words: given } = readArguments({ name: "it", flags, wordsMax: Number.POSITIVE_INFINITY }, words)
  check(values)
  const names = namesOf(given, values)
  checkOwn(values, names)
  if (values.url !== undefined) assertSeenFromOutside(names, values)
  const [daemons, rate, nodes] = [numberOf(values.daemons), numberOf(values.rate), numberOf(values.nodes)]
  const seconds = numberOf(values.seconds)
  const runs = numberOf(values.runs) ?? 3
  const only = values.only?.split(",")
  const [seed, first, inputs] = [numberOf(values.seed), numberOf(values.first), numberOf(values.inputs)]
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
      database: (values.database ?? databaseOf(name, nodes)) as BenchOptions["database"],
      tiny: values.tiny === true,
      ...(only === undefined ? {} : { only }),
      ...(seed === undefined ? {} : { seed }),
      ...(first === undefined ? {} : { first }),
      ...(inputs === undefined ? {} : { inputs }),
      ...(values.behind === undefined ? {} : { behind: values.behind as FrontKind }),
      tls: values.tls === true,
      ...(values.checkout === undefined ? {} : { checkout: values.checkout }),
      ...(hub === undefined ? {} : { hub, others }),
      ...(profile === undefined ? {} : { nodeArguments: ["--cpu-prof", `--cpu-prof-dir=${profile}`] }),
      say
    })
  }
}
