/**
 * What people do with secrets: accounts and passwords on the command line, signing in, keys, devices, join keys, OpenID
 * Connect, TURN. Each secret that a hub makes is learnt where it is shown. Owns these calls; judges no place.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { challengeOf } from "../../../src/auth/challenge.ts"
import { credentialsFile } from "../../../src/cli/first-credentials.ts"
import { command, type Outcome } from "../../support/hub-command.ts"
import { signInAt } from "../../support/openid-provider.ts"
import type { SecretsWorld } from "./planted-hub.ts"

/** The person whose account the rest of the story uses. */
export interface Person {
  readonly email: string
  readonly session: string
  readonly key: string
  readonly daemonId: string
  readonly daemonToken: string
  readonly userCode: string
}

const email = "ann@example.org"
const scopes = "ide:read,ide:control,agent:read,agent:control,terminal:exec,webhook:manage"

/** The words of every process there is, as everybody on the machine can list them. */
const processList = (): string =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")
      } catch {
        return "" // it has ended
      }
    })
    .join("\n")

/** Runs a command of the hub while the list of processes is read. */
export const run = async (
  { environment, seen }: SecretsWorld,
  words: ReadonlyArray<string>,
  { input = "", env = environment, shows = [] }: { input?: string; env?: object; shows?: ReadonlyArray<string> } = {}
): Promise<Outcome> => {
  const running = command(words, { ...env }, input)
  seen.push({ name: `the list of processes during hub ${words[0]} ${words[1]}`, text: processList(), shows: [] })
  const outcome = await running
  seen.push({ name: `what hub ${words.join(" ")} prints`, text: outcome.stdout + outcome.stderr, shows })
  return outcome
}

const onCommandLine = async (world: SecretsWorld): Promise<Pick<Person, "key" | "daemonId" | "daemonToken">> => {
  const { secrets } = world
  const first = secrets.plant("the first password")
  await run(world, ["account", "create", "--email", email, "--plan", "ultra", "--password", "-"], {
    input: `${first}\n`
  })
  await run(world, ["account", "password", "nobody@example.org", "--password", "-"], {
    input: `${secrets.plant("the password of nobody")}\n`
  })
  const made = async (words: ReadonlyArray<string>, member: string, name: string): Promise<Record<string, string>> => {
    const { stdout } = await run(world, [...words, "--json"], { shows: [name] })
    const answer = JSON.parse(stdout) as Record<string, string>
    secrets.learn(name, answer[member]!)
    return answer
  }
  const { key } = await made(
    ["key", "create", "--account", email, "--scopes", scopes],
    "key",
    "a key made at a terminal"
  )
  const { daemonId, token } = await made(["token", "create", "--account", email], "token", "the daemon's token")
  for (const list of ["key", "token"]) await run(world, [list, "list", email, "--json"])
  return { key: key!, daemonId: daemonId!, daemonToken: token! }
}

const signIn = async ({ call, secrets }: SecretsWorld): Promise<string> => {
  const password = secrets.plant("the password at the sign-in")
  await call("POST", "/api/v1/auth/login", { body: { email, password: secrets.plant("a wrong password") } })
  await call("POST", "/api/v1/auth/login", { body: { email: `${password}@example.org`, password } })
  await call("POST", "/api/v1/auth/login", { body: { email, pasword: password } })
  await call("POST", "/api/v1/auth/login", { text: `{"email":"${email}","password":"${password}` })
  await call("POST", "/api/v1/auth/login", { text: `${password}` })
  await call("POST", "/api/v1/auth/login", { text: `password=${password}`, headers: { "content-type": "text/plain" } })
  return password
}

/** Signs in with the password and gives the session that is used on, refreshed once. */
const sessionOf = async ({ call, secrets }: SecretsWorld, password: string): Promise<string> => {
  const shows = ["a session's first token", "a session's token"]
  const login = await call("POST", "/api/v1/auth/login", { body: { email, password }, shows })
  const first = secrets.learn(shows[0]!, String(login.body.token))
  const refreshed = await call("POST", "/api/v1/auth/refresh", { session: first, shows })
  const other = await call("POST", "/api/v1/auth/login", { body: { email, password }, shows: ["another session"] })
  await call("POST", "/api/v1/auth/logout", { session: secrets.learn("another session", String(other.body.token)) })
  await call("GET", "/api/v1/me", { session: String(other.body.token) })
  return secrets.learn(shows[1]!, String(refreshed.body.token))
}

const keys = async ({ call, secrets }: SecretsWorld, session: string): Promise<void> => {
  const name = "a key made over the API"
  const body = { name: "k", scopes: ["ide:read"] }
  const headers = { "idempotency-key": "once" }
  const made = await call("POST", "/api/v1/api-keys", { session, body, headers, shows: [name] })
  const key = secrets.learn(name, String(made.body.key))
  await call("POST", "/api/v1/api-keys", { session, body, headers })
  await call("GET", "/api/v1/api-keys", { session })
  await call("GET", "/api/v1/me", { key })
  await call("DELETE", `/api/v1/api-keys/${made.body.id}`, { session })
  await call("GET", "/api/v1/me", { key })
}

const device = async ({ call, secrets }: SecretsWorld, session: string): Promise<string> => {
  const shows = ["a device code", "a user code"]
  const path = "/api/v1/auth/device"
  const begun = await call("POST", path, { body: { name: "d", scopes: ["ide:read"] }, shows })
  const deviceCode = secrets.learn(shows[0]!, String(begun.body.deviceCode))
  const userCode = secrets.learn(shows[1]!, String(begun.body.userCode))
  await call("GET", `/console?code=${userCode}`)
  await call("POST", `${path}/show`, { session, body: { userCode } })
  await call("POST", `${path}/show`, {
    session,
    body: { userCode: secrets.plant("a user code that is none").slice(0, 30) }
  })
  await call("POST", `${path}/token`, { body: { deviceCode: `${deviceCode}x` } })
  await call("POST", `${path}/approve`, { session, body: { userCode } })
  const polled = await call("POST", `${path}/token`, { body: { deviceCode }, shows: ["a device's key"] })
  secrets.learn("a device's key", String(polled.body.key))
  await call("POST", `${path}/token`, { body: { deviceCode } })
  const waits = ["a device code that waits", "a user code that waits"]
  const kept = await call("POST", path, { body: { name: "e", scopes: ["ide:read"] }, shows: waits })
  secrets.learn(waits[0]!, String(kept.body.deviceCode))
  return secrets.learn(waits[1]!, String(kept.body.userCode))
}

const joining = async ({ call, secrets }: SecretsWorld, session: string): Promise<void> => {
  const made = await call("POST", "/api/v1/join-keys", { session, body: { name: "j" }, shows: ["a join key"] })
  const key = secrets.learn("a join key", String(made.body.key))
  const body = { machineId: secrets.plant("a machine's id"), hostname: "h" }
  const joined = await call("POST", "/api/v1/daemons/join", { key, body, shows: ["a joined daemon's token"] })
  secrets.learn("a joined daemon's token", String(joined.body.token))
  await call("POST", "/api/v1/daemons/join", { key: `${key}x`, body })
  await call("GET", "/api/v1/me", { key })
  await call("GET", "/api/v1/join-keys", { session })
}

const openIdConnect = async ({ call, secrets }: SecretsWorld): Promise<void> => {
  const verifier = secrets.plant("a verifier") + secrets.plant("the rest of a verifier")
  const atProvider = ["the state of a sign-in", "its nonce", "its cookie"]
  const path = `/api/v1/auth/login?challenge=${challengeOf(verifier)}`
  const begun = await call("GET", path, { shows: atProvider })
  const location = begun.headers.get("location") ?? ""
  const asked = new URL(location).searchParams
  secrets.learn(atProvider[0]!, asked.get("state")!)
  secrets.learn(atProvider[1]!, asked.get("nonce")!)
  const cookie = (begun.headers.get("set-cookie") ?? "").split(";")[0]!
  secrets.learn(atProvider[2]!, cookie.slice(cookie.indexOf("=") + 1).slice(-60))
  const back = await signInAt(location, "ann")
  secrets.learn("the provider's code", back.searchParams.get("code")!)
  const forged = new URL(back)
  forged.searchParams.set("code", secrets.plant("a forged code of the provider"))
  await call("GET", `${forged.pathname}${forged.search}`, { headers: { cookie } })
  const shows = ["the one-time code"]
  const returned = await call("GET", `${back.pathname}${back.search}`, { headers: { cookie }, shows })
  const code = new URLSearchParams(new URL(returned.headers.get("location") ?? "").hash.slice(1)).get("code")!
  secrets.learn(shows[0]!, code)
  await call("POST", "/api/v1/auth/exchange", {
    body: { code: secrets.plant("a one-time code that is none"), verifier }
  })
  const body = { code, verifier }
  const exchanged = await call("POST", "/api/v1/auth/exchange", { body, shows: ["a token by OpenID Connect"] })
  secrets.learn("a token by OpenID Connect", String(exchanged.body.token))
  await call("POST", "/api/v1/auth/exchange", { body })
}

const turn = async ({ call, secrets }: SecretsWorld, session: string): Promise<void> => {
  const shows = ["a TURN credential"]
  const first = await call("GET", "/api/v1/turn/credentials", { session, shows })
  secrets.learn(shows[0]!, String(first.body.iceServers.at(-1).credential))
  await call("GET", "/api/v1/turn/credentials", { session, shows })
}

/** All of it. */
export const people = async (world: SecretsWorld): Promise<Person> => {
  const { secrets, nodes, call } = world
  const [, password] = /password +(\S+)/u.exec(nodes[0]!.greeting)!
  secrets.learn("the first start's password", password!)
  secrets.learn("the first start's key", /API key +(\S+)/u.exec(nodes[0]!.greeting)![1]!)
  secrets.learn("the first start's join key", /join key +(\S+)/u.exec(nodes[0]!.greeting)![1]!)
  // as its reader is told to: it is the one place that holds them
  rmSync(join(world.environment["HUB_DATA_DIR"]!, credentialsFile))
  const made = await onCommandLine(world)
  const typed = await signIn(world)
  await run(world, ["account", "password", email, "--password", "-"], { input: `${typed}\n` })
  const session = await sessionOf(world, typed)
  await keys(world, session)
  const userCode = await device(world, session)
  await joining(world, session)
  await openIdConnect(world)
  await turn(world, session)
  await call("GET", "/metrics", { token: world.environment["HUB_METRICS_TOKEN"]! })
  await call("GET", "/metrics", { token: secrets.plant("a wrong HUB_METRICS_TOKEN") })
  return { email, session, userCode, ...made }
}

/** The calls that write a row each, once more, while the store refuses them. */
export const peopleAgain = async (world: SecretsWorld, { session, key, daemonId }: Person): Promise<void> => {
  const { call, secrets, environment } = world
  const words = secrets.plant("a command that is not kept")
  await call("POST", "/api/v1/api-keys", { session, body: { name: "k", scopes: ["ide:read"] } })
  await call("POST", "/api/v1/join-keys", { session, body: { name: "j" } })
  await call("POST", "/api/v1/auth/device", { body: { name: "d", scopes: ["ide:read"] } })
  await call("POST", "/api/v1/webhooks", { session, body: { url: `https://example.org/${words}`, events: ["*"] } })
  const job = { daemonIds: [daemonId], type: "send_chat", payload: { message: words } }
  await call("POST", "/api/v1/jobs", { key, body: job })
  const terminal = { command: words, timeoutSeconds: 1 }
  await call("POST", `/api/v1/daemons/${daemonId}/terminal`, {
    key,
    body: terminal,
    headers: { prefer: "respond-async", "idempotency-key": "refused" }
  })
  const password = secrets.plant("a password that is not set")
  await run(world, ["account", "password", email, "--password", "-"], { input: `${password}\n`, env: environment })
}
