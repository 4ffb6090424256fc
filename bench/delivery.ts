/**
 * How many durable deliveries a second does the hub make, how soon after the event do they arrive, and what does a
 * broken endpoint cost a healthy one? Hub, Postgres, receiver and baselines run on this machine, one after another.
 */

import { setTimeout as pause } from "node:timers/promises"
import { against, atLeast, atMost, type Figure, shown } from "./figures.ts"
import { type BenchAccount, type BenchHub, cpuSeconds, enrol, makeAccount, startHub } from "./hub.ts"
import { connectPeer, type Peer } from "./peers.ts"
import { startPostgres } from "./postgresServer.ts"
import { runProgram, startProgram, startRedis } from "./servers.ts"

/** How long each part runs; the figure of record takes 60. */
export interface DeliveryOptions {
  readonly seconds: number
  readonly baselines: boolean
  /** Measure this hub, which runs already and may reach 127.0.0.0/8; without baselines. */
  readonly hub?: BenchHub
}

interface Arrivals {
  readonly calls: number
  readonly p50: number
  readonly p99: number
}

const endpoints = 50
const peers = 40
const aheadMax = 40 // events under way: 40 × 50 deliveries, as much ahead as the bare loop may be

const now = (): number => Math.round((performance.timeOrigin + performance.now()) * 1_000)
const event = (peer: Peer): Promise<void> =>
  peer.event({ event: "agent:generating_completed", targetSessionId: `t${now()}`, duration: 12 })

const subscribe = async (hub: BenchHub, account: BenchAccount, url: string): Promise<void> => {
  const answer = await hub.call("POST", "/api/v1/webhooks", account.session, { url, events: ["*"] })
  if (answer.status !== 201)
    throw new Error(`webhook creation answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

const arrivals = async (receiver: string): Promise<Arrivals> =>
  (await (await fetch(`${receiver}/figures`)).json()) as Arrivals
const reset = async (receiver: string): Promise<void> => void (await fetch(`${receiver}/reset`))

/** Peers of one account, all connected. */
const fleet = async (hub: BenchHub, account: BenchAccount, count: number): Promise<Array<Peer>> =>
  Promise.all((await enrol(hub, account, count)).map(({ token }) => connectPeer(hub.url, token)))

/** Events as fast as they are committed, each to every endpoint. */
const sustained = async (hub: BenchHub, receiver: string, machines: ReadonlyArray<Peer>, seconds: number) => {
  let over = false
  let sent = 0
  // a machine may send 100 frames in 10 s: each waits its turn, so that the limit of frames is never what is measured
  const stream = async (peer: Peer) => {
    while (!over) {
      const turn = pause(101)
      if (sent * endpoints - (await progress()) < aheadMax * endpoints) {
        sent += 1
        await event(peer)
      }
      await turn
    }
  }
  let seen = 0
  let asked = 0
  const progress = async (): Promise<number> => {
    if (performance.now() - asked > 5) {
      asked = performance.now()
      seen = (await arrivals(receiver)).calls
    }
    return seen
  }
  await reset(receiver)
  const cpu = await cpuSeconds(hub.pid)
  const started = performance.now()
  const streams = machines.map(stream)
  await pause(seconds * 1_000)
  const { calls } = await arrivals(receiver)
  const took = (performance.now() - started) / 1_000
  const spent = (await cpuSeconds(hub.pid)) - cpu
  over = true
  await Promise.all(streams)
  await drained(receiver, sent * endpoints)
  return { perSecond: calls / took, cpuMicrosEach: (spent * 1e6) / calls }
}

/** Waits until everything has arrived: a delivery lost is a failed run. */
const drained = async (receiver: string, expected: number): Promise<void> => {
  const patience = performance.now() + 60_000
  for (;;) {
    const { calls } = await arrivals(receiver)
    if (calls >= expected) return
    if (performance.now() > patience) throw new Error(`${expected - calls} of ${expected} deliveries never arrived`)
    await pause(50)
  }
}

/** Events at a steady rate, open loop, and how long each took to its receiver. */
const paced = async (
  receiver: string,
  machines: ReadonlyArray<Peer>,
  perSecond: number,
  seconds: number
): Promise<Arrivals> => {
  await reset(receiver)
  const started = performance.now()
  const total = Math.round(perSecond * seconds)
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1_000) * perSecond))
    for (; sent < due; sent++) void event(machines[sent % machines.length]!)
    await pause(1)
  }
  await drained(receiver, total)
  return arrivals(receiver)
}

/** Runs the scenario. */
export const delivery = async (options: DeliveryOptions): Promise<ReadonlyArray<Figure>> => {
  const { seconds } = options
  const postgres = options.hub === undefined ? await startPostgres() : undefined
  const receiver = startProgram("receiver.ts", [])
  const receiverUrl = `http://127.0.0.1:${(await receiver.line())["port"]}`
  const figures: Array<Figure> = []
  try {
    const hub =
      options.hub ??
      (await startHub({ settings: { DATABASE_URL: postgres!.url, HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" } }))
    try {
      const many = await makeAccount(hub, "many@bench.local")
      for (let endpoint = 0; endpoint < endpoints; endpoint++)
        await subscribe(hub, many, `${receiverUrl}/h/${endpoint}`)
      const machines = await fleet(hub, many, peers)
      await sustained(hub, receiverUrl, machines, Math.min(5, seconds)) // warm-up
      const full = await sustained(hub, receiverUrl, machines, seconds)
      for (const machine of machines) machine.close()
      figures.push(
        atLeast("deliveries_per_s", full.perSecond, "/s", 8_000),
        shown("delivery_cpu_us", full.cpuMicrosEach, "µs")
      )

      const one = await makeAccount(hub, "one@bench.local")
      await subscribe(hub, one, `${receiverUrl}/h/0`)
      const pacedMachines = await fleet(hub, one, 60)
      await paced(receiverUrl, pacedMachines, 500, Math.min(2, seconds))
      const at500 = await paced(receiverUrl, pacedMachines, 500, Math.min(seconds, 20))
      figures.push(
        atMost("event_to_receiver_p50_ms", at500.p50, "ms", 5),
        atMost("event_to_receiver_p99_ms", at500.p99, "ms", 25)
      )

      // at most 4 are in flight an endpoint, so the isolation is measured at a rate that one endpoint can take
      const rate = 100
      const alone = await paced(receiverUrl, pacedMachines, rate, Math.min(seconds, 20))
      for (const broken of ["hang", "fail", "drip"]) await subscribe(hub, one, `${receiverUrl}/${broken}`)
      await paced(receiverUrl, pacedMachines, rate, Math.min(2, seconds))
      const beside = await paced(receiverUrl, pacedMachines, rate, Math.min(seconds, 20))
      figures.push(against("healthy_p99_beside_broken_ms", beside.p99, alone.p99, "ms", "<=", 1.2))
      for (const machine of pacedMachines) machine.close()
    } finally {
      if (options.hub === undefined) await hub.stop()
    }
    if (options.baselines && postgres !== undefined) {
      const bare = Number(
        (await runProgram("baseline/deliveries.ts", [postgres.url, receiverUrl, String(seconds)]))["perSecond"]
      )
      const redis = await startRedis(true)
      const bull = await runProgram("baseline/bullmq.ts", [redis.url, receiverUrl, String(seconds)]).finally(redis.stop)
      const ours = figures[0]!.value
      figures.push(against("deliveries_vs_bare", ours, bare, "/s", ">=", 0.6))
      figures.push(against("deliveries_vs_bullmq", ours, Number(bull["perSecond"]), "/s", ">=", 1.25))
    }
  } finally {
    await receiver.stop()
    await postgres?.stop()
  }
  return figures
}
