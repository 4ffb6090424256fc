/**
 * Measures the calls of a Redis client. Owns what counts as a call: a publication is one, a message that came is not.
 */
import type { Clock } from "effect"
import { observe, redisCallDurations } from "../runtime/histograms.ts"
import type { RedisClient } from "./redis-client.ts"

const nanosPerSecond = 1e9

/** The same client, measured by this clock. */
export const withCallTimes = (client: RedisClient, clock: Clock.Clock): RedisClient => {
  const measured = <A>(answer: Promise<A>): Promise<A> => {
    const begun = clock.monotonicTimeNanosUnsafe()
    const ended = (outcome: keyof typeof redisCallDurations) => (): void =>
      observe(redisCallDurations[outcome], Number(clock.monotonicTimeNanosUnsafe() - begun) / nanosPerSecond)
    answer.then(ended("succeeded"), ended("failed"))
    return answer
  }
  return {
    ...client,
    call: (command, args) => measured(client.call(command, args)),
    callLarge: (command, args) => measured(client.callLarge(command, args)),
    publish: (channel, text) => measured(client.publish(channel, text))
  }
}
