/**
 * A program over openapi-fetch with the types of openapi-typescript. Every operation of the document is called through
 * them; compiled and run by openapi-fetch.contract.test.ts beside the generated file.
 */
import createClient from "openapi-fetch"
import type { paths } from "../generated/openapi-typescript.ts"
import type {
  AccountCalls,
  AdminCalls,
  Answered,
  Calls,
  DaemonCalls,
  EventCalls,
  JobCalls,
  KeptCalls,
  Problem,
  RegistryCalls,
  ShortcutCalls
} from "../scenario/calls.ts"
import { firstEvent } from "../scenario/server-sent-event.ts"
import { run } from "./run.ts"

const registry = "/api/v1/registry/providers"
const commandOutput = "/api/v1/commands/{commandId}/output"
const sessionEvents = "/api/v1/daemons/{daemonId}/sessions/{sessionId}/events"

const clientOf = (baseUrl: string, bearer: string | undefined) =>
  createClient<paths>({
    baseUrl,
    redirect: "manual",
    headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
  })

type Client = ReturnType<typeof clientOf>

const answered = async <A, E = Problem>(
  call: Promise<{ readonly data?: A; readonly error?: E; readonly response: Response }>
): Promise<Answered<A, E>> => {
  const { data, error, response } = await call
  return { status: response.status, headers: response.headers, data, error }
}

const account = (client: Client): AccountCalls => ({
  "system.health": () => answered(client.GET("/healthz")),
  "system.ready": () => answered(client.GET("/readyz")),
  "system.metrics": () => answered(client.GET("/metrics", { parseAs: "text" })),
  "auth.login": ({ body }) => answered(client.POST("/api/v1/auth/login", { body })),
  "auth.begin": ({ query }) => answered(client.GET("/api/v1/auth/login", { params: { query } })),
  "auth.callback": ({ query, cookie }) =>
    answered(client.GET("/api/v1/auth/callback", { params: { query }, headers: { cookie } })),
  "auth.exchange": ({ body }) => answered(client.POST("/api/v1/auth/exchange", { body })),
  "auth.refresh": () => answered(client.POST("/api/v1/auth/refresh")),
  "auth.logout": () => answered(client.POST("/api/v1/auth/logout")),
  "auth.logoutOthers": () => answered(client.POST("/api/v1/auth/logout-others")),
  "deviceCodes.begin": ({ body }) => answered(client.POST("/api/v1/auth/device", { body })),
  "deviceCodes.token": ({ body }) => answered(client.POST("/api/v1/auth/device/token", { body })),
  "deviceCodes.show": ({ body }) => answered(client.POST("/api/v1/auth/device/show", { body })),
  "deviceCodes.approve": ({ body }) => answered(client.POST("/api/v1/auth/device/approve", { body })),
  "deviceCodes.deny": ({ body }) => answered(client.POST("/api/v1/auth/device/deny", { body })),
  "account.me": () => answered(client.GET("/api/v1/me")),
  "account.usage": () => answered(client.GET("/api/v1/usage")),
  "keys.list": ({ query }) => answered(client.GET("/api/v1/api-keys", { params: { query } })),
  "keys.create": ({ header, body }) => answered(client.POST("/api/v1/api-keys", { params: { header }, body })),
  "audit.list": ({ query }) => answered(client.GET("/api/v1/audit", { params: { query } })),
  "requests.list": ({ query }) => answered(client.GET("/api/v1/requests", { params: { query } })),
  "keys.revoke": ({ path }) => answered(client.DELETE("/api/v1/api-keys/{keyId}", { params: { path } }))
})

const daemons = (client: Client): DaemonCalls => ({
  "daemons.list": ({ query }) => answered(client.GET("/api/v1/daemons", { params: { query } })),
  "daemons.status": ({ path }) => answered(client.GET("/api/v1/daemons/{daemonId}/status", { params: { path } })),
  "daemons.command": ({ path, header, body }) =>
    answered(client.POST("/api/v1/daemons/{daemonId}/command", { params: { path, header }, body })),
  "daemons.terminal": ({ path, header, body }) =>
    answered(client.POST("/api/v1/daemons/{daemonId}/terminal", { params: { path, header }, body })),
  "daemons.disconnect": ({ path, header }) =>
    answered(client.POST("/api/v1/daemons/{daemonId}/disconnect", { params: { path, header } })),
  "daemons.revoke": ({ path, header }) =>
    answered(client.POST("/api/v1/daemons/{daemonId}/revoke", { params: { path, header } })),
  "daemons.remove": ({ path }) => answered(client.DELETE("/api/v1/daemons/{daemonId}", { params: { path } })),
  "daemons.enroll": ({ header, body }) => answered(client.POST("/api/v1/daemons/enroll", { params: { header }, body })),
  "daemons.tag": ({ path, body }) =>
    answered(client.PUT("/api/v1/daemons/{daemonId}/tags", { params: { path }, body })),
  "joinKeys.list": () => answered(client.GET("/api/v1/join-keys")),
  "joinKeys.create": ({ body }) => answered(client.POST("/api/v1/join-keys", { body })),
  "joinKeys.remove": ({ path }) => answered(client.DELETE("/api/v1/join-keys/{joinKeyId}", { params: { path } })),
  "joinKeys.join": ({ body }) => answered(client.POST("/api/v1/daemons/join", { body }))
})

const shortcuts = (client: Client): ShortcutCalls => ({
  "shortcuts.launch": ({ path, header, body }) =>
    answered(client.POST("/api/v1/shortcuts/{daemonId}/launch", { params: { path, header }, body })),
  "shortcuts.stop": ({ path, header, body }) =>
    answered(client.POST("/api/v1/shortcuts/{daemonId}/stop", { params: { path, header }, body })),
  "shortcuts.send": ({ path, query, header, body }) =>
    answered(client.POST("/api/v1/shortcuts/{ideId}/chat", { params: { path, query, header }, body })),
  "shortcuts.read": ({ path, query }) =>
    answered(client.GET("/api/v1/shortcuts/{ideId}/chat", { params: { path, query } })),
  "shortcuts.debug": ({ path, query }) =>
    answered(client.GET("/api/v1/shortcuts/{ideId}/chat/debug", { params: { path, query } })),
  "shortcuts.debugWith": ({ path, header, body }) =>
    answered(client.POST("/api/v1/shortcuts/{ideId}/chat/debug", { params: { path, header }, body })),
  "shortcuts.approve": ({ path, header, body }) =>
    answered(client.POST("/api/v1/shortcuts/{ideId}/approve", { params: { path, header }, body })),
  "shortcuts.status": ({ path, query }) =>
    answered(client.GET("/api/v1/shortcuts/{ideId}/status", { params: { path, query } }))
})

const kept = (client: Client): KeptCalls => ({
  "commands.list": ({ query }) => answered(client.GET("/api/v1/commands", { params: { query } })),
  "commands.get": ({ path }) => answered(client.GET("/api/v1/commands/{commandId}", { params: { path } })),
  "commands.cancel": ({ path, header }) =>
    answered(client.POST("/api/v1/commands/{commandId}/cancel", { params: { path, header } })),
  "commands.output": ({ path, query }) => answered(client.GET(commandOutput, { params: { path, query } })),
  "commands.outputStream": async ({ path, query, header }) => {
    const call = client.GET(`${commandOutput}/stream`, { params: { path, query, header }, parseAs: "stream" })
    const { data, ...rest } = await answered(call)
    return data === undefined ? rest : { ...rest, data: await firstEvent(data) }
  }
})

const jobs = (client: Client): JobCalls => ({
  "jobs.start": ({ header, body }) => answered(client.POST("/api/v1/jobs", { params: { header }, body })),
  "jobs.list": ({ query }) => answered(client.GET("/api/v1/jobs", { params: { query } })),
  "jobs.get": ({ path }) => answered(client.GET("/api/v1/jobs/{jobId}", { params: { path } })),
  "jobs.targets": ({ path, query }) =>
    answered(client.GET("/api/v1/jobs/{jobId}/targets", { params: { path, query } })),
  "jobs.cancel": ({ path, header }) =>
    answered(client.POST("/api/v1/jobs/{jobId}/cancel", { params: { path, header } }))
})

const events = (client: Client): EventCalls => ({
  "webhooks.list": () => answered(client.GET("/api/v1/webhooks")),
  "webhooks.create": ({ header, body }) => answered(client.POST("/api/v1/webhooks", { params: { header }, body })),
  "webhooks.update": ({ path, body }) =>
    answered(client.PATCH("/api/v1/webhooks/{webhookId}", { params: { path }, body })),
  "webhooks.remove": ({ path }) => answered(client.DELETE("/api/v1/webhooks/{webhookId}", { params: { path } })),
  "webhooks.deliveries": ({ path, query }) =>
    answered(client.GET("/api/v1/webhooks/{webhookId}/deliveries", { params: { path, query } })),
  "webhooks.test": ({ path, header }) =>
    answered(client.POST("/api/v1/webhooks/{webhookId}/test", { params: { path, header } })),
  "webhooks.rotateSecret": ({ path, header }) =>
    answered(client.POST("/api/v1/webhooks/{webhookId}/rotate-secret", { params: { path, header } })),
  "webhooks.retry": ({ path, header }) =>
    answered(client.POST("/api/v1/webhooks/{webhookId}/deliveries/{deliveryId}/retry", { params: { path, header } })),
  "webhooks.recover": ({ path, header, body }) =>
    answered(client.POST("/api/v1/webhooks/{webhookId}/recover", { params: { path, header }, body })),
  "sessions.events": ({ path, query }) => answered(client.GET(sessionEvents, { params: { path, query } })),
  "sessions.stream": async ({ path, query, header }) => {
    const call = client.GET(`${sessionEvents}/stream`, { params: { path, query, header }, parseAs: "stream" })
    const { data, ...rest } = await answered(call)
    return data === undefined ? rest : { ...rest, data: await firstEvent(data) }
  },
  "events.stream": async ({ query, header }) => {
    const call = client.GET("/api/v1/events", { params: { query, header }, parseAs: "stream" })
    const { data, ...rest } = await answered(call)
    return data === undefined ? rest : { ...rest, data: await firstEvent(data) }
  },
  "events.listenSecret": () => answered(client.GET("/api/v1/events/listen-secret")),
  "turn.credentials": () => answered(client.GET("/api/v1/turn/credentials"))
})

const packages = (client: Client): RegistryCalls => ({
  "registry.list": ({ query, header }) => answered(client.GET(registry, { params: { query, header } })),
  "registry.type": ({ path, query, header }) =>
    answered(client.GET(`${registry}/{type}`, { params: { path, query, header } })),
  "registry.version": ({ path, query, header }) =>
    answered(client.GET(`${registry}/{type}/{version}`, { params: { path, query, header } })),
  "registry.download": ({ path, query, header }) =>
    answered(client.GET(`${registry}/{type}/{version}/download`, { params: { path, query, header }, parseAs: "blob" })),
  "registry.downloadHead": ({ path, query, header }) =>
    answered(client.HEAD(`${registry}/{type}/{version}/download`, { params: { path, query, header } })),
  "registry.publish": ({ header, body }) => answered(client.POST(registry, { params: { header }, body })),
  "registry.promote": ({ path, header }) =>
    answered(client.POST(`${registry}/{type}/{version}/promote`, { params: { path, header } })),
  "registry.yank": ({ path, query }) =>
    answered(client.DELETE(`${registry}/{type}/{version}`, { params: { path, query } }))
})

const administration = (client: Client): AdminCalls => ({
  "adminDaemons.list": ({ query }) => answered(client.GET("/api/v1/admin/daemons", { params: { query } })),
  "adminDaemons.show": ({ path }) => answered(client.GET("/api/v1/admin/daemons/{daemonId}", { params: { path } })),
  "adminDaemons.disconnect": ({ path, header }) =>
    answered(client.POST("/api/v1/admin/daemons/{daemonId}/disconnect", { params: { path, header } }))
})

const callsOf = (client: Client): Calls => ({
  ...account(client),
  ...daemons(client),
  ...shortcuts(client),
  ...kept(client),
  ...jobs(client),
  ...events(client),
  ...packages(client),
  ...administration(client)
})

await run(
  ({ url }) =>
    (bearer) =>
      callsOf(clientOf(url, bearer))
)
