/**
 * A hub of real processes whose every secret setting was planted: on Postgres two nodes and a Redis, embedded one. Owns
 * their start and end, what they run on, and the calls to them with every answer that came; judges nothing.
 */
import { join } from "node:path"
import { type FreshDatabase, freshDatabase } from "../../support/database.ts"
import { type RunningHub, runHub } from "../../support/hub-command.ts"
import { type HubAnswer, type HubRequest, requester } from "../../support/hub-requests.ts"
import { startProvider, type TestProvider } from "../../support/openid-provider.ts"
import { startRedis, type TestRedis } from "../../support/redis-server.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { type Receiver, startReceiver } from "../../support/webhook-receiver.ts"
import { type PlantedSecrets, plantedSecrets } from "./planted-secrets.ts"
import { type RedisWatch, watchRedis } from "./redis-watch.ts"

/** A text in which no secret may stand but those that it is there to show. */
export interface Place {
  readonly name: string
  readonly text: string
  readonly shows: ReadonlyArray<string>
}

/** The world. */
export interface SecretsWorld {
  readonly secrets: PlantedSecrets
  readonly nodes: ReadonlyArray<RunningHub>
  /** The environment of each node, and of commands that are asked of the first. */
  readonly environment: Readonly<Record<string, string>>
  readonly database: FreshDatabase
  readonly redis: RedisWatch | undefined
  /** Gets webhooks, spans and, of a hub on Postgres, the audit log. */
  readonly receiver: Receiver
  readonly auditFile: string
  readonly provider: TestProvider
  readonly folder: string
  /** A call of the last node; its answer is a place that may show the named secrets. */
  readonly call: (
    method: string,
    path: string,
    options?: HubRequest & { readonly shows?: ReadonlyArray<string> }
  ) => Promise<HubAnswer>
  /** Every answer that came and what else the story saw. */
  readonly seen: Array<Place>
  readonly close: () => Promise<void>
}

const publicUrl = "http://hub.test"

/** What every node is given beside the places of its servers: each secret setting there is, and ordinary ones. */
const settingsOf = (secrets: PlantedSecrets, receiver: Receiver, provider: TestProvider) => {
  const key = (name: string): string =>
    Buffer.from(secrets.learn(name, Buffer.from(secrets.plant(`${name}, as text`).slice(0, 32)))).toString("base64")
  const signing = Buffer.from(secrets.plant("HUB_AUDIT_SINK_SECRET")).toString("base64")
  return {
    HUB_LOG_LEVEL: "debug",
    HUB_PUBLIC_URL: publicUrl,
    HUB_DASHBOARD_URL: "http://dashboard.test/signed-in",
    HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    HUB_WEBHOOK_RETRIES: "1",
    HUB_DRAIN: "3s",
    HUB_RATE_IP_PER_MINUTE: "1000000",
    HUB_RATE_KEY_PER_MINUTE: "1000000",
    HUB_SECRET_KEY: `${key("the first of HUB_SECRET_KEY")},${key("the older of HUB_SECRET_KEY")}`,
    HUB_METRICS_TOKEN: secrets.plant("HUB_METRICS_TOKEN"),
    HUB_AUDIT_SINK_SECRET: secrets.learn("HUB_AUDIT_SINK_SECRET", `whsec_${signing}`),
    HUB_OIDC_ISSUER: provider.issuer,
    HUB_OIDC_CLIENT_ID: provider.clientId,
    HUB_OIDC_CLIENT_SECRET: provider.clientSecret,
    HUB_TURN_URLS: "turn:turn.example.org:3478",
    HUB_TURN_SECRET: secrets.plant("HUB_TURN_SECRET"),
    HUB_TURN_CLOUDFLARE_KEY_ID: "a-key-of-cloudflare",
    HUB_TURN_CLOUDFLARE_TOKEN: secrets.plant("HUB_TURN_CLOUDFLARE_TOKEN"),
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url().replace("://", `://user:${secrets.plant("the address of traces")}@`),
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_HEADERS: `x-one=${secrets.plant("OTEL_EXPORTER_OTLP_HEADERS")}`,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: `x-two=${secrets.plant("OTEL_EXPORTER_OTLP_TRACES_HEADERS")}`
  }
}

const credentialInUrl = (url: string, user: string, password: string): string => {
  const at = new URL(url)
  at.username = user
  at.password = password
  return at.href
}

/** On Postgres: its address, that of Redis, and a collector of the audit log, all with a secret. */
const serversOf = async (secrets: PlantedSecrets, databaseUrl: string, redis: TestRedis, receiver: Receiver) => {
  const redisPassword = secrets.plant("REDIS_URL")
  await redis.call("ACL", "SETUSER", "hub", "on", `>${redisPassword}`, "~*", "&*", "+@all")
  return {
    DATABASE_URL: credentialInUrl(databaseUrl, "postgres", secrets.plant("DATABASE_URL")),
    REDIS_URL: credentialInUrl(redis.url, "hub", redisPassword),
    HUB_AUDIT_SINK: receiver.url(`/audit?key=${secrets.plant("the address of the audit sink")}`)
  }
}

/** Starts it. */
export const startSecretsWorld = async (): Promise<SecretsWorld> => {
  const secrets = plantedSecrets()
  const database = await freshDatabase()
  const { databaseUrl, dataDir } = database.settings
  const receiver = await startReceiver()
  const provider = await startProvider(`${publicUrl}/api/v1/auth/callback`, secrets.plant("HUB_OIDC_CLIENT_SECRET"))
  const folder = testFolder("secrets")
  const auditFile = join(folder, "audit.ndjson")
  const redis = databaseUrl === undefined ? undefined : await startRedis()
  const watch = redis === undefined ? undefined : await watchRedis(redis.url)
  const environment = {
    ...settingsOf(secrets, receiver, provider),
    ...(databaseUrl === undefined || redis === undefined
      ? { HUB_AUDIT_SINK: auditFile }
      : await serversOf(secrets, databaseUrl, redis, receiver))
  }
  const nodes = [await runHub({ ...environment, HUB_DATA_DIR: dataDir })]
  if (redis !== undefined) nodes.push(await runHub({ ...environment, HUB_DATA_DIR: join(folder, "second") }))

  const seen: Array<Place> = []
  const ask = requester(() => nodes.at(-1)!.url)
  return {
    secrets,
    nodes,
    environment: { ...environment, HUB_DATA_DIR: dataDir },
    database,
    redis: watch,
    receiver,
    auditFile,
    provider,
    folder,
    seen,
    call: async (method, path, { shows = [], ...options } = {}) => {
      const answer = await ask(method, path, options)
      const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join("\n")
      seen.push({
        name: `the answer of ${method} ${path}: ${answer.status}`,
        text: `${headers}\n${answer.text}`,
        shows
      })
      return answer
    },
    close: async () => {
      for (const node of nodes) if (node.runs()) await node.end("SIGKILL")
      watch?.close()
      await provider.close()
      await receiver.close()
      await redis?.close()
      await database.close()
    }
  }
}
