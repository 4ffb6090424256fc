/**
 * One surface of one hub under its inputs: warmed up, weighed, fuzzed, weighed on the way and at the end. Owns the
 * order, the hub's start and what each part has at the hub.
 */
import { join } from "node:path"
import { removeFolder, scratchFolder } from "../servers/child-process.ts"
import { freePort } from "../servers/free-port.ts"
import { type HubOptions, startHub } from "../servers/hub.ts"
import { inspectedAt } from "../servers/inspector.ts"
import { emptyTally, find, type Surface, type Tally } from "./findings.ts"
import { atRest, type FuzzedHub, growthOf, type Held, loggedErrors, stillServes } from "./health.ts"
import { readContract } from "./http/operations.ts"
import type { Making } from "./http/request-inputs.ts"
import { fuzzHttp } from "./http/surface.ts"
import { enrolDaemon, fuzzAccount, httpSite } from "./site.ts"
import { type FuzzedDaemon, fuzzSockets } from "./socket/surface.ts"

/** What is to be played. */
export interface Play {
  /** One after another. */
  readonly seeds: ReadonlyArray<number>
  /** The index of the first input. */
  readonly first: number
  /** Of each seed. */
  readonly inputs: number
  /** Accounts with daemons that are fuzzed; an account has a share of what the hub reads. */
  readonly accounts?: number
  readonly say: (text: string) => void
}

/** What came of it. */
export interface Played {
  readonly tally: Tally
  readonly before: Held
  /** When half of the last seed's inputs are left. */
  readonly middle: Held
  readonly after: Held
}

/** Plays inputs from an index on, so many of them. */
type Player = (first: number, count: number, step: (done: number) => void) => Promise<void>

const warmShare = 0.1
const warmMost = 20_000
const sayEach = 20_000
const usualAccounts = 4
const daemonsOfAccount = 16

/** Starts a hub to be fuzzed; `stop` removes what it kept. */
export const startFuzzedHub = async (
  options: HubOptions = {}
): Promise<FuzzedHub & { readonly stop: () => Promise<void> }> => {
  const folder = scratchFolder("hub-bench-fuzz-")
  const inspector = await freePort()
  const logFile = join(folder, "log")
  const hub = await startHub({
    ...options,
    settings: { HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8,::1/128", HUB_DRAIN: "100ms", ...options.settings },
    nodeArguments: [...(options.nodeArguments ?? []), ...inspectedAt(inspector)],
    logFile
  })
  const stop = async (): Promise<void> => {
    await hub.stop()
    removeFolder(folder)
  }
  try {
    return { hub, inspector, logFile, regular: await fuzzAccount(hub, "free"), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const httpPlayer = async ({ hub }: FuzzedHub, tally: Tally): Promise<{ play: Player; stop: () => void }> => {
  const contract = await readContract(hub.url)
  const { known, stop } = await httpSite(hub)
  const isOfRegistry = (id: string): boolean => id.startsWith("registry.")
  const operations =
    tally.surface === "registry" ? contract.operations.filter(({ id }) => isOfRegistry(id)) : contract.operations
  const url = new URL(hub.url)
  const making: Making = { contract, operations, known, host: url.host }
  return { play: (first, count, step) => fuzzHttp(url, making, tally, first, count, step), stop }
}

const socketPlayer = async (
  { hub }: FuzzedHub,
  tally: Tally,
  accounts = usualAccounts
): Promise<{ play: Player; stop: () => void }> => {
  const contract = await readContract(hub.url)
  const holders = await Promise.all(Array.from({ length: accounts }, () => fuzzAccount(hub, "enterprise")))
  const daemons: Array<FuzzedDaemon> = []
  for (const holder of holders)
    for (let count = 0; count < daemonsOfAccount; count++)
      daemons.push({ ...(await enrolDaemon(hub, holder)), key: holder.key })
  const making = { url: new URL(hub.url), contract, tally }
  return { play: (first, count, step) => fuzzSockets(making, daemons, first, count, step), stop: () => {} }
}

/** Plays one surface against a hub. */
export const playSurface = async (fuzzed: FuzzedHub, surface: Surface, play: Play): Promise<Played> => {
  const tally = emptyTally(surface, play.seeds[0]!, play.say)
  const errorsBefore = loggedErrors(fuzzed).length
  const player = await (surface === "socket" ? socketPlayer : httpPlayer)(fuzzed, tally, play.accounts)
  try {
    const warm = Math.ceil(Math.min(play.inputs * warmShare, warmMost))
    const began = performance.now()
    const stretch = async (from: number, count: number): Promise<void> => {
      const start = performance.now()
      await player.play(play.first + from, count, (done) => {
        if ((from + done) % sayEach !== 0) return
        const perSecond = Math.round((from + done) / ((performance.now() - began) / 1_000))
        play.say(
          `fuzz ${surface}: ${(from + done).toLocaleString("en-US")} inputs, ${perSecond}/s, ${tally.findings} findings`
        )
      })
      tally.millis += performance.now() - start
    }
    await stretch(0, warm)
    const before = await atRest(fuzzed)
    let middle = before
    for (const seed of play.seeds) {
      const from = seed === play.seeds[0] ? warm : 0
      const half = Math.floor((play.inputs - from) / 2)
      tally.seed = seed
      await stretch(from, half)
      middle = await atRest(fuzzed)
      await stretch(from + half, play.inputs - from - half)
    }
    const after = await atRest(fuzzed)
    for (const wrong of growthOf(surface, before, middle, after)) find(tally, wrong)
    for (const line of loggedErrors(fuzzed).slice(errorsBefore)) find(tally, `logged: ${line.slice(0, 2_000)}`)
    const broken = await stillServes(fuzzed)
    if (broken !== undefined) find(tally, broken)
    return { tally, before, middle, after }
  } finally {
    player.stop()
  }
}
