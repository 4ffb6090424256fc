/**
 * `hub doctor`: looks at all that a hub depends on, and says of each what is wrong and what to do. Owns which checks
 * there are, their order and their time limit. It changes nothing and needs no hub that runs.
 */
import { Cause, Clock, Effect } from "effect"
import { makeSeal } from "../auth/secret-box.ts"
import type { Settings } from "../config.ts"
import { doctorCheckMillisMax } from "../limits/doctor.ts"
import { descriptorsMax } from "../runtime/descriptors.ts"
import { memoryBytes } from "../runtime/memory-limit.ts"
import { thisRuntime } from "../runtime/node-support.ts"
import { migrations } from "../store/migrations/index.ts"
import { serverOf } from "../store/sql/unreachable.ts"
import { checkDataFolder } from "./data-folder.ts"
import { judgeDescriptors } from "./descriptors.ts"
import { error, type Finding, ok, skipped, warning } from "./finding.ts"
import { judgeKernel, kernelSettings } from "./kernel.ts"
import { judgeMemory } from "./memory.ts"
import { judgeNode } from "./node.ts"
import { judgeOAuth } from "./oauth.ts"
import { judgePostgres } from "./postgres.ts"
import { postgresFacts } from "./postgres-facts.ts"
import { judgeProxies } from "./proxies.ts"
import { judgeRedis } from "./redis.ts"
import { redisFacts } from "./redis-facts.ts"
import { type RunningHub, runningHub } from "./running-hub.ts"
import { checkSecretKeyFile } from "./secret-key-file.ts"
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

const ofProcess = (settings: Settings, hub: RunningHub | string | undefined): ReadonlyArray<Finding> => {
  if (typeof hub === "string")
    return [
      warning("hub", hub, "if it is of another version, end it and start this one"),
      skipped("proxies", "the hub that runs does not say which it sees")
    ]
  if (hub === undefined)
    return [
      ok("hub", "none runs in this data folder"),
      judgeDescriptors(descriptorsMax(), undefined),
      judgeProxies(settings.trustedProxies, undefined)
    ]
  return [
    ok("hub", `runs as process ${hub.pid}`),
    judgeDescriptors(hub.descriptorsMax ?? Number.POSITIVE_INFINITY, hub.descriptorsUsed ?? undefined),
    judgeProxies(settings.trustedProxies, hub.proxies)
  ]
}

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

/** Every finding, in the order of the checks. */
export const diagnose = (settings: Settings): Findings =>
  Effect.map(
    Effect.all(
      [
        bounded(
          "hub",
          Effect.map(runningHub(settings.dataDir), (hub) => ofProcess(settings, hub))
        ),
        bounded(
          "kernel",
          Effect.sync(() => judgeKernel(kernelSettings(), settings.port))
        ),
        bounded(
          "node",
          Effect.map(Clock.currentTimeMillis, (now) => [judgeNode(thisRuntime(), settings.nativePart, now)])
        ),
        bounded(
          "memory",
          Effect.sync(() => [judgeMemory(memoryBytes(), settings.databaseUrl === undefined)])
        ),
        bounded(
          "data folder",
          Effect.sync(() => checkDataFolder(settings.dataDir, settings.databaseUrl === undefined))
        ),
        bounded(
          "secret key",
          Effect.sync(() => [checkSecretKeyFile(settings)])
        ),
        bounded("tls certificate", checkCertificate(settings)),
        bounded(
          "oauth",
          Effect.sync(() => [judgeOAuth(settings)])
        ),
        bounded("postgres", ofPostgres(settings)),
        bounded("redis", ofRedis(settings))
      ],
      { concurrency: "unbounded" }
    ),
    (all) => all.flat()
  )
