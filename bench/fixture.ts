/**
 * What every scenario stands on: the options of a run, a hub with its database and its account, a generator, and the
 * measuring of one stretch (answers, CPU, how busy the server's core was). Owns starting and ending; compares nothing.
 */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { availableParallelism } from "node:os"
import { type Generator, startGenerator } from "./fleet/generator.ts"
import { type Ask, hasWrk, wrk } from "./load/wrk.ts"
import type { Figure, Series } from "./report/figures.ts"
import { startRedis } from "./servers/child.ts"
import type { FrontKind } from "./servers/front.ts"
import { type BenchAccount, type BenchHub, cpuSeconds, makeAccount, startHub } from "./servers/hub.ts"
import { startPostgres } from "./servers/postgres.ts"
import { type StoreCpu, type Stores, storeMicros, storeSeconds } from "./servers/store-cpu.ts"

/** How a scenario is run. */
export interface BenchOptions {
  readonly seconds: number
  /** How often each measurement is repeated; the median counts. */
  readonly runs: number
  readonly daemons?: number
  /** Operations offered per second; of `siege` the MB that each account of an attacker sends at most. */
  readonly rate?: number
  /** The hub's core is 0, everything else's is 1. False on a machine of one core, and in tests. */
  readonly pinned: boolean
  readonly database: "embedded" | "postgres"
  /** How many nodes the hub has; more than one are joined by a Redis and share a Postgres. */
  readonly nodes?: number
  /** Of `siege`: the proxy that stands before the hub, and whether callers speak TLS. */
  readonly behind?: FrontKind
  readonly tls?: boolean
  /** Only what a laptop does in a second or two; the figures mean nothing. */
  readonly tiny?: boolean
  /** Measure this hub, which runs already, instead of starting one. */
  readonly hub?: BenchHub
  /** Its other nodes. */
  readonly others?: ReadonlyArray<BenchHub>
  /** And what they store in, where that runs on this machine. */
  readonly stores?: Stores
  /** And the port of its inspector, where it is open. */
  readonly inspector?: number
  /** Environment names of the hub's settings. */
  readonly settings?: Record<string, string>
  readonly nodeArguments?: ReadonlyArray<string>
  /** The program that runs the Node of the hub, with its words. */
  readonly under?: ReadonlyArray<string>
  /** The rows of `siege`, or the surfaces of `fuzz`, that run; absent: all. */
  readonly only?: ReadonlyArray<string>
  /** Of `fuzz`: where its chance begins, the index of the first input, and how many each surface gets. */
  readonly seed?: number
  readonly first?: number
  readonly inputs?: number
  /** Another checkout of this project, whose hub `siege` measures. */
  readonly checkout?: string
  /** Tells a person what is going on. */
  readonly say: (text: string) => void
}

/** What a scenario gives. */
export interface Outcome {
  readonly figures: ReadonlyArray<Figure>
  readonly series?: ReadonlyArray<Series>
  /** Sentences that belong beside the figures: which of two measures counts, what could not be measured. */
  readonly notes?: ReadonlyArray<string>
}

/** A scenario. */
export type Scenario = (options: BenchOptions) => Promise<Outcome>

const serverCore = 0
const loadCore = 1

/** Whether processes can be given a core of their own here. */
export const canPin = (): boolean => availableParallelism() > 1 && existsSync("/usr/bin/taskset")

/** The core of whatever is measured. */
export const coreOfServer = (options: BenchOptions): number | undefined => (options.pinned ? serverCore : undefined)
/** The core of whatever measures. */
export const coreOfLoad = (options: BenchOptions): number | undefined => (options.pinned ? loadCore : undefined)

/** A hub, its account and a generator, while `use` runs. */
export interface Fixture {
  readonly hub: BenchHub
  /** All nodes of the hub, `hub` first. */
  readonly hubs: ReadonlyArray<BenchHub>
  readonly stores: Stores
  readonly account: BenchAccount
  readonly generator: Generator
}

const accounts = new WeakMap<BenchHub, Promise<BenchAccount>>()
const accountOf = (hub: BenchHub): Promise<BenchAccount> => {
  const known = accounts.get(hub)
  if (known !== undefined) return known
  const made = hub.owner === undefined ? makeAccount(hub, "bench@bench.local") : Promise.resolve(hub.owner)
  accounts.set(hub, made)
  return made
}

/** Has a server and all it started run on the load's core. */
const aside = (options: BenchOptions, pid: number): void => {
  if (options.pinned) execFileSync("taskset", ["-a", "-c", "-p", String(loadCore), String(pid)], { stdio: "ignore" })
}

/** The nodes a scenario asked for, with what they store in, while `use` runs. */
export const withHubs = async <A>(
  options: BenchOptions,
  use: (hubs: ReadonlyArray<BenchHub>, stores: Stores) => Promise<A>
): Promise<A> => {
  if (options.hub !== undefined) return use([options.hub, ...(options.others ?? [])], options.stores ?? {})
  const count = options.nodes ?? 1
  const ends: Array<() => Promise<void>> = []
  const stores: { postgres?: number; redis?: number } = {}
  try {
    const settings: Record<string, string> = { HUB_SECRET_KEY: randomBytes(32).toString("base64") }
    if (options.database === "postgres" || count > 1) {
      const postgres = await startPostgres()
      ends.push(postgres.stop)
      // its connections' processes inherit the core
      aside(options, postgres.pid)
      stores.postgres = postgres.pid
      settings["DATABASE_URL"] = postgres.url
    }
    if (count > 1) {
      const redis = await startRedis(false, coreOfLoad(options))
      ends.push(redis.stop)
      stores.redis = redis.pid
      settings["REDIS_URL"] = redis.url
    }
    options.say(count === 1 ? "starting a hub" : `starting ${count} nodes`)
    const core = coreOfServer(options)
    const hubs: Array<BenchHub> = []
    ends.push(async () => void (await Promise.all(hubs.map((hub) => hub.stop()))))
    for (let at = 0; at < count; at++)
      hubs.push(
        await startHub({
          settings: { ...settings, ...options.settings },
          nodeArguments: options.nodeArguments ?? [],
          under: options.under ?? [],
          ...(options.checkout === undefined ? {} : { checkout: options.checkout }),
          ...(core === undefined ? {} : { core })
        })
      )
    return await use(hubs, stores)
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

/** Starts the fixture of a scenario, runs its measurements, and ends what was started. */
export const withFixture = async <A>(options: BenchOptions, use: (fixture: Fixture) => Promise<A>): Promise<A> => {
  const generator = startGenerator(coreOfLoad(options))
  try {
    return await withHubs(options, async (hubs, stores) => {
      const hub = hubs[0]!
      return use({ hub, hubs, stores, account: await accountOf(hub), generator })
    })
  } finally {
    await generator.stop()
  }
}

/** The process of a hub, where it is on this machine. */
export const pidOf = (hub: BenchHub): number | undefined => (hub.pid === 0 ? undefined : hub.pid)

/** One stretch of work by one server. */
export interface Stretch {
  readonly done: number
  readonly perSecond: number
  /** CPU microseconds of the server per operation; not a number where its process is not on this machine. */
  readonly cpuMicros: number
  /** Share of the time in which the server used its core. */
  readonly busy: number
  /** CPU microseconds of the stores per operation. */
  readonly stores: StoreCpu
}

/**
 * Measures what a server does while `work` runs; it gives the count of operations. Several processes count as one
 * server.
 */
export const stretch = async (
  pid: number | ReadonlyArray<number> | undefined,
  work: () => Promise<number>,
  stores: Stores = {}
): Promise<Stretch> => {
  const pids = pid === undefined ? [] : typeof pid === "number" ? [pid] : pid
  const cpu = async (): Promise<number> =>
    pids.length === 0
      ? Number.NaN
      : (await Promise.all(pids.map(cpuSeconds))).reduce((sum, seconds) => sum + seconds, 0)
  const storesBefore = await storeSeconds(stores)
  const before = await cpu()
  const started = performance.now()
  const done = await work()
  const seconds = (performance.now() - started) / 1_000
  const spent = (await cpu()) - before
  return {
    done,
    perSecond: done / seconds,
    cpuMicros: (spent * 1e6) / done,
    busy: spent / seconds,
    stores: storeMicros(storesBefore, await storeSeconds(stores), done)
  }
}

/** As many requests as a server answers, for `seconds`: by wrk, or by the generator where wrk is not installed. */
export const saturate = async (
  options: BenchOptions,
  generator: Generator,
  pid: number | undefined,
  url: string,
  asks: ReadonlyArray<Ask>,
  connections: number,
  seconds: number
): Promise<Stretch> =>
  stretch(pid, async () => {
    if (options.tiny !== true && hasWrk()) {
      const counted = await wrk(url, asks, connections, seconds, coreOfLoad(options))
      if (counted.bad > 0) throw new Error(`${counted.bad} of ${counted.answered} requests to ${url} failed`)
      return counted.answered
    }
    if (options.tiny !== true)
      options.say("wrk is not installed (apt-get install wrk): the generator's own, slower requests are used")
    const requests = asks.map((ask) => requestText(url, ask))
    const answers = await generator.ask("load", { url, requests, connections, seconds })
    assertGood(url, answers.statuses)
    return answers.answered
  })

/** Fails where an answer was none of success. */
export const assertGood = (url: string, statuses: Readonly<Record<string, number>>): void => {
  const bad = Object.entries(statuses).filter(([status]) => !/^[23]/u.test(status))
  if (bad.length > 0)
    throw new Error(`${url} answered ${bad.map(([status, count]) => `${count} × ${status}`).join(", ")}`)
}

/** A request as bytes on the wire. */
export const requestText = (url: string, ask: Ask): string => {
  const lines = Object.entries({ host: new URL(url).host, ...ask.headers }).map(([name, value]) => `${name}: ${value}`)
  const length = ask.body === undefined ? [] : [`content-length: ${Buffer.byteLength(ask.body)}`]
  return `${ask.method} ${ask.path} HTTP/1.1\r\n${[...lines, ...length].join("\r\n")}\r\n\r\n${ask.body ?? ""}`
}
