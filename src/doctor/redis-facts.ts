/**
 * What `hub doctor` asks of Redis, over connections of its own: `INFO` and `TIME`. Owns the reading; judges nothing and
 * writes nothing.
 */
import { Data, Effect, Schedule } from "effect"
import { connectRedis } from "../bus/redis-client.ts"
import { doctorConnectMillisMax } from "../limits/doctor.ts"
import { type ClockOffset, clockOffset } from "./clock.ts"

/** What it says: the lines of `INFO` by name. Of a cluster one node speaks. */
export interface RedisFacts {
  readonly info: Readonly<Record<string, string>>
  readonly clock: ClockOffset
}

/** Redis is out of reach, or refuses. */
class RedisUnreachable extends Data.TaggedError("RedisUnreachable")<{ readonly reason: string }> {}

const retryMillis = 100

/** The lines `name:value` of an answer to INFO. */
export const readInfo = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(/\r?\n/u).flatMap((line) => {
      const colon = line.indexOf(":")
      return line.startsWith("#") || colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]]
    })
  )

/** All facts; fails where Redis does not answer in time, with the last reason. */
export const redisFacts = (redisUrl: string): Effect.Effect<RedisFacts, RedisUnreachable> =>
  Effect.suspend(() => {
    let reason = "no answer"
    const note = (fault: unknown): void => {
      const { message, code } = fault as NodeJS.ErrnoException
      const said = message || code || reason
      // said of each call while the connection is not up; why it is not is the reason
      if (!/enableOfflineQueue|Connection is closed/u.test(said)) reason = said
    }
    return Effect.acquireUseRelease(
      Effect.sync(() => connectRedis(redisUrl, note)),
      (client) => {
        const call = (command: string) =>
          Effect.tryPromise({
            try: () => client.call(command, []),
            catch: (fault) => {
              note(fault)
              return new RedisUnreachable({ reason })
            }
          })
        const time = Effect.map(call("TIME"), (parts) => {
          const [seconds, micros] = (parts as ReadonlyArray<string>).map(Number)
          return seconds! * 1_000 + Math.floor(micros! / 1_000)
        })
        const facts = Effect.gen(function* () {
          const info = readInfo(String(yield* call("INFO")))
          return { info, clock: yield* clockOffset(time) }
        })
        return Effect.retry(facts, Schedule.spaced(retryMillis))
      },
      (client) => Effect.sync(() => client.close())
    ).pipe(
      Effect.timeoutOrElse({
        duration: doctorConnectMillisMax,
        orElse: () => Effect.fail(new RedisUnreachable({ reason }))
      })
    )
  })
