/**
 * The examples of the OpenAPI document are what a hub answers. The first test calls every endpoint and compares with
 * http/reference/examples.json; `./hub test test/http/reference/examples.db.test.ts -u` writes it.
 */
import { Effect } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { Api } from "../../../http/api/api.ts"
import { problems } from "../../../http/api/problems.ts"
import { referenceOf } from "../../../http/reference/document.ts"
import { examples } from "../../../http/reference/examples.ts"
import { systemRoutes } from "../../../http/routes/system.ts"
import { hashCredential } from "../../../src/auth/api-key.ts"
import { challengeOf } from "../../../src/auth/challenge.ts"
import { relayedEvents } from "../../../src/domain/event/events.ts"
import type * as errors from "../../../src/errors.ts"
import { Readiness } from "../../../src/runtime/readiness.ts"
import { LoginCodes } from "../../../src/store/accounts/login-codes.ts"
import { type Owned, ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { withOAuth } from "../../support/connecting-app.ts"
import { startEdge } from "../../support/edge.ts"
import { useHub } from "../../support/hub.ts"
import type { Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"
import { recordAdministration } from "./administration-examples.ts"
import { recordApps, recordDevices } from "./credential-examples.ts"
import { failureSamples } from "./failure-samples.ts"
import { exampleRelease, recordCopiedIdentity, recordFleets } from "./fleet-examples.ts"
import { recordPeople } from "./people-examples.ts"
import { makeRecorder, type Recorder } from "./recorded-examples.ts"
import { recordStoredCommands } from "./stored-command-examples.ts"
import { recordRetry, recordWebhooks } from "./webhook-examples.ts"

const hub = useHub({ release: exampleRelease, settings: withOAuth })
const receiver = useReceiver()
const recorder = makeRecorder()

const everything = () => ({ url: receiver.url("/all"), events: ["*"] })
const api = "/api/v1"
const file = "../../../http/reference/examples.json"

const signingIn = async ({ call }: Recorder): Promise<void> => {
  const password = "correct horse battery"
  const { email, accountId } = await hub.account({ password })
  await call(hub, "auth.login", 200, `POST ${api}/auth/login`, { body: { email, password } })
  const verifier = "v".repeat(43)
  const login = { accountId, authTime: Math.floor(hub.now() / 1_000) * 1_000, challenge: challengeOf(verifier) }
  const code = hashCredential("one-time-code")
  const add = Effect.flatMap(LoginCodes, (codes) => codes.add(code, login, hub.now() + 60_000))
  await hub.inside(add)
  const body = { code: "one-time-code", verifier }
  const { token } = await call(hub, "auth.exchange", 200, `POST ${api}/auth/exchange`, { body })
  await call(hub, "auth.logoutOthers", 200, `POST ${api}/auth/logout-others`, { session: token })
  const newer = await call(hub, "auth.refresh", 200, `POST ${api}/auth/refresh`, { session: token })
  await call(hub, "auth.logout", 200, `POST ${api}/auth/logout`, { session: newer.token })
}

const keysAndLimits = async ({ call }: Recorder): Promise<void> => {
  const { account, session } = await hub.signedIn()
  const body = { name: "ci", scopes: ["ide:read", "agent:read"], expiresAt: null }
  const { id } = await call(hub, "keys.create", 201, `POST ${api}/api-keys`, { session, body })
  await call(hub, "keys.list", 200, `GET ${api}/api-keys`, { session })
  await call(hub, "keys.revoke", 200, `DELETE ${api}/api-keys/${id}`, { session })
  const key = await account.key(["ide:read"])
  await call(hub, "account.me", 200, `GET ${api}/me`, { key })
  await call(hub, "events.listenSecret", 200, `GET ${api}/events/listen-secret`, { session })
  await call(hub, "account.usage", 200, `GET ${api}/usage`, { key })
  await call(hub, "turn.credentials", 200, `GET ${api}/turn/credentials`, { session })
  await hub.request("GET", `${api}/daemons/dmn_00000000000000000000/status`, { key })
  const refused = `${api}/requests?status=4xx`
  await until("it is logged", async () => (await hub.request("GET", refused, { session })).body.requests[0])
  await call(hub, "requests.list", 200, `GET ${refused}`, { session })
  await call(hub, "audit.list", 200, `GET ${api}/audit?action=key.created`, { session })
}

const agents = [
  reported("s1", {
    providerType: "codex-cli",
    kind: "agent",
    transport: "acp",
    workspace: "/srv/app",
    status: "waiting_approval",
    activeModal: { promptId: "prompt-7", message: "Run `npm test`?", buttons: ["Allow", "Deny"] }
  }),
  reported("s2", { providerType: "aider", kind: "agent", transport: "pty", workspace: "/srv/app" })
]

const daemonsOf = async ({ call }: Recorder, { key, daemonId }: Owned, session: string): Promise<void> => {
  const path = `${api}/daemons/${daemonId}`
  await call(hub, "daemons.list", 200, `GET ${api}/daemons`, { key })
  await call(hub, "daemons.status", 200, `GET ${path}/status`, { key })
  const screenshot = { type: "screenshot", payload: { width: 800, targetSessionId: "s1" } }
  await call(hub, "daemons.command", 200, `POST ${path}/command`, { key, body: screenshot })
  const command = { command: "git status --short", cwd: "/srv/app" }
  await call(hub, "daemons.terminal", 200, `POST ${path}/terminal`, { key, body: command })
  await call(hub, "daemons.disconnect", 200, `POST ${path}/disconnect`, { session })
  await call(hub, "daemons.revoke", 200, `POST ${path}/revoke`, { session })
  await call(hub, "daemons.remove", 200, `DELETE ${path}`, { session })
  await call(hub, "daemons.enroll", 201, `POST ${api}/daemons/enroll`, { session, body: { name: "laptop" } })
}

const shortcutsOf = async ({ call, answer }: Recorder, { key, daemonId }: Owned): Promise<void> => {
  const daemon = `${api}/shortcuts/${daemonId}`
  const target = `${api}/shortcuts/${daemonId}:session:s1`
  await call(hub, "shortcuts.launch", 200, `POST ${daemon}/launch`, {
    key,
    body: { type: "codex-cli", dir: "/srv/app" }
  })
  await call(hub, "shortcuts.stop", 200, `POST ${daemon}/stop`, { key, body: { type: "codex-cli" } })
  await call(hub, "shortcuts.send", 200, `POST ${target}/chat`, { key, body: { message: "Run the tests" } })
  await call(hub, "shortcuts.read", 200, `GET ${target}/chat`, { key })
  // the worker thread starts with the first bundle, which may find it too slow
  await until("bundles are read", async () => (await hub.request("GET", `${target}/chat/debug`, { key })).body.success)
  await call(hub, "shortcuts.debug", 200, `GET ${target}/chat/debug`, { key })
  const frontendSnapshot = { activeConversation: { sessionId: "s1" } }
  await call(hub, "shortcuts.debugWith", 200, `POST ${target}/chat/debug`, { key, body: { frontendSnapshot } })
  await call(hub, "shortcuts.approve", 200, `POST ${target}/approve`, {
    key,
    body: { action: "approve", promptId: "prompt-7" }
  })
  await call(hub, "shortcuts.status", 200, `GET ${target}/status`, { key })
  await call(hub, "shortcuts.interrupt", 200, `POST ${target}/interrupt`, { key, body: {} })
  const path = `${api}/daemons/${daemonId}/sessions/s1/events`
  const { events } = await call(hub, "sessions.events", 200, `GET ${path}`, { key })
  answer("sessions.stream", 200, events[1])
}

const results: Readonly<Record<string, unknown>> = {
  terminal_exec: { exitCode: 0, stdout: " M src/main.ts\n", stderr: "", durationMs: 12 },
  read_chat: { messages: [{ role: "assistant", content: "All tests pass." }], status: "idle", title: "Run the tests" },
  read_log: {
    logId: "b4c1e0",
    firstSeq: 1,
    lastSeq: 2,
    events: [
      { seq: 1, type: "message", timestamp: 1_790_000_000_000, messageId: "m1", role: "user", text: "Run the tests" },
      { seq: 2, type: "message", timestamp: 1_790_000_008_000, messageId: "m2", role: "agent", text: "All tests pass." }
    ],
    more: false
  },
  chat_debug_bundle: { bundle: { provider: "codex-cli", turns: 1 }, text: "provider codex-cli, 1 turn" },
  screenshot: { format: "webp", data: "UklGRg==" }
}

const answering = (peer: Peer): void => peer.answerWith(({ type }) => results[type] ?? { accepted: true })

const delivered = async (event: string): Promise<unknown> =>
  until(event, () => receiver.at("/all").find(({ body }) => body.event === event)?.body)

const eventsOf = async ({ event, answer }: Recorder, peer: Peer): Promise<void> => {
  peer.report([{ ...agents[0], status: "generating" }, agents[1]])
  for (const name of relayedEvents) {
    const about = { targetSessionId: "s1", providerType: "codex-cli", providerSessionId: "conversation-1" }
    const prompt = { promptId: "prompt-7", modalMessage: "Run `npm test`?", modalButtons: ["Allow", "Deny"] }
    const more = { duration: 8, elapsedSec: 300, ...prompt, surfaceHidden: false, muted: false }
    peer.send("status_event", { event: name, timestamp: hub.now(), ...about, ...more })
  }
  for (const name of ["agent:status", ...relayedEvents]) await delivered(name)
  await peer.leave()
  for (const name of ["daemon:connect", "agent:status", ...relayedEvents, "daemon:disconnect", "webhook:test"])
    event(name, await delivered(name))
  answer("events.stream", 200, await delivered("agent:generating_completed"))
}

const registryOf = async ({ call }: Recorder): Promise<void> => {
  const { key } = await hub.withKey(["registry:publish"], { admin: true })
  const providers = `${api}/registry/providers`
  const names = { category: "cli", name: "aider", displayName: "Aider", description: "A coding agent." }
  const body = { type: "aider", version: "1.2.0", channel: "preview", ...names, manifest: { binary: "aider" } }
  await call(hub, "registry.publish", 201, `POST ${providers}`, { key, body })
  await call(hub, "registry.publish", 200, `POST ${providers}`, { key, body })
  await call(hub, "registry.promote", 201, `POST ${providers}/aider/1.2.0/promote`, { key, body: {} })
  await call(hub, "registry.promote", 200, `POST ${providers}/aider/1.2.0/promote`, { key })
  await call(hub, "registry.list", 200, `GET ${providers}`)
  await call(hub, "registry.type", 200, `GET ${providers}/aider`)
  await call(hub, "registry.version", 200, `GET ${providers}/aider/1.2.0`)
  await call(hub, "registry.yank", 200, `DELETE ${providers}/aider/1.2.0?channel=preview`, { key })
  await call(hub, "registry.restore", 200, `POST ${providers}/aider/1.2.0/restore?channel=preview`, { key })
}

const systemOf = async ({ call, answer }: Recorder): Promise<void> => {
  await call(hub, "system.health", 200, "GET /healthz")
  await call(hub, "system.ready", 200, "GET /readyz")
  const waiting = Readiness.of({ waitingFor: Effect.succeed(["store"]), tell: () => {} })
  const routes = await Effect.runPromise(Effect.provideService(systemRoutes, Readiness, waiting))
  const edge = await startEdge({}, { system: routes })
  answer("system.ready", 503, await (await fetch(`${edge.url}/readyz`)).json())
  await edge.close()
}

/** The paths of what answers no JSON. */
const pathsOf = ({ path }: Recorder, { daemonId }: Owned, commandId: string): void => {
  path("system.metrics", "/metrics")
  path("auth.begin", `${api}/auth/login?challenge=${challengeOf("v".repeat(43))}`)
  path("auth.callback", `${api}/auth/callback?state=state-of-the-provider&code=code-of-the-provider`)
  path("events.stream", `${api}/events?event=agent:waiting_approval`)
  path("sessions.stream", `${api}/daemons/${daemonId}/sessions/s1/events/stream`)
  path("commands.outputStream", `${api}/commands/${commandId}/output/stream`)
  path("registry.download", `${api}/registry/providers/aider/1.2.0/download`)
}

/** Every failure, answered by an edge. */
const problemsOf = async ({ problem }: Recorder): Promise<void> => {
  const names = Object.keys(failureSamples) as Array<errors.HubError["_tag"]>
  const ends = names.map((tag) =>
    HttpApiEndpoint.get(tag, `/${tag}`).annotateMerge(access({ kind: "public", limited: false, onHangUp: "cancel" }))
  )
  const group = ends.reduce((all, one) => all.add(one) as never, HttpApiGroup.make("failing"))
  const failing = Object.fromEntries(names.map((tag) => [tag, () => Effect.fail(failureSamples[tag])]))
  const edge = await startEdge({}, { failing }, HttpApi.make("problems").add(group as never))
  for (const tag of names) problem(tag, await (await fetch(`${edge.url}/${tag}`)).json())
  await edge.close()
}

it("shows in the OpenAPI document what a hub answers to a call of every endpoint", async () => {
  await systemOf(recorder)
  await signingIn(recorder)
  await keysAndLimits(recorder)
  await recordDevices(hub, recorder)
  await recordApps(hub, recorder)
  await recordFleets(hub, recorder)
  await recordPeople(hub, recorder)
  const mine = await ownedDaemon(hub)
  const session = await mine.account.session()
  const other = { url: receiver.url("/status"), events: ["agent:status"] }
  const hook = (await hub.request("POST", `${api}/webhooks`, { session, body: everything() })).body
  const { id } = await recorder.call(hub, "webhooks.create", 201, `POST ${api}/webhooks`, { session, body: other })
  await hub.request("POST", `${api}/webhooks/${hook.id}/test`, { session })
  const peer = await mine.connect({ auth: { capabilities: ["session_log"] }, report: agents })
  answering(peer)
  await until("its agents are known", async () => (await mine.status()).agents.length === 2)
  await shortcutsOf(recorder, mine)
  await eventsOf(recorder, peer)
  await recordRetry(hub, recorder, session, hook.id)
  await hub.request("DELETE", `${api}/webhooks/${hook.id}`, { session })
  answering(await mine.connect({ report: agents }))
  await until("its agents are known again", async () => (await mine.status()).agents.length === 2)
  await daemonsOf(recorder, mine, session)
  await recordWebhooks(hub, recorder, session, id)
  pathsOf(recorder, mine, await recordStoredCommands(hub, receiver, recorder))
  await recordCopiedIdentity(hub, receiver, recorder)
  await recordAdministration(hub, recorder)
  await registryOf(recorder)
  await problemsOf(recorder)
  await expect(`${JSON.stringify(recorder.recorded, null, 2)}\n`).toMatchFileSnapshot(file)
})

describe("an example of the OpenAPI document", () => {
  const { operations } = referenceOf(Api, "https://hub.example.org")

  it("is there for every body and every answer in JSON", () => {
    const missing = operations.flatMap(({ spec }) => {
      const { requestBody, responses } = spec as {
        requestBody?: { content: Record<string, { example?: unknown }> }
        responses: Record<string, { content?: Record<string, { example?: unknown }> }>
      }
      const media = Object.entries(responses).flatMap(([status, { content }]) => {
        const json = content?.["application/json"]
        return json !== undefined && json.example === undefined ? [`${spec["operationId"]} ${status}`] : []
      })
      const body = requestBody?.content["application/json"]
      return body !== undefined && body.example === undefined ? [...media, `${spec["operationId"]} body`] : media
    })
    expect(missing).toEqual([])
  })

  it("is there for every failure and every event", () => {
    expect(Object.keys(examples.problems).sort()).toEqual(Object.keys(problems).sort())
    expect(Object.keys(examples.events)).toHaveLength(relayedEvents.length + 10)
  })
})
