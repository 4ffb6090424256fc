/**
 * `./hub bench plan`: how many nodes, which Postgres and which Redis a load needs, from the figures of record. Owns the
 * arguments and the words; capacity.ts reckons.
 */
import { asksHelp, type Flags, flagLines, readArguments, refuseNumber } from "../../src/cli/arguments.ts"
import { records } from "../report/record.ts"
import { UsageError } from "../usage-error.ts"
import { coresOn, type Load, type Plan, planFor } from "./capacity.ts"
import { type Units, unitsOf } from "./units.ts"

const some = refuseNumber(false)
const flags = {
  daemons: { kind: "number", required: true, says: "daemons online", refuse: refuseNumber() },
  commands: { kind: "number", says: "commands per second (0)", refuse: some },
  events: { kind: "number", says: "events of daemons per second (0)", refuse: some },
  deliveries: { kind: "number", says: "webhook deliveries per second (0)", refuse: some },
  requests: { kind: "number", says: "other API requests per second (0)", refuse: some },
  share: { kind: "number", says: "percent of its core that a node uses in ordinary operation (60)", refuse: some },
  memory: { kind: "number", says: "memory of a node in MB (2,048)", refuse: some },
  back: { kind: "number", says: "seconds within which all daemons are back after an outage (120)", refuse: some },
  json: { kind: "switch", says: "print JSON" }
} satisfies Flags

const usage = `hub bench plan --daemons NUMBER [options]   reckons what a load needs, from bench/baseline.json

${flagLines(flags).join("\n")}`

const decided = { cpu: "CPU", memory: "memory", reconnects: "the time in which daemons are back" }
const megabyte = 1e6

const amount = (value: number): string =>
  value.toLocaleString("en", { maximumSignificantDigits: value < 10 ? 2 : 4, maximumFractionDigits: 2 })

const lines = (plan: Plan, load: Load): ReadonlyArray<string> => [
  `nodes      ${amount(plan.nodes)}, decided by ${decided[plan.decidedBy]}${plan.nodes > 1 ? "; one of them may be away" : ""}`,
  `a node     ${amount(plan.daemonsPerNode)} daemons, ${amount(plan.cores / plan.nodes)} of a core, ${amount(plan.bytesPerNode / megabyte)} MB`,
  `in all     ${amount(plan.cores)} cores in ordinary operation`,
  `Postgres   ${amount(plan.postgresCores)} cores while daemons come back${load.deliveries > 0 ? ", fast durable disks" : ""}`,
  `Redis      ${plan.nodes > 1 ? `${amount(plan.redisCores)} cores, ${amount(plan.redisMessages)} messages/s` : "none is needed"}`
]

/** The model beside the crowd on record: what it reckons, what was measured. Undefined: there is none on record. */
const checked = (units: Units): { readonly reckoned: number; readonly measured: number } | undefined => {
  const crowd = records()["crowd"]?.figures ?? []
  const [nodes, daemons, commands, measured] = [
    "crowd_nodes",
    "crowd_online",
    "crowd_commands_per_s",
    "crowd_cores"
  ].map((wanted) => crowd.find(({ name }) => name === wanted)?.value)
  if (nodes === undefined || daemons === undefined || commands === undefined || measured === undefined) return undefined
  const load = { daemons, commands, events: 0, deliveries: 0, requests: 0 }
  return { reckoned: coresOn(nodes, load, units), measured }
}

/** Runs it: prints the plan. Fails with `ArgumentError` or `UsageError`. */
export const plan = (words: ReadonlyArray<string>, print: (text: string) => void): void => {
  if (asksHelp(words)) return print(usage)
  const { values } = readArguments({ name: "plan", flags }, words)
  const numberOf = (name: Exclude<keyof typeof flags, "json">, usual: number): number => Number(values[name] ?? usual)
  const load: Load = {
    daemons: numberOf("daemons", 0),
    commands: numberOf("commands", 0),
    events: numberOf("events", 0),
    deliveries: numberOf("deliveries", 0),
    requests: numberOf("requests", 0)
  }
  const units = unitsOf(records())
  const terms = {
    coreShare: Math.min(100, numberOf("share", 60)) / 100,
    nodeMemory: numberOf("memory", 2_048) * megabyte,
    backSeconds: numberOf("back", 120)
  }
  const made = planFor(load, units, terms)
  if (made === undefined) throw new UsageError("no number of nodes carries that: give a node more memory")
  const check = checked(units)
  if (values.json === true) return print(JSON.stringify({ load, terms, plan: made, units, check }, null, 2))
  for (const line of lines(made, load)) print(line)
  if (check !== undefined) {
    const off = (check.reckoned / check.measured - 1) * 100
    print(
      `checked    the crowd on record took ${amount(check.measured)} cores, the model reckons ${amount(check.reckoned)} (${off >= 0 ? "+" : ""}${off.toFixed(0)} %)`
    )
  }
}
