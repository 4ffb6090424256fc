/**
 * A program over the client that @hey-api/openapi-ts generates. Every operation of the document is called through it;
 * compiled and run by hey-api.contract.test.ts beside the generated files.
 */
import { createClient, createConfig } from "../generated/hey-api/client/index.ts"
import * as hub from "../generated/hey-api/index.ts"
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
import { run } from "./run.ts"

const clientOf = (baseUrl: string, bearer: string | undefined) =>
  createClient(createConfig({ baseUrl, redirect: "manual", ...(bearer !== undefined && { auth: () => bearer }) }))

type Client = ReturnType<typeof clientOf>

const answered = async <A, E = Problem>(
  call: Promise<{ readonly data: A | undefined; readonly error: E | undefined; readonly response?: Response }>
): Promise<Answered<A, E>> => {
  const { data, error, response } = await call
  if (response === undefined) throw error
  return { status: response.status, headers: response.headers, data, error }
}

const account = (client: Client): AccountCalls => ({
  "system.health": () => answered(hub.systemHealth({ client })),
  "system.ready": () => answered(hub.systemReady({ client })),
  "system.metrics": () => answered(hub.systemMetrics({ client })),
  "auth.login": ({ body }) => answered(hub.authLogin({ client, body })),
  "auth.begin": ({ query }) => answered(hub.authBegin({ client, query })),
  "auth.callback": ({ query, cookie }) => answered(hub.authCallback({ client, query, headers: { cookie } })),
  "auth.exchange": ({ body }) => answered(hub.authExchange({ client, body })),
  "auth.refresh": () => answered(hub.authRefresh({ client })),
  "auth.logout": () => answered(hub.authLogout({ client })),
  "auth.logoutOthers": () => answered(hub.authLogoutOthers({ client })),
  "deviceCodes.begin": ({ body }) => answered(hub.deviceCodesBegin({ client, body })),
  "deviceCodes.token": ({ body }) => answered(hub.deviceCodesToken({ client, body })),
  "deviceCodes.show": ({ body }) => answered(hub.deviceCodesShow({ client, body })),
  "deviceCodes.approve": ({ body }) => answered(hub.deviceCodesApprove({ client, body })),
  "deviceCodes.deny": ({ body }) => answered(hub.deviceCodesDeny({ client, body })),
  "account.me": () => answered(hub.accountMe({ client })),
  "account.usage": () => answered(hub.accountUsage({ client })),
  "keys.list": ({ query }) => answered(hub.keysList({ client, query })),
  "keys.create": ({ header: headers, body }) => answered(hub.keysCreate({ client, headers, body })),
  "audit.list": ({ query }) => answered(hub.auditList({ client, query })),
  "requests.list": ({ query }) => answered(hub.requestsList({ client, query })),
  "keys.revoke": ({ path }) => answered(hub.keysRevoke({ client, path }))
})

const daemons = (client: Client): DaemonCalls => ({
  "daemons.list": ({ query }) => answered(hub.daemonsList({ client, query })),
  "daemons.status": ({ path }) => answered(hub.daemonsStatus({ client, path })),
  "daemons.command": ({ path, header: headers, body }) => answered(hub.daemonsCommand({ client, path, headers, body })),
  "daemons.terminal": ({ path, header: headers, body }) =>
    answered(hub.daemonsTerminal({ client, path, headers, body })),
  "daemons.disconnect": ({ path, header: headers }) => answered(hub.daemonsDisconnect({ client, path, headers })),
  "daemons.revoke": ({ path, header: headers }) => answered(hub.daemonsRevoke({ client, path, headers })),
  "daemons.remove": ({ path }) => answered(hub.daemonsRemove({ client, path })),
  "daemons.enroll": ({ header: headers, body }) => answered(hub.daemonsEnroll({ client, headers, body })),
  "daemons.tag": ({ path, body }) => answered(hub.daemonsTag({ client, path, body })),
  "joinKeys.list": () => answered(hub.joinKeysList({ client })),
  "joinKeys.create": ({ body }) => answered(hub.joinKeysCreate({ client, body })),
  "joinKeys.remove": ({ path }) => answered(hub.joinKeysRemove({ client, path })),
  "joinKeys.join": ({ body }) => answered(hub.joinKeysJoin({ client, body }))
})

const shortcuts = (client: Client): ShortcutCalls => ({
  "shortcuts.launch": ({ path, header: headers, body }) =>
    answered(hub.shortcutsLaunch({ client, path, headers, body })),
  "shortcuts.stop": ({ path, header: headers, body }) => answered(hub.shortcutsStop({ client, path, headers, body })),
  "shortcuts.send": ({ path, query, header: headers, body }) =>
    answered(hub.shortcutsSend({ client, path, query, headers, body })),
  "shortcuts.read": ({ path, query }) => answered(hub.shortcutsRead({ client, path, query })),
  "shortcuts.debug": ({ path, query }) => answered(hub.shortcutsDebug({ client, path, query })),
  "shortcuts.debugWith": ({ path, header: headers, body }) =>
    answered(hub.shortcutsDebugWith({ client, path, headers, body })),
  "shortcuts.approve": ({ path, header: headers, body }) =>
    answered(hub.shortcutsApprove({ client, path, headers, body })),
  "shortcuts.status": ({ path, query }) => answered(hub.shortcutsStatus({ client, path, query }))
})

/** Opens a stream with these settings beside its own. */
type Opening = (settings: {
  readonly sseMaxRetryAttempts: number
  readonly signal: AbortSignal
  readonly onSseEvent: (event: { readonly id?: string }) => void
  readonly fetch: typeof fetch
}) => Promise<{ readonly stream: AsyncIterable<unknown> }>

/**
 * The first event of the stream. The client shows neither status nor headers of a stream: its `fetch` does. Who only
 * stops reading keeps the connection: a signal ends it.
 */
const firstEvent = async (open: Opening): ReturnType<EventCalls["events.stream"]> => {
  let answer: Response | undefined
  let id: string | undefined
  const leaving = new AbortController()
  const { stream } = await open({
    sseMaxRetryAttempts: 1,
    signal: leaving.signal,
    onSseEvent: (event) => {
      id = event.id
    },
    fetch: async (...request) => {
      answer = await fetch(...request)
      return answer
    }
  })
  let data: unknown
  for await (const event of stream) {
    data = event
    break
  }
  if (answer === undefined) throw new Error("the stream was not asked for")
  const { status, headers, ok } = answer
  if (!ok) return { status, headers, error: (await answer.json()) as Problem }
  leaving.abort()
  return { status, headers, data: { id, data } }
}

const kept = (client: Client): KeptCalls => ({
  "commands.list": ({ query }) => answered(hub.commandsList({ client, query })),
  "commands.get": ({ path }) => answered(hub.commandsGet({ client, path })),
  "commands.cancel": ({ path, header: headers }) => answered(hub.commandsCancel({ client, path, headers })),
  "commands.output": ({ path, query }) => answered(hub.commandsOutput({ client, path, query })),
  "commands.outputStream": ({ path, query, header: headers }) =>
    firstEvent((settings) => hub.commandsOutputStream({ client, path, query, headers, ...settings }))
})

const jobs = (client: Client): JobCalls => ({
  "jobs.start": ({ header: headers, body }) => answered(hub.jobsStart({ client, headers, body })),
  "jobs.list": ({ query }) => answered(hub.jobsList({ client, query })),
  "jobs.get": ({ path }) => answered(hub.jobsGet({ client, path })),
  "jobs.targets": ({ path, query }) => answered(hub.jobsTargets({ client, path, query })),
  "jobs.cancel": ({ path, header: headers }) => answered(hub.jobsCancel({ client, path, headers }))
})

const events = (client: Client): EventCalls => ({
  "webhooks.list": () => answered(hub.webhooksList({ client })),
  "webhooks.create": ({ header: headers, body }) => answered(hub.webhooksCreate({ client, headers, body })),
  "webhooks.update": ({ path, body }) => answered(hub.webhooksUpdate({ client, path, body })),
  "webhooks.remove": ({ path }) => answered(hub.webhooksRemove({ client, path })),
  "webhooks.deliveries": ({ path, query }) => answered(hub.webhooksDeliveries({ client, path, query })),
  "webhooks.test": ({ path, header: headers }) => answered(hub.webhooksTest({ client, path, headers })),
  "webhooks.rotateSecret": ({ path, header: headers }) => answered(hub.webhooksRotateSecret({ client, path, headers })),
  "webhooks.retry": ({ path, header: headers }) => answered(hub.webhooksRetry({ client, path, headers })),
  "webhooks.recover": ({ path, header: headers, body }) =>
    answered(hub.webhooksRecover({ client, path, headers, body })),
  "sessions.events": ({ path, query }) => answered(hub.sessionsEvents({ client, path, query })),
  "sessions.stream": ({ path, query, header: headers }) =>
    firstEvent((settings) => hub.sessionsStream({ client, path, query, headers, ...settings })),
  "events.stream": ({ query, header: headers }) =>
    firstEvent((settings) => hub.eventsStream({ client, query, headers, ...settings })),
  "events.listenSecret": () => answered(hub.eventsListenSecret({ client })),
  "turn.credentials": () => answered(hub.turnCredentials({ client }))
})

const packages = (client: Client): RegistryCalls => ({
  "registry.list": ({ query, header: headers }) => answered(hub.registryList({ client, query, headers })),
  "registry.type": ({ path, query, header: headers }) => answered(hub.registryType({ client, path, query, headers })),
  "registry.version": ({ path, query, header: headers }) =>
    answered(hub.registryVersion({ client, path, query, headers })),
  "registry.download": ({ path, query, header: headers }) =>
    answered(hub.registryDownload({ client, path, query, headers })),
  "registry.downloadHead": ({ path, query, header: headers }) =>
    answered(hub.registryDownloadHead({ client, path, query, headers })),
  "registry.publish": ({ header: headers, body }) => answered(hub.registryPublish({ client, headers, body })),
  "registry.promote": ({ path, header: headers }) => answered(hub.registryPromote({ client, path, headers })),
  "registry.yank": ({ path, query }) => answered(hub.registryYank({ client, path, query }))
})

const administration = (client: Client): AdminCalls => ({
  "adminDaemons.list": ({ query }) => answered(hub.adminDaemonsList({ client, query })),
  "adminDaemons.show": ({ path }) => answered(hub.adminDaemonsShow({ client, path })),
  "adminDaemons.disconnect": ({ path, header: headers }) =>
    answered(hub.adminDaemonsDisconnect({ client, path, headers }))
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
