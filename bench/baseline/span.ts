/** The measured span of a baseline that works by itself, after a warm-up. Owns the one line it prints, and its end. */
import { setTimeout as pause } from "node:timers/promises"

/** What is measured. */
export interface Work {
  readonly warmUpMillis: number
  readonly millis: number
  /** The warm-up is over: what it left elsewhere may be forgotten. */
  readonly warmed?: () => Promise<unknown>
  /** How much is done so far. */
  readonly done: () => number
  /** Nothing more is to be begun. */
  readonly stop: () => void
}

/** Prints `{perSecond, cpuMicrosEach}` of the span, and ends the process. */
export const measureSpan = async ({ warmUpMillis, millis, warmed, done, stop }: Work): Promise<never> => {
  await pause(warmUpMillis)
  await warmed?.()
  const started = performance.now()
  const cpu = process.cpuUsage()
  const before = done()
  await pause(millis)
  stop()
  const spent = process.cpuUsage(cpu)
  const count = done() - before
  const perSecond = count / ((performance.now() - started) / 1_000)
  process.stdout.write(`${JSON.stringify({ perSecond, cpuMicrosEach: (spent.user + spent.system) / count })}\n`)
  process.exit(0)
}
