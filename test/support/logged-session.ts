/** A daemon with a session that has a log, and readers of it, over a whole hub. Owns the set-up; asserts nothing. */
import { DaemonLogs } from "./daemon-logs.ts"
import { type EventStream, openEventStream } from "./event-stream.ts"
import type { HubAnswer, TestAccount, TestHub } from "./hub.ts"
import { connectDaemon, type Peer, type PeerOptions } from "./scripted-daemon.ts"
import { until } from "./until.ts"

/** One event as a reader sees it. */
export interface SeenEvent {
  readonly id?: string
  readonly event?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data?: any
}

const parse = (block: string): SeenEvent => {
  const lines = block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
  const fields = new Map(lines.map(([name, value]) => [name!, value!]))
  const data = fields.get("data")
  return {
    ...(fields.has("id") && { id: fields.get("id")! }),
    ...(fields.has("event") && { event: fields.get("event")! }),
    ...(data !== undefined && { data: JSON.parse(data) })
  }
}

/** A reader of a stream. */
export interface LogReading extends EventStream {
  /** Every event that came. */
  readonly events: () => ReadonlyArray<SeenEvent>
  /** The last id that came. */
  readonly lastId: () => string | undefined
  /** The events as short words: `text 3`, `gap`, `end`. */
  readonly words: () => ReadonlyArray<string>
}

const wordOf = ({ event, data }: SeenEvent): string => {
  if (event === "gap" || event === "end") return `${event} ${data.reason}`
  return `${event} ${data.seq}`
}

/** Reads a stream at a path of a hub. */
export const readStream = async (
  { url }: Pick<TestHub, "url">,
  path: string,
  bearer: string,
  headers: Record<string, string> = {}
): Promise<LogReading> => {
  const stream = await openEventStream(`${url}${path}`, { authorization: `Bearer ${bearer}`, ...headers })
  const blocks = (): ReadonlyArray<SeenEvent> => stream.text().split("\n\n").slice(0, -1).map(parse)
  const events = (): ReadonlyArray<SeenEvent> => blocks().filter(({ event }) => event !== undefined)
  return {
    ...stream,
    events,
    words: () => events().map(wordOf),
    lastId: () => blocks().findLast(({ id }) => id !== undefined)?.id
  }
}

/** A daemon with one session. */
export interface LoggedDaemon {
  readonly account: TestAccount
  readonly daemonId: string
  readonly key: string
  readonly logs: DaemonLogs
  readonly peer: () => Peer
  readonly path: (rest?: string, sessionId?: string) => string
  readonly read: (query?: string, headers?: Record<string, string>) => Promise<LogReading>
  /** The same of another session. */
  readonly readOf: (sessionId: string, query?: string) => Promise<LogReading>
  readonly page: (query?: string) => Promise<HubAnswer>
  /** Connects it again, to this hub or to another node. */
  readonly reconnect: (options?: PeerOptions, at?: Pick<TestHub, "url">) => Promise<void>
}

/** A daemon answers what it is asked about its logs, and what it was asked together with `auth_ok`. */
export const answerFor = (
  { send, frames, socket }: Pick<Peer, "send" | "frames" | "socket">,
  logs: DaemonLogs
): void => {
  logs.send = send
  for (const frame of frames) logs.take(frame)
  socket.on("message", (bytes) => logs.take(JSON.parse(bytes.toString())))
}

/** Connects a daemon that has these logs; its one session is `s1`. */
export const connectLogged = async (
  hub: Pick<TestHub, "url">,
  token: string,
  logs: DaemonLogs,
  options: PeerOptions = {}
): Promise<Peer> => {
  logs.reconnect()
  const auth = { capabilities: ["session_log"], ...options.auth }
  const connected = await connectDaemon(hub, token, { ...options, auth, report: [sessionReport] })
  answerFor(connected, logs)
  return connected
}

const sessionReport = { id: "s1", providerType: "agent", kind: "agent", transport: "acp", status: "idle" }

/** Connects it, with a log of the session `s1` unless `capabilities` are others. */
export const loggedDaemon = async (
  hub: TestHub,
  capabilities: ReadonlyArray<string> = ["session_log"]
): Promise<LoggedDaemon> => {
  const account = await hub.account()
  const { daemonId, token } = await account.daemonToken()
  const key = await account.key(["agent:read"])
  const logs = new DaemonLogs(() => {})
  logs.begin("s1", "log-1")
  let peer: Peer
  const reconnect: LoggedDaemon["reconnect"] = async (options = {}, at = hub) => {
    peer = await connectLogged(at, token, logs, { ...options, auth: { capabilities, ...options.auth } })
  }
  await reconnect()
  const path = (rest = "", sessionId = "s1"): string =>
    `/api/v1/daemons/${daemonId}/sessions/${sessionId}/events${rest}`
  await until("the session is known", async () => {
    const { body } = await hub.request("GET", `/api/v1/shortcuts/${daemonId}:session:s1/status`, { key })
    return body.targetId !== undefined
  })
  const open: LoggedDaemon["read"] = async (query = "", headers = {}) =>
    readStream(hub, path(`/stream${query}`), key, headers)
  return {
    account,
    daemonId,
    key,
    logs,
    peer: () => peer,
    path,
    read: open,
    readOf: (sessionId, query = "") => readStream(hub, path(`/stream${query}`, sessionId), key),
    page: (query = "") => hub.request("GET", path(query), { key }),
    reconnect
  }
}
