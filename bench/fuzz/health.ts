/**
 * How the hub is: what it counts of its own faults, what it holds once its garbage is collected, what it logged, and
 * whether a call and a daemon still work. Owns the reading and the bounds of growth.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { catalogBytesMax } from "../../src/limits/registry.ts"
import { type BenchHub, rssBytes } from "../servers/hub.ts"
import { collect } from "../servers/inspector.ts"
import type { Surface } from "./findings.ts"
import { AnsweringDaemon, addressOf, allReady, enrolDaemon, type FuzzAccount, signIn } from "./site.ts"

/** A hub that is fuzzed. */
export interface FuzzedHub {
  readonly hub: BenchHub
  readonly inspector: number
  readonly logFile: string
  /** An account that nothing is fuzzed with. */
  readonly regular: FuzzAccount
}

/** What a hub holds at rest. */
export interface Held {
  readonly rss: number
  /** JavaScript objects, and buffers. */
  readonly heap: number
  /** Descriptors that are sockets; the embedded database opens files as it goes. */
  readonly sockets: number
  readonly resources: number
  /** What must be empty at rest, by the metric's name; only what is not. */
  readonly left: Readonly<Record<string, number>>
  /** Faults that the hub counted of itself. */
  readonly faults: number
}

const restMillisMax = 60_000
const lookMillis = 250
/** What stays may be caches, statements and compiled code: bounded, so many bytes whatever the count of inputs. */
const heapGrowthMax = 32 * 1_048_576
/** The registry's inputs ask for so many different pages that their cache is full after some 450,000 of them. */
const cacheGrowthMax: Record<Surface, number> = { rest: 0, socket: 0, registry: catalogBytesMax }
/** In the second half, where little is left to fill: of 1,000,000 inputs 40 bytes each; more is kept for each input. */
const lateHeapGrowthMax = 20 * 1_048_576
/** Room for the heap's bound twice over: a thread or a database that stays takes more. */
const rssGrowthMax = 192 * 1_048_576
const socketsMoreMax = 24
const resourcesMoreMax = 16

const faults = ["hub_defects_total", "hub_actor_crashes_total"]
const emptyAtRest = [
  "hub_streams",
  "hub_log_streams",
  "hub_body_bytes",
  "hub_answer_bytes",
  "hub_commands_pending",
  "hub_queue_entries",
  "hub_database_waiters",
  "hub_sockets_unauthenticated"
]

/** The metrics of a hub, each the sum of its series. */
const readMetrics = async (url: string): Promise<ReadonlyMap<string, number>> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const sums = new Map<string, number>()
  for (const line of text.split("\n")) {
    const [series = "", value] = line.split(" ")
    if (series === "" || series === "#") continue
    const name = series.split("{")[0]!
    sums.set(name, (sums.get(name) ?? 0) + Number(value))
  }
  return sums
}

const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((one) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${one}`).startsWith("socket:")
    } catch {
      return false // closed by now
    }
  }).length

const look = async ({ hub }: FuzzedHub): Promise<Held> => {
  const metrics = await readMetrics(hub.url)
  const of = (name: string): number => metrics.get(name) ?? 0
  return {
    rss: await rssBytes(hub.pid),
    heap: of("nodejs_heap_size_used_bytes") + of("nodejs_external_memory_bytes"),
    sockets: socketsOf(hub.pid),
    resources: of("nodejs_active_resources"),
    left: Object.fromEntries(emptyAtRest.map((name) => [name, of(name)] as const).filter(([, value]) => value > 0)),
    faults: faults.reduce((sum, name) => sum + of(name), 0)
  }
}

/** Waits until the hub is at rest, has it collect its garbage, and looks; one that does not come to rest as it is. */
export const atRest = async (fuzzed: FuzzedHub): Promise<Held> => {
  const patience = performance.now() + restMillisMax
  let held = await look(fuzzed)
  for (let isCollected = false; performance.now() < patience; held = await look(fuzzed)) {
    if (Object.keys(held.left).length > 0) await pause(lookMillis)
    else if (isCollected) return held
    else {
      await collect(fuzzed.inspector)
      isCollected = true
    }
  }
  return held
}

const mib = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MiB`

/** What grew, against what the hub held after its first inputs; of its heap also in the second half (`middle`). */
export const growthOf = (surface: Surface, before: Held, middle: Held, after: Held): ReadonlyArray<string> => {
  const wrong = Object.entries(after.left).map(([name, value]) => `${name} is ${value} at rest`)
  if (after.faults > 0) wrong.push(`the hub counted ${after.faults} faults of its own (hub_defects_total, …)`)
  if (after.heap - before.heap > heapGrowthMax + cacheGrowthMax[surface])
    wrong.push(`the heap grew from ${mib(before.heap)} to ${mib(after.heap)}`)
  if (after.heap - middle.heap > lateHeapGrowthMax)
    wrong.push(`in the second half the heap grew from ${mib(middle.heap)} to ${mib(after.heap)}`)
  if (after.rss - before.rss > rssGrowthMax)
    wrong.push(`the resident set grew from ${mib(before.rss)} to ${mib(after.rss)}`)
  if (after.sockets - before.sockets > socketsMoreMax)
    wrong.push(`open sockets grew from ${before.sockets} to ${after.sockets}`)
  if (after.resources - before.resources > resourcesMoreMax)
    wrong.push(`Node's handles grew from ${before.resources} to ${after.resources}`)
  return wrong
}

/** What others say on standard error: the inspector, and the library of the first daemon (docs/operating.md). */
const harmless = /^(?:Debugger |For help, see|Warning: uWS\.HttpResponse writes must be made|$)/u

/** A store that is asked by 64 callers at once on a busy machine may answer a check late; what works is seen after. */
const isLate = (message: string): boolean => message.endsWith("this node is not ready")

/** Lines of the log at the levels error and fatal; any line that is no entry is one. */
export const errorLines = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => {
    if (harmless.test(line)) return false
    try {
      const { level, message } = JSON.parse(line) as { readonly level: string; readonly message: string }
      return ["error", "fatal"].includes(level) && !isLate(message)
    } catch {
      return true
    }
  })

/** Those of a hub. */
export const loggedErrors = ({ logFile }: FuzzedHub): ReadonlyArray<string> => errorLines(readFileSync(logFile, "utf8"))

/** What no longer works for one who comes now; undefined where all does. */
export const stillServes = async ({ hub, regular }: FuzzedHub): Promise<string | undefined> => {
  try {
    const session = await signIn(hub, regular.email)
    const { daemonId, token } = await enrolDaemon(hub, { session })
    const daemon = new AnsweringDaemon(new URL(hub.url), token, addressOf(999))
    try {
      await allReady([daemon])
      const answer = await hub.client(regular.key).daemons.command({ daemonId, type: "screenshot" })
      return answer.success ? undefined : "a command of a new daemon afterwards failed"
    } finally {
      daemon.stop()
    }
  } catch (error) {
    return `a regular call afterwards failed: ${String(error)}`
  }
}
