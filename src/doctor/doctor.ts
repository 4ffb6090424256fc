/**
 * `hub doctor`: looks at all that a hub depends on, and says of each what is wrong and what to do. Owns which checks
 * there are, their order and their time limit. It changes nothing and needs no hub that runs.
 */
import { Cause, Clock, Effect } from "effect"
import { makeSeal } from "../auth/secret-box.ts"
import type { Settings } from "../config.ts"
import { doctorCheckMillisMax } from "../limits/doctor.ts"
import { memoryBytes } from "../runtime/memory-limit.ts"
import { thisRuntime } from "../runtime/node-support.ts"
import { migrations } from "../store/migrations/index.ts"
import { serverOf } from "../store/sql/unreachable.ts"
import { checkDataFolder, checkSecretKey } from "./data-folder.ts"
import { error, type Finding, ok } from "./finding.ts"
import { judgeKernel, kernelSettings } from "./kernel.ts"
import { judgeMemory } from "./memory.ts"
import { judgeNode } from "./node.ts"
import { judgeOAuth } from "./oauth.ts"
import { judgePostgres } from "./postgres.ts"
import { postgresFacts } from "./postgres-facts.ts"
import { checkProcess } from "./process.ts"
import { judgeRedis, redisFacts } from "./redis.ts"
import { checkCertificate } from "./tls-certificate.ts"

type Findings = Effect.Effect<ReadonlyArray<Finding>>

/** A check that takes too long, or dies, is a finding too. */
export const bounded = (check: string, findings: Findings): Findings =>
  findings.pipe(
    Effect.timeoutOrElse({
      duration: doctorCheckMillisMax,
      orElse: () =>
        Effect.succeed([
          error(
            check,
            `no answer within ${doctorCheckMillisMax / 1_000} s`,
            "look whether it hangs: its load, its disk, the network"
          )
        ])
    }),
    Effect.catchDefect((defect) =>
      Effect.succeed([
        error(
          check,
          `it could not be looked at: ${Cause.pretty(Cause.die(defect)).split("\n")[0]}`,
          "tell who maintains the hub"
        )
      ])
    )
  )

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message || cause.name : String(cause))

const ofPostgres = ({ databaseUrl, databaseConnections, secretKey }: Settings): Findings => {
  if (databaseUrl === undefined)
    return Effect.succeed([ok("postgres", "not used: the database is embedded, in the data folder")])
  return postgresFacts(databaseUrl).pipe(
    Effect.map((facts) =>
      judgePostgres(facts, {
        pool: databaseConnections,
        migrations: migrations.map(({ id }) => id),
        keyIds: secretKey === undefined ? [] : makeSeal(secretKey).keyIds
      })
    ),
    Effect.catch(({ cause }) =>
      Effect.succeed([
        error(
          "postgres",
          `it cannot be asked (DATABASE_URL: ${serverOf(databaseUrl)}): ${reasonOf(cause)}`,
          "start it, or correct DATABASE_URL; look at its log, pg_hba.conf and the network between"
        )
      ])
    )
  )
}

const ofRedis = ({ redisUrl }: Settings): Findings => {
  if (redisUrl === undefined) return Effect.succeed([ok("redis", "not used: this node is the whole hub")])
  return redisFacts(redisUrl).pipe(
    Effect.map((facts) => judgeRedis(facts, redisUrl)),
    Effect.catch(({ reason }) =>
      Effect.succeed([
        error(
          "redis",
          `it does not answer (REDIS_URL: ${new URL(redisUrl).host}): ${reason}`,
          "start it, or correct REDIS_URL; look at its log, its users and the network between"
        )
      ])
    )
  )
}

/** Every check by its name, in the order in which they are shown. */
const checks = (settings: Settings): Readonly<Record<string, Findings>> => {
  const { port, nativePart, dataDir } = settings
  const isEmbedded = settings.databaseUrl === undefined
  return {
    hub: checkProcess(settings),
    kernel: Effect.sync(() => judgeKernel(kernelSettings(), port)),
    node: Effect.map(Clock.currentTimeMillis, (now) => [judgeNode(thisRuntime(), nativePart, now)]),
    memory: Effect.sync(() => [judgeMemory(memoryBytes(), isEmbedded)]),
    "data folder": Effect.sync(() => checkDataFolder(dataDir, isEmbedded)),
    "secret key": Effect.sync(() => [checkSecretKey(settings)]),
    "tls certificate": checkCertificate(settings),
    oauth: Effect.sync(() => [judgeOAuth(settings)]),
    postgres: ofPostgres(settings),
    redis: ofRedis(settings)
  }
}

/** Every finding, in the order of the checks. */
export const diagnose = (settings: Settings): Findings =>
  Effect.map(
    Effect.forEach(Object.entries(checks(settings)), ([check, findings]) => bounded(check, findings), {
      concurrency: "unbounded"
    }),
    (all) => all.flat()
  )
