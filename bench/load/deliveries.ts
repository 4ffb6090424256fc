/**
 * The loads of the delivery bench: events as fast as they are committed, and events at a steady rate, both counted
 * where they arrive. Owns what is sent and when; starts no server.
 */
import { setTimeout as pause } from "node:timers/promises"
import { connectDaemon, type SimulatedDaemon } from "../fleet/daemon.ts"
import { type BenchAccount, type BenchHub, cpuSeconds, enrol } from "../servers/hub.ts"
import { type Stores, storeMicros, storeSeconds } from "../servers/store-cpu.ts"

/** What a receiver saw since it was last asked to forget; milliseconds from the event to its arrival. */
export interface Arrivals {
  readonly calls: number
  readonly p50: number
  readonly p99: number
}

/** What a full load came to. */
export interface Sustained {
  readonly perSecond: number
  /** CPU microseconds of the hub per delivery; not a number where its process is not on this machine. */
  readonly cpuMicrosEach: number
  /** And of its Postgres; not a number where the bench did not start it. */
  readonly postgresMicrosEach: number
  /** Deliveries a second, one for each second of the load. */
  readonly course: ReadonlyArray<number>
}

/** Endpoints that every event of the full load goes to. */
export const endpoints = 50
const aheadMax = 40 // events under way: 40 × 50 deliveries, as much ahead as the bare loop may be
const drainMillisMax = 60_000

/** The present moment in microseconds, as the receiver reads it in an event. */
export const nowMicros = (): number => Math.round((performance.timeOrigin + performance.now()) * 1_000)
const event = (daemon: SimulatedDaemon): Promise<void> =>
  daemon.event({ event: "agent:generating_completed", targetSessionId: `t${nowMicros()}`, duration: 12 })

/** What a receiver saw. */
export const arrivals = async (receiver: string): Promise<Arrivals> =>
  (await (await fetch(`${receiver}/figures`)).json()) as Arrivals
/** How many deliveries a receiver had since it was last asked to forget. */
export const counted = async (receiver: string): Promise<number> =>
  Number(await (await fetch(`${receiver}/count`)).text())

/** Has a receiver forget what it saw. */
export const reset = async (receiver: string): Promise<void> => void (await (await fetch(`${receiver}/reset`)).text())

/** A webhook of an account for all events; its id. */
export const subscribe = async (hub: BenchHub, account: BenchAccount, url: string): Promise<string> => {
  const { id } = await hub.client(account.session).webhooks.create({ url, events: ["*"] })
  return id
}

/** Removes a webhook. */
export const unsubscribe = async (hub: BenchHub, account: BenchAccount, webhookId: string): Promise<void> =>
  void (await hub.client(account.session).webhooks.remove({ webhookId }))

/** Daemons of one account, all connected. */
export const fleet = async (hub: BenchHub, account: BenchAccount, count: number): Promise<Array<SimulatedDaemon>> =>
  Promise.all((await enrol(hub, account, count)).map(({ token }) => connectDaemon(hub.url, token)))

/** Waits until everything has arrived: a delivery lost is a failed run. */
const drained = async (receiver: string, expected: number): Promise<void> => {
  const patience = performance.now() + drainMillisMax
  for (;;) {
    const calls = await counted(receiver)
    if (calls >= expected) return
    if (performance.now() > patience) throw new Error(`${expected - calls} of ${expected} deliveries never arrived`)
    await pause(50)
  }
}

/** Events as fast as they are committed, each to every endpoint. */
export const deliverAtFullRate = async (
  hub: BenchHub,
  receiver: string,
  daemons: ReadonlyArray<SimulatedDaemon>,
  seconds: number,
  stores: Stores = {}
): Promise<Sustained> => {
  let over = false
  let sent = 0
  let seen = 0
  let asked = 0
  const progress = async (): Promise<number> => {
    if (performance.now() - asked > 5) {
      asked = performance.now()
      seen = await counted(receiver)
    }
    return seen
  }
  // a daemon may send 100 frames in 10 s: each waits its turn, so that the limit of frames is never what is measured
  const stream = async (daemon: SimulatedDaemon) => {
    while (!over) {
      const turn = pause(101)
      const arrived = await progress()
      if (sent * endpoints - arrived < aheadMax * endpoints) {
        sent += 1
        await event(daemon)
      }
      await turn
    }
  }
  await reset(receiver)
  const storesBefore = await storeSeconds(stores)
  const cpu = await cpuSeconds(hub.pid)
  const started = performance.now()
  const streams = daemons.map(stream)
  const course: Array<number> = []
  for (let second = 1, before = 0; second <= seconds; second++) {
    await pause(Math.max(0, started + second * 1_000 - performance.now()))
    const calls = await counted(receiver)
    course.push(calls - before)
    before = calls
  }
  await pause(Math.max(0, started + seconds * 1_000 - performance.now()))
  const calls = await counted(receiver)
  const took = (performance.now() - started) / 1_000
  const spent = (await cpuSeconds(hub.pid)) - cpu
  const { postgres } = storeMicros(storesBefore, await storeSeconds(stores), calls)
  over = true
  await Promise.all(streams)
  await drained(receiver, sent * endpoints)
  return { perSecond: calls / took, cpuMicrosEach: (spent * 1e6) / calls, postgresMicrosEach: postgres, course }
}

/** Events at a steady rate, open loop, and how long each took to its receiver. */
export const deliverAtSteadyRate = async (
  receiver: string,
  daemons: ReadonlyArray<SimulatedDaemon>,
  perSecond: number,
  seconds: number
): Promise<Arrivals> => {
  await reset(receiver)
  const started = performance.now()
  const total = Math.round(perSecond * seconds)
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1_000) * perSecond))
    for (; sent < due; sent++) void event(daemons[sent % daemons.length]!)
    await pause(1)
  }
  await drained(receiver, total)
  return arrivals(receiver)
}
