/**
 * Secrets where they do not belong, or that are wrong: malformed headers, queries, paths, refused daemons, settings
 * that do not fit, servers that are not there, a database that refuses rows. Owns these calls; judges no place.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Result } from "effect"
import { makeKey } from "../../../src/auth/api-key.ts"
import { daemonTokens } from "../../../src/auth/checksummed-token.ts"
import { loadSettings } from "../../../src/config/load.ts"
import { settings } from "../../../src/config.ts"
import { sendMcp } from "../../support/mcp-client.ts"
import { ask } from "../../support/postgres-server.ts"
import { openDaemon } from "../../support/scripted-daemon.ts"
import { type Person, run } from "./account-calls.ts"
import type { SecretsWorld } from "./planted-hub.ts"

const inHeaders = async ({ call, secrets }: SecretsWorld): Promise<void> => {
  const secret = secrets.plant("a malformed credential")
  const key = secrets.learn("a key of nobody", makeKey())
  const basic = Buffer.from(`user:${secret}`).toString("base64")
  for (const authorization of [
    `Bearer ${secret}`,
    `Bearer hub_${secret}`,
    `Bearer ${key}`,
    `Bearer ${key} ${key}`,
    `Bearer  ${key}`,
    `Bearer eyJhbGciOiJIUzI1NiJ9.${secret}.${secret}`,
    `Basic ${basic}`,
    `Token ${secret}`,
    `Digest username="u", response="${secret}"`,
    secret,
    key
  ]) {
    for (const path of ["/api/v1/me", "/api/v1/no-such-route", "/mcp"])
      await call("GET", path, { headers: { authorization } })
    await call("POST", "/api/v1/daemons/join", { headers: { authorization }, body: {} })
  }
  await call("GET", "/api/v1/me", { headers: { cookie: `session=${secret}`, "x-api-key": key } })
}

const inUrls = async ({ call, secrets }: SecretsWorld, { key }: Person): Promise<void> => {
  const secret = secrets.plant("a secret in a query")
  const nobodys = secrets.learn("a key in a URL", makeKey())
  for (const query of [`access_token=${secret}`, `token=${nobodys}`, `limit=${secret}`, `cursor=${secret}`]) {
    await call("GET", `/api/v1/daemons?${query}`)
    await call("GET", `/api/v1/daemons?${query}`, { key })
    await call("GET", `/api/v1/requests?${query}`, { key })
  }
  await call("GET", `/api/v1/auth/callback?state=${secret}&code=${secret}&error=${secret}`)
  await call("GET", `/api/v1/daemons/${nobodys}/status`, { key })
  await call("GET", `/api/v1/${nobodys}`, { key })
  await call("GET", `/${nobodys}`)
}

const refusedDaemons = async (world: SecretsWorld): Promise<void> => {
  const { secrets, nodes } = world
  const secret = secrets.plant("a daemon's token that is none")
  const nobodys = secrets.learn("a daemon's token of nobody", daemonTokens.make())
  for (const token of [secret, nobodys, `hubd_${secret}`]) {
    for (const options of [
      { headers: { authorization: `Bearer ${token}` } },
      { headers: { authorization: token } },
      { protocols: ["hub", `hub.token.${token}`] },
      { protocols: [token] }
    ]) {
      await openDaemon(nodes[0]!, "", options).then(
        (peer) => peer.cut(),
        () => undefined
      )
    }
    for (const auth of [{ token }, { token: [token] }, { token: { token } }]) {
      const peer = await openDaemon(nodes[0]!, "", { auth })
      const { reason } = await peer.closed
      world.seen.push({ name: "what a refused daemon is told", text: JSON.stringify(peer.frames) + reason, shows: [] })
    }
  }
}

const overMcp = async ({ call, secrets }: SecretsWorld, { key, daemonId }: Person): Promise<void> => {
  const asked = secrets.plant("what a tool is called with")
  const shows = ["what a command prints"]
  const hub: Parameters<typeof sendMcp>[0] = {
    request: (method, path, options) => call(method, path, { ...options, shows })
  }
  const one = (name: string, given: object) => sendMcp(hub, "tools/call", { key, params: { name, arguments: given } })
  await one("run_terminal_command", { daemonId, command: asked })
  await one("run_terminal_command", { daemonId, command: [asked] })
  await one("run_no_such_tool", { asked })
}

/** A store that refuses every new row of these tables, and in its refusal repeats the row. */
const refusedRows = async (world: SecretsWorld, again: () => Promise<unknown>): Promise<void> => {
  const { databaseUrl } = world.database.settings
  if (databaseUrl === undefined) return
  const tables = ["sessions", "api_keys", "webhooks", "jobs", "commands", "join_keys", "device_codes", "idempotency"]
  for (const table of tables)
    await ask(databaseUrl, `alter table ${table} add constraint refused check (false) not valid`)
  await again()
  for (const table of tables) await ask(databaseUrl, `alter table ${table} drop constraint refused`)
}

/** What the hub says of a setting that does not fit, whichever it is. */
const settingsThatDoNotFit = ({ secrets, seen }: SecretsWorld): void => {
  const secret = secrets.plant("a setting that does not fit")
  for (const { env, secret: isSecret } of Object.values(settings)) {
    const forms = [
      `ftp://user:${secret}@h`,
      `http://user:${secret}@h`,
      ...(isSecret === true ? [`${secret} é\u0007`] : [])
    ]
    for (const value of forms) {
      const read = loadSettings({ [env]: value })
      const text = Result.isFailure(read) ? read.failure.message : ""
      seen.push({ name: `what is said of ${env}`, text, shows: [] })
    }
  }
}

/** Starts and checks against servers that are not there, or that refuse. */
const serversThatRefuse = async (world: SecretsWorld): Promise<void> => {
  const { secrets, folder, environment } = world
  const secret = secrets.plant("a password for a server that is not there")
  const key = join(folder, "tls.key")
  writeFileSync(key, `-----BEGIN PRIVATE KEY-----\n${secrets.plant("a private key")}\n-----END PRIVATE KEY-----\n`)
  const env = {
    ...environment,
    HUB_DATA_DIR: join(folder, "none"),
    HUB_TLS_CERT: key,
    HUB_TLS_KEY: key,
    DATABASE_URL: `postgres://hub:${secret}@127.0.0.1:1/hub?password=${secret}`,
    REDIS_URL: `redis://hub:${secret}@127.0.0.1:1/0`
  }
  await run(world, ["doctor", "--json"], { env })
  await run(world, ["start"], { env: { ...env, HUB_TLS_CERT: "", HUB_TLS_KEY: "" } })
  await run(world, ["start"], { env: { ...env, HUB_SECRET_KEY: secret, HUB_METRICS_TOKEN: `${secret} ` } })
  const redis = new URL(environment["REDIS_URL"]!)
  redis.password = secret
  await run(world, ["doctor", "--json"], { env: { ...environment, REDIS_URL: redis.href } })
}

/** The programs for integrators and machines, with credentials that are good and that are nobody's. */
const programs = async (world: SecretsWorld, { key }: Person): Promise<void> => {
  const { secrets, folder, nodes } = world
  const home = { HOME: folder, XDG_CONFIG_HOME: folder, HUB_URL: nodes.at(-1)!.url }
  const nobodys = secrets.learn("a key of nobody, at a terminal", makeKey())
  const token = secrets.learn("a token of nobody, at a terminal", daemonTokens.make())
  const daemon = ["daemon", "--url", home.HUB_URL]
  const codes = [
    await run(world, ["login"], { input: `${nobodys}\n`, env: home }),
    await run(world, ["login"], { input: `${key}\n`, env: home }),
    await run(world, ["call", "GET", "/api/v1/daemons"], { env: home }),
    await run(world, daemon, { env: { ...home, HUB_TOKEN: token } }),
    await run(world, daemon, { env: { ...home, HUB_JOIN_KEY: token } })
  ].map(({ code }) => code)
  if (codes.join() !== "1,0,0,1,2") throw new Error(`the programs ended with ${codes}`)
}

/** All of it; `again` makes calls that write rows. */
export const mistakes = async (world: SecretsWorld, person: Person, again: () => Promise<unknown>): Promise<void> => {
  await inHeaders(world)
  await inUrls(world, person)
  await refusedDaemons(world)
  await overMcp(world, person)
  await refusedRows(world, again)
  settingsThatDoNotFit(world)
  // which database the hub has makes no difference to these: once is enough
  if (world.redis === undefined) return
  await programs(world, person)
  await serversThatRefuse(world)
}
