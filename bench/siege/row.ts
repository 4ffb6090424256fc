/**
 * One row: regular load alone, then beside one attack, then after it, with the hub's processor, memory and disk. Owns
 * the order and what is read when; judges nothing (verdict.ts does).
 */
import { type Dirent, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { type AskedProgram, startAsked } from "../fleet/generator.ts"
import { cpuSeconds, rssBytes } from "../servers/hub.ts"
import { collect } from "../servers/inspector.ts"
import { type LoopFigures, watchLoops } from "../servers/loop.ts"
import { type AttackName, attacks } from "./all.ts"
import type { Attack, Counts } from "./attack.ts"
import type { AttackerJobs } from "./attacker-process.ts"
import type { Besieged } from "./besieged.ts"
import type { RegularClient } from "./regular-client.ts"
import { type Holder, makeHolder, stillWrites } from "./site.ts"
import type { StretchFigures } from "./tally.ts"

/** What a row stands on. */
export interface Siege {
  readonly site: Besieged
  readonly regular: RegularClient
  readonly tiny: boolean
  /** The attacker's core; undefined: any. */
  readonly core: number | undefined
  /** What an account of an attacker sends in a second at most, over all its connections. */
  readonly bytesPerSecond: number
  readonly say: (text: string) => void
}

/** How long each part takes, in seconds. */
export interface Times {
  readonly warm: number
  readonly before: number
  readonly attack: number
  readonly after: number
}

/** What was seen. */
export interface Row {
  readonly name: AttackName
  readonly before: StretchFigures
  readonly during: StretchFigures
  readonly after: StretchFigures
  /** How often something showed that the hub met the attack. */
  readonly reached: number
  readonly counts: Counts
  /** Share of one core that the hub, all its nodes together, used during the attack. */
  readonly busy: number
  /** The event loops of its nodes, the worst of each figure. */
  readonly loop: { readonly before: LoopFigures; readonly during: LoopFigures }
  readonly rss: { readonly before: number; readonly peak: number; readonly after: number }
  /** What the hub's data folder grew by. */
  readonly diskBytes: number
  /** What does not work afterwards. */
  readonly broken: ReadonlyArray<string>
}

const lookMillis = 50
const collectMillisMax = 15_000
const metMillisMax = 30_000

/** The entries of a folder; none where it is gone by now. */
const entriesOf = (folder: string): ReadonlyArray<Dirent> => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []
    throw error
  }
}

/** What a folder holds, while the hub writes and removes files in it. */
const bytesIn = (folder: string): number =>
  entriesOf(folder).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sum + bytesIn(path)
    return sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  }, 0)

const sumOf = async (pids: ReadonlyArray<number>, of: (pid: number) => Promise<number>): Promise<number> =>
  (await Promise.all(pids.map(of))).reduce((sum, one) => sum + one, 0)

/** Resident memory once garbage is collected; a hub that is too busy for that is weighed as it is. */
const weigh = async ({ site }: Siege): Promise<number> => {
  const collected = Promise.all(site.inspectors.map(collect))
  if (site.inspectors.length > 0) await Promise.race([collected, pause(collectMillisMax, undefined, { ref: false })])
  return sumOf(site.pids, rssBytes)
}

/** The highest of what was seen until `stop`. */
const watchPeak = (pids: ReadonlyArray<number>): { readonly stop: () => Promise<number> } => {
  let peak = 0
  const look = async (): Promise<void> => {
    peak = Math.max(peak, await sumOf(pids, rssBytes).catch(() => 0))
  }
  const timer = setInterval(() => void look(), lookMillis)
  return {
    stop: async () => {
      clearInterval(timer)
      await look()
      return peak
    }
  }
}

/** Waits until the hub has met the attack: in a small form it has had no time yet. */
const met = async (attacker: AskedProgram<AttackerJobs>): Promise<void> => {
  const patience = performance.now() + metMillisMax
  while ((await attacker.ask("reached", null)) === 0 && performance.now() < patience) await pause(lookMillis)
}

/** What an attack came to, and what share of a core the hub used meanwhile. */
const underAttack = async (
  { site, regular, tiny, bytesPerSecond }: Siege,
  attacker: AskedProgram<AttackerJobs>,
  attack: Attack,
  holders: ReadonlyArray<Holder>,
  seconds: number
): Promise<Pick<Row, "counts" | "reached" | "busy"> & { readonly loopDuring: LoopFigures }> => {
  const { hub, kind, pids, nodes } = site
  const own = holders.length === 0 ? {} : { bytesPerSecond: bytesPerSecond * holders.length }
  const route = { ...site.route, ...own }
  const watched = await watchLoops(nodes)
  const [cpu, began] = [await sumOf(pids, cpuSeconds), performance.now()]
  await regular.stretch("during")
  const struck = attacker.ask("strike", { route, kind, tiny, holders })
  const finished = struck.then(
    () => {},
    () => {}
  )
  const operated = async (): Promise<void> => {
    if (attack.operator === undefined || holders[0] === undefined) return
    await hub.command(...attack.operator(holders[0]))
    await attacker.ask("done", null)
  }
  // what an operator does meets an attack that is under way
  await Promise.all([pause(seconds * 1_000), met(attacker).then(operated)])
  if (attack.secondsMax !== undefined && !tiny)
    await Promise.race([finished, pause(attack.secondsMax * 1_000, undefined, { ref: false })])
  const busy = ((await sumOf(pids, cpuSeconds)) - cpu) / ((performance.now() - began) / 1_000)
  const loopDuring = await watched()
  await attacker.ask("end", null)
  const [counts, reached] = [await struck, await attacker.ask("reached", null)]
  await regular.stretch("after")
  return { counts, reached, busy, loopDuring }
}

/** Plays a row to its end. */
export const playRow = async (siege: Siege, name: AttackName, times: Times): Promise<Row> => {
  const { site, regular, tiny } = siege
  const { hub, pids } = site
  const attack: Attack = attacks[name]
  const attacker = startAsked<AttackerJobs>("siege/attacker-process.ts", siege.core, true)
  try {
    const port = await attacker.ask("take", name)
    const holds = attack.holds?.(tiny)
    const webhooks = Array.from({ length: holds?.webhooks ?? 0 }, (_, at) => `http://127.0.0.1:${port}/${at}`)
    const holders: Array<Holder> = []
    const accounts = holds === undefined ? 0 : (attack.accounts?.(tiny) ?? 1)
    while (holds !== undefined && holders.length < accounts) holders.push(await makeHolder(hub, { ...holds, webhooks }))
    siege.say(`siege: ${name}, before`)
    await regular.stretch("warm")
    await pause(times.warm * 1_000)
    const watched = await watchLoops(site.nodes)
    await regular.stretch("before")
    await pause(times.before * 1_000)
    const loopBefore = await watched()
    await regular.stretch("between")
    const before = await regular.figures("before")
    const rssBefore = await weigh(siege)
    const folder = hub.dataFolder
    const diskBefore = folder === undefined ? 0 : bytesIn(folder)

    siege.say(`siege: ${name}`)
    const watch = watchPeak(pids)
    // what the store has to write meanwhile may break it for good, which is seen afterwards; that it is refused now is
    // allowed
    const wrote = pause(times.attack * 500).then(() => stillWrites(hub, regular.holder))
    const { loopDuring, ...came } = await underAttack(siege, attacker, attack, holders, times.attack)

    siege.say(`siege: ${name}, after`)
    await attacker.stop()
    const calm = pause(times.after * 1_000)
    const during = await regular.figures("during")
    await calm
    await regular.stretch("between")
    const peak = await watch.stop()
    const rss = { before: rssBefore, peak, after: await weigh(siege) }
    const diskBytes = folder === undefined ? 0 : bytesIn(folder) - diskBefore
    await wrote
    const judged = attack.judge?.(came.counts)
    const broken = [judged, await stillWrites(hub, regular.holder)].filter((one) => one !== undefined)
    const after = await regular.figures("after")
    const loop = { before: loopBefore, during: loopDuring }
    return { name, before, during, after, ...came, loop, rss, diskBytes, broken }
  } finally {
    await attacker.stop()
  }
}
