/**
 * How many durable deliveries per second does the hub make, how soon after the event do they arrive, and what does a
 * broken endpoint cost a healthy one? Hub, Postgres, receiver and baselines run on this machine, one after another; the
 * bare loop has a Postgres of its own, so that neither cleans up after the other.
 */

import type { Outcome } from "../fixture.ts"
import type { SimulatedDaemon } from "../fleet/daemon.ts"
import {
  type Arrivals,
  arrivals,
  deliverAtFullRate,
  deliverAtSteadyRate,
  endpoints,
  fleet,
  reset,
  type Sustained,
  subscribe,
  unsubscribe
} from "../load/deliveries.ts"
import { median, middleIfKnown } from "../report/compare.ts"
import { against, atLeast, atMost, type Figure, type Series, shown } from "../report/figures.ts"
import { runProgram, startProgram, startRedis } from "../servers/child.ts"
import { type BenchHub, makeAccount, startHub } from "../servers/hub.ts"
import { startPostgres } from "../servers/postgres.ts"
import type { Stores } from "../servers/store-cpu.ts"

/** How long each part runs; the figure of record takes 60. */
export interface DeliveryOptions {
  readonly seconds: number
  readonly baselines: boolean
  /** With a few daemons: what it comes to means nothing. */
  readonly tiny?: boolean
  /** Measure this hub, which runs already and may reach 127.0.0.0/8; without baselines. */
  readonly hub?: BenchHub
  readonly settings?: Record<string, string>
  readonly nodeArguments?: ReadonlyArray<string>
  readonly checkout?: string
  readonly say: (text: string) => void
}

/** Each sends an event at most every 101 ms: enough of them that no hub delivers all that they could send. */
const peers = 100
const pacedPeers = 60
const tinyPeers = 10
const warmUpSeconds = 5
const goals = {
  perSecond: 8_000,
  vsBare: 0.85,
  vsBullmq: 1.25,
  p50Millis: 5,
  p99Millis: 25,
  p99VsBare: 3,
  besideBroken: 1.2
}
const pacedSecondsMax = 20
const pacedPerSecond = 500
/** At most four are in flight an endpoint, so the isolation is measured at a rate that one endpoint can take. */
const besidePerSecond = 100
const besideTurns = 3
const besideSecondsMax = 10
/** A stretch of the course: the slowest one says whether the speed lasts. */
const stretchSeconds = 10

const slowest = ({ course, perSecond }: Sustained): number => {
  const span = Math.min(stretchSeconds, course.length)
  if (span === 0) return perSecond
  const sums = course.slice(span - 1).map((_, from) => course.slice(from, from + span).reduce((sum, one) => sum + one))
  return Math.min(...sums) / span
}

const full = async (hub: BenchHub, stores: Stores, receiver: string, options: DeliveryOptions): Promise<Sustained> => {
  const account = await makeAccount(hub, "many@bench.local")
  // before the endpoints: what tells of a connecting daemon would be counted as deliveries of its events
  const daemons = await fleet(hub, account, options.tiny === true ? tinyPeers : peers)
  for (let endpoint = 0; endpoint < endpoints; endpoint++) await subscribe(hub, account, `${receiver}/h/${endpoint}`)
  options.say("delivery: warm-up")
  await deliverAtFullRate(hub, receiver, daemons, Math.min(warmUpSeconds, options.seconds))
  options.say(`delivery: ${options.seconds} s to ${endpoints} endpoints`)
  const measured = await deliverAtFullRate(hub, receiver, daemons, options.seconds, stores)
  for (const daemon of daemons) daemon.close()
  return measured
}

/** Alone and beside three broken endpoints by turns, new ones each time: what fails for long is only probed. */
const isolation = async (
  hub: BenchHub,
  account: Awaited<ReturnType<typeof makeAccount>>,
  receiver: string,
  daemons: ReadonlyArray<SimulatedDaemon>,
  seconds: number
): Promise<Figure> => {
  const alone: Array<number> = []
  const beside: Array<number> = []
  for (let turn = 0; turn < besideTurns; turn++) {
    alone.push((await deliverAtSteadyRate(receiver, daemons, besidePerSecond, seconds)).p99)
    const broken: Array<string> = []
    for (const kind of ["hang", "fail", "drip"]) broken.push(await subscribe(hub, account, `${receiver}/${kind}`))
    beside.push((await deliverAtSteadyRate(receiver, daemons, besidePerSecond, seconds)).p99)
    for (const id of broken) await unsubscribe(hub, account, id)
  }
  return against("healthy_p99_beside_broken_ms", median(beside), median(alone), "ms", "<=", goals.besideBroken)
}

/** Deliveries to one endpoint at a steady rate, and what broken endpoints cost it. */
interface Latencies {
  readonly steady: Arrivals
  readonly beside: Figure
}

const latencies = async (hub: BenchHub, receiver: string, options: DeliveryOptions): Promise<Latencies> => {
  const { seconds } = options
  const account = await makeAccount(hub, "one@bench.local")
  await subscribe(hub, account, `${receiver}/h/0`)
  const daemons = await fleet(hub, account, options.tiny === true ? tinyPeers : pacedPeers)
  options.say(`delivery: ${pacedPerSecond}/s to one endpoint`)
  await deliverAtSteadyRate(receiver, daemons, pacedPerSecond, Math.min(2, seconds))
  const steady = await deliverAtSteadyRate(receiver, daemons, pacedPerSecond, Math.min(seconds, pacedSecondsMax))
  options.say("delivery: beside broken endpoints")
  const beside = await isolation(hub, account, receiver, daemons, Math.min(seconds, besideSecondsMax))
  for (const daemon of daemons) daemon.close()
  return { steady, beside }
}

/** The bare loop at full rate, and how late its deliveries are at the rate of the hub's. */
const bareLoop = async (receiver: string, options: DeliveryOptions) => {
  const times = [String(options.seconds), String(Math.min(warmUpSeconds, options.seconds))]
  options.say("delivery: the bare loop")
  const postgres = await startPostgres()
  try {
    const program = [postgres.url, receiver, ...times]
    const full = await runProgram("baseline/deliveries.ts", program)
    options.say(`delivery: the bare loop, ${pacedPerSecond}/s`)
    await runProgram("baseline/deliveries.ts", [...program, String(pacedPerSecond)])
    return { full, paced: await arrivals(receiver) }
  } finally {
    await postgres.stop()
  }
}

const baselines = async (
  ours: Sustained,
  steady: Arrivals,
  receiver: string,
  options: DeliveryOptions
): Promise<Array<Figure>> => {
  const times = [String(options.seconds), String(Math.min(warmUpSeconds, options.seconds))]
  const { full: bare, paced } = await bareLoop(receiver, options)
  options.say("delivery: BullMQ")
  await reset(receiver)
  const redis = await startRedis(true)
  const bull = await runProgram("baseline/bullmq.ts", [redis.url, receiver, ...times]).finally(redis.stop)
  const cpu = Number(bare["cpuMicrosEach"])
  return [
    against("deliveries_vs_bare", ours.perSecond, Number(bare["perSecond"]), "/s", ">=", goals.vsBare),
    against("event_to_receiver_p99_vs_bare", steady.p99, paced.p99, "ms", "<=", goals.p99VsBare),
    against("deliveries_vs_bullmq", ours.perSecond, Number(bull["perSecond"]), "/s", ">=", goals.vsBullmq),
    { ...shown("delivery_cpu_vs_bare", ours.cpuMicrosEach, "µs"), baseline: cpu, ratio: ours.cpuMicrosEach / cpu }
  ]
}

const courseOf = ({ course }: Sustained): Series => ({
  title: "deliveries over time",
  x: "s",
  y: "/s",
  lines: [{ name: "hub", points: course.map((one, second) => [second + 1, one] as const) }]
})

/** Measures one hub: on a Postgres of its own, unless it runs already. */
const measure = async (options: DeliveryOptions, receiver: string) => {
  const postgres = options.hub === undefined ? await startPostgres() : undefined
  try {
    const settings = { DATABASE_URL: postgres?.url ?? "", HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8", ...options.settings }
    const hub =
      options.hub ??
      (await startHub({
        settings,
        nodeArguments: options.nodeArguments ?? [],
        ...(options.checkout === undefined ? {} : { checkout: options.checkout })
      }))
    try {
      const stores = postgres === undefined ? {} : { postgres: postgres.pid }
      const ours = await full(hub, stores, receiver, options)
      return { ours, late: await latencies(hub, receiver, options) }
    } finally {
      if (options.hub === undefined) await hub.stop()
    }
  } finally {
    await postgres?.stop()
  }
}

/** Runs the scenario. */
export const delivery = async (options: DeliveryOptions): Promise<Outcome> => {
  const receiver = startProgram("servers/receiver.ts", [])
  try {
    const url = `http://127.0.0.1:${(await receiver.line())["port"]}`
    const { ours, late } = await measure(options, url)
    const figures: Array<Figure> = [
      atLeast("deliveries_per_s", ours.perSecond, "/s", goals.perSecond),
      shown("deliveries_slowest_10_s", slowest(ours), "/s"),
      shown("delivery_cpu_us", ours.cpuMicrosEach, "µs"),
      ...middleIfKnown("delivery_postgres_us", [ours.postgresMicrosEach], "µs"),
      atMost("event_to_receiver_p50_ms", late.steady.p50, "ms", goals.p50Millis),
      atMost("event_to_receiver_p99_ms", late.steady.p99, "ms", goals.p99Millis),
      late.beside
    ]
    if (options.baselines && options.hub === undefined)
      figures.push(...(await baselines(ours, late.steady, url, options)))
    return { figures, series: [courseOf(ours)] }
  } finally {
    await receiver.stop()
  }
}
