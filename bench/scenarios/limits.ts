/**
 * What does a limit check cost, by one node and over all, and what does a full bucket weigh? Owns how much is asked.
 */

import { type BenchOptions, coreOfLoad, coreOfServer, type Outcome } from "../fixture.ts"
import type { LimitsSize } from "../micro/limits.ts"
import type { Figure } from "../report/figures.ts"
import { type Broker, startProgram, startRedis } from "../servers/child.ts"
import { UsageError } from "../usage-error.ts"

const small: LimitsSize = { buckets: 50, checks: 1_000, rounds: 10, runs: 1 }
const whole = { buckets: 100_000, checks: 3_000_000, rounds: 1_500 }

/** Runs the scenario, beside any hub: the guard's own parts in a process of their own. */
export const limits = async (options: BenchOptions): Promise<Outcome> => {
  let redis: Broker | undefined
  const notes: Array<string> = []
  try {
    redis = await startRedis(false, coreOfLoad(options))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    notes.push(`limit_check_redis_us left out: ${error.message}`)
  }
  options.say("limits: checks by one node, then over Redis")
  const size: LimitsSize = options.tiny === true ? small : { ...whole, runs: options.runs }
  const words = [JSON.stringify(size), ...(redis === undefined ? [] : [redis.url])]
  const child = startProgram("micro/limits-process.ts", words, {}, coreOfServer(options))
  try {
    const { figures } = (await child.line()) as { figures: ReadonlyArray<Figure> }
    return { figures, notes }
  } finally {
    await child.stop()
    await redis?.stop()
  }
}
