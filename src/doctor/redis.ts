/**
 * Whether a Redis suits several nodes of a hub. Owns what it is asked, `INFO` and `TIME` over connections of its own,
 * and the judgement of what it says; writes nothing there.
 */
import { Data, Effect, Schedule } from "effect"
import { connectRedis } from "../bus/redis-client.ts"
import { doctorConnectMillisMax, redisMemoryShareHigh } from "../limits/doctor.ts"
import { type ClockOffset, clockOffset, judgeClock } from "./clock.ts"
import { error, type Finding, grouped, ok, skipped, warning } from "./finding.ts"

/** What it says: the lines of `INFO` by name. Of a cluster one node speaks. */
interface RedisFacts {
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

type Info = RedisFacts["info"]

/** The scripts and options of the hub need the one, messages on a Cluster the other (sharded pub/sub). */
const versionNeeded = 6
const versionOfClusters = 7

const judgeVersion = (info: Info): Finding => {
  const check = "redis version"
  const version = info["redis_version"]
  if (version === undefined) return skipped(check, "it does not say its version")
  const clustered = info["cluster_enabled"] === "1"
  const needed = clustered ? versionOfClusters : versionNeeded
  const found = `Redis ${version}${clustered ? ", a Cluster" : ""}`
  return Number.parseInt(version, 10) < needed
    ? error(check, found, `move to Redis ${needed} or later`)
    : ok(check, found)
}

const judgeRole = (info: Info): Finding => {
  const check = "redis writes"
  if (info["role"] === "slave")
    return error(check, "it is a replica, which takes no writes", "name the primary in REDIS_URL, or the Sentinels")
  if (info["rdb_last_bgsave_status"] === "err" || info["aof_last_write_status"] === "err")
    return error(
      check,
      "its last write to its disk failed: until one succeeds it takes no writes",
      'make room on its disk, or turn its persistence off (save "", appendonly no): the hub needs none'
    )
  return ok(check, "it takes writes")
}

const judgeMemory = (info: Info): ReadonlyArray<Finding> => {
  const [used, max] = [Number(info["used_memory"] ?? 0), Number(info["maxmemory"] ?? 0)]
  const policy = info["maxmemory_policy"]
  const evicts = policy !== undefined && policy !== "noeviction"
  const room = max === 0 ? "no maxmemory is set" : `${grouped(used)} of ${grouped(max)} bytes (maxmemory) are used`
  const remedy = "raise maxmemory, or move what else uses this Redis"
  const full = max > 0 && used >= max
  return [
    policy === undefined
      ? skipped("redis policy", "it does not say its maxmemory-policy")
      : evicts
        ? warning(
            "redis policy",
            `maxmemory-policy is ${policy}: where memory runs out rate windows are forgotten one by one`,
            "config set maxmemory-policy noeviction, and in its configuration"
          )
        : ok("redis policy", "maxmemory-policy is noeviction"),
    full && !evicts
      ? error("redis memory", `${room}: it takes no writes`, remedy)
      : max > 0 && used >= max * redisMemoryShareHigh
        ? warning("redis memory", room, remedy)
        : ok("redis memory", room)
  ]
}

const judgePersistence = (info: Info): Finding => {
  const check = "redis persistence"
  if (info["aof_enabled"] === "1")
    return warning(
      check,
      "it writes a log of all writes (appendonly), of which the hub needs nothing: rate windows wait for its disk",
      "appendonly no, if the hub has this Redis for itself"
    )
  return ok(check, "no log of writes; nothing in it must survive")
}

const isHere = (host: string): boolean => /^(?:localhost|127\..*|\[::1\])$/u.test(host)

const judgeSecrecy = (redisUrl: string): Finding => {
  const check = "redis password"
  const { hostname, password, protocol } = new URL(redisUrl)
  if (password !== "" || protocol === "rediss:" || isHere(hostname)) return ok(check, "given, or not needed here")
  return warning(
    check,
    "REDIS_URL has none: who reaches it reads commands and their answers, and can hold the hub up",
    "give Redis a password (requirepass, or a user) or TLS (rediss://), and a network of its own"
  )
}

/** Everything there is to say of it. */
export const judgeRedis = (facts: RedisFacts, redisUrl: string): ReadonlyArray<Finding> => [
  judgeVersion(facts.info),
  judgeRole(facts.info),
  ...judgeMemory(facts.info),
  judgePersistence(facts.info),
  judgeSecrecy(redisUrl),
  judgeClock("Redis", facts.clock)
]
