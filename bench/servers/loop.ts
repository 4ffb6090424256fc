/**
 * How the event loop of hubs fares between two looks: how late it is, whether its thread works or waits for a core.
 * Owns these readings; judges nothing.
 */
import { readFile } from "node:fs/promises"
import { setTimeout as pause } from "node:timers/promises"

/** Of one hub or the worst of several. What cannot be read (not Linux, a hub that does not answer) is NaN. */
export interface LoopFigures {
  /** How late it was, in milliseconds; stalls below 100 ms are seen in part. */
  readonly lateP99: number
  readonly lateMax: number
  /** Shares of the time in which its thread worked, and in which it had work and other threads had its core. */
  readonly worked: number
  readonly waited: number
}

/** Nanoseconds in which the main thread of a process ran and waited for a core (Linux, `schedstat`). */
const ranAndWaited = async (pid: number): Promise<readonly [number, number]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/schedstat`, "utf8").catch(() => "")
  const [ran = Number.NaN, waited = Number.NaN] = text.split(" ").map(Number)
  return [ran, waited]
}

const scrapeMillisMax = 10_000
/** A stall within the first look of the hub's histogram after a scrape is not seen. */
const blindMillis = 250

/** What `/metrics` says since it was asked last, in milliseconds. */
const lateness = async (url: string): Promise<readonly [number, number]> => {
  const text = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(scrapeMillisMax) }).then(
    (answer) => answer.text(),
    () => ""
  )
  const of = (name: string): number =>
    1_000 * Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds\\S* (\\S+)$`, "mu").exec(text)?.[1])
  return [of("p99"), of("max")]
}

/** Begins to look; the second look ends it. */
export const watchLoops = async (
  hubs: ReadonlyArray<{ readonly url: string; readonly pid: number }>
): Promise<() => Promise<LoopFigures>> => {
  await Promise.all(hubs.map(({ url }) => lateness(url)))
  await pause(blindMillis)
  const [began, firsts] = [performance.now(), await Promise.all(hubs.map(({ pid }) => ranAndWaited(pid)))]
  return async () => {
    const lasts = await Promise.all(hubs.map(({ pid }) => ranAndWaited(pid)))
    const nanos = (performance.now() - began) * 1e6
    const late = await Promise.all(hubs.map(({ url }) => lateness(url)))
    const share = (at: 0 | 1): number => Math.max(...lasts.map((last, of) => (last[at] - firsts[of]![at]) / nanos))
    return {
      lateP99: Math.max(...late.map(([p99]) => p99)),
      lateMax: Math.max(...late.map(([, max]) => max)),
      worked: share(0),
      waited: share(1)
    }
  }
}
