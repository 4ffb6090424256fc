/**
 * The soak: faults drawn from a seed befall the world one after the other, with a pause of health after each, while the
 * traffic goes on. Owns its course and its figures; what is wrong at the end the verdict says.
 */
import { Random } from "../../../../bench/fuzz/random.ts"
import { wait } from "../../../support/hub-process.ts"
import { longPatienceMillis, until } from "../../../support/until.ts"
import { type Fault, faults } from "./faults.ts"
import { type SoakWorld, startSoakWorld } from "./fixture.ts"
import { startTraffic } from "./traffic.ts"
import { type NodeUse, nameOf, usesOf, wrongsOf } from "./verdict.ts"

/** How long, and what is drawn. */
export interface SoakOptions {
  /** So long further faults begin; each kind befalls the world once in any case. */
  readonly seconds: number
  readonly seed: number
  /** Only faults whose name has this in it. */
  readonly only?: string
  readonly say?: (line: string) => void
}

/** What came of it. */
export interface Soaked {
  /** How often each fault befell the world. */
  readonly befell: Readonly<Record<string, number>>
  /** What this machine could not do, and why. */
  readonly leftOut: ReadonlyArray<string>
  readonly answers: Readonly<Record<string, number>>
  /** Answers of calls that were asked and answered while nothing befell the world. */
  readonly answersInHealth: Readonly<Record<string, number>>
  readonly events: number
  readonly orders: number
  readonly before: ReadonlyArray<NodeUse>
  readonly after: ReadonlyArray<NodeUse>
  readonly wrongs: ReadonlyArray<string>
}

const healthMillis = 1_500
const health = "nothing"

/** Every node is ready, and every daemon is commanded through every node. Nothing is restarted for it. */
const becomesHealthy = async ({ hub, senders }: SoakWorld, after: string): Promise<void> => {
  for (const node of hub.nodes.keys()) {
    const isReady = async () => (await hub.ask(node, "GET", "/readyz")).status === 200
    await until(`node ${node} is ready after: ${after}`, isReady, longPatienceMillis)
    for (const one of senders) {
      const isCommanded = async () => (await hub.command(node, one)) === 200
      await until(`a daemon is commanded through node ${node} after: ${after}`, isCommanded, longPatienceMillis)
    }
  }
}

/** Each kind once before any comes again. */
const shuffled = (all: ReadonlyArray<Fault>, random: Random): ReadonlyArray<Fault> => {
  const left = [...all]
  return all.map(() => left.splice(random.below(left.length), 1)[0]!)
}

const counts = (names: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const all: Record<string, number> = {}
  for (const name of names) all[name] = (all[name] ?? 0) + 1
  return all
}

const soakIn = async (world: SoakWorld, { seconds, seed, only = "", say = () => {} }: SoakOptions): Promise<Soaked> => {
  const random = new Random(seed, "schedule", 0)
  const possible = faults.filter((one) => one.name.includes(only) && one.lacks(world) === undefined)
  const leftOut = faults.flatMap((one) => {
    const lack = one.lacks(world)
    return lack === undefined ? [] : [`${one.name}: there is no ${lack}`]
  })
  for (const line of leftOut) say(`left out: ${line}`)
  say("the world is there")
  await becomesHealthy(world, "the start")
  const before = usesOf(world)
  const traffic = startTraffic(world, new Random(seed, "traffic", 0))
  const befell: Array<string> = []
  const began = performance.now()
  const at = (): string => `${((performance.now() - began) / 1_000).toFixed(1)} s`
  const isOver = (): boolean => befell.length >= possible.length && performance.now() - began > seconds * 1_000
  try {
    while (!isOver()) {
      for (const one of shuffled(possible, random)) {
        if (isOver()) break
        await wait(healthMillis)
        say(`${at()}  ${one.name}`)
        traffic.now(one.name)
        befell.push(one.name)
        await one.befall(world, random)
        say(`${at()}  it is over`)
        await becomesHealthy(world, one.name)
        traffic.now(health)
      }
    }
  } finally {
    await traffic.stop()
  }
  say(`${at()}  the last fault is over`)
  const after = usesOf(world)
  const wrongs = await wrongsOf(world, traffic, before)
  say(`${at()}  judged`)
  const inHealth = traffic.answers.filter(({ during }) => during.every((one) => one === health))
  return {
    befell: counts(befell),
    leftOut,
    answers: counts(traffic.answers.map(nameOf)),
    answersInHealth: counts(inHealth.map(nameOf)),
    events: traffic.events.length,
    orders: traffic.orders.length,
    before,
    after,
    wrongs
  }
}

/** Runs it in a world of its own. */
export const soak = async (options: SoakOptions): Promise<Soaked> => {
  const world = await startSoakWorld()
  try {
    return await soakIn(world, options)
  } finally {
    await world.close()
  }
}
