/**
 * A hub of several node processes on one Postgres and one Redis, with one account, its webhook and its daemons. Owns
 * their start and end, and what the webhook was told; judges nothing.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Resender, startResender } from "./event-resending-daemon.ts"
import { type HubProcess, hubProcess, type Where } from "./hub-process.ts"
import { hubWithin } from "./hub-within.ts"
import { until } from "./until.ts"
import { type Receiver, startReceiver } from "./webhook-receiver.ts"

/** What the nodes run on. */
export interface NodesOptions {
  readonly databaseUrl: string
  readonly redisUrl: string
  /** Environment of each node beside what all have; one entry a node. */
  readonly nodes: ReadonlyArray<Record<string, string>>
  /** Where a node runs, if not simply on this machine's loopback. */
  readonly where?: (node: number) => Where | undefined
  /** The folder of the version that each starts with; this one by default. */
  readonly tree?: string
  /** In this process, which costs less: none of them can be killed. */
  readonly within?: boolean
}

/** An answer of a node. */
export interface NodeAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

/** What to ask. */
export interface NodeAsk {
  readonly bearer?: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

/** A daemon of the account. */
export interface NodesDaemon extends Resender {
  readonly daemonId: string
}

/** The hub. */
export interface Nodes {
  readonly nodes: ReadonlyArray<HubProcess>
  readonly receiver: Receiver
  /** A key that may read and control, and a fresh dashboard session. */
  readonly key: string
  readonly session: string
  readonly makeKey: () => Promise<string>
  readonly ask: (node: number, method: string, path: string, options?: NodeAsk) => Promise<NodeAnswer>
  /** A webhook for everything, at this path of the receiver, that every node knows of. */
  readonly webhook: (path: string) => Promise<string>
  /** A daemon that is online on that node, and goes to the next one each time it must come back. */
  readonly daemon: (home: number) => Promise<NodesDaemon>
  /** A command to a daemon through a node: the status of the answer. */
  readonly command: (node: number, daemon: NodesDaemon) => Promise<number>
  /** The words of a daemon's times online as the webhook was told them, each once however often it was delivered. */
  readonly told: (daemon: Pick<NodesDaemon, "daemonId">) => ReadonlyArray<string>
  /** How often an event was told of each daemon, however often each was delivered. */
  readonly events: (event: string) => ReadonlyMap<string, number>
  readonly close: () => Promise<void>
}

/** How long a lost daemon may take to come back. */
const nodesGraceSeconds = 3

const password = "correct horse battery staple"
const email = "nodes@example.org"
const everything = ["ide:read", "ide:control", "agent:read", "agent:control", "webhook:manage"] as const
const tolds = "/told"

const shared = {
  HUB_DISCONNECT_GRACE: `${nodesGraceSeconds}s`,
  HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
  HUB_WEBHOOK_RETRIES: "1,2,4",
  HUB_RATE_IP_PER_MINUTE: "1000000",
  HUB_RATE_KEY_PER_MINUTE: "1000000",
  HUB_DATABASE_CONNECTIONS: "4"
}

const enrolAtOnce = 16

/** Enrols so many daemons. */
export const enrol = async (hub: Nodes, count: number): Promise<ReadonlyArray<{ daemonId: string; token: string }>> => {
  const made: Array<{ daemonId: string; token: string }> = []
  while (made.length < count) {
    const wave = Array.from({ length: Math.min(enrolAtOnce, count - made.length) }, async () => {
      const { status, body } = await hub.ask(0, "POST", "/api/v1/daemons/enroll", { bearer: hub.session, body: {} })
      if (status !== 201) throw new Error(`enrolment answered ${status}`)
      return body
    })
    made.push(...(await Promise.all(wave)))
  }
  return made
}

/** Starts them. */
export const startNodes = async (options: NodesOptions): Promise<Nodes> => {
  const { databaseUrl, redisUrl, nodes: own, where, tree, within = false } = options
  const folder = mkdtempSync(join(tmpdir(), "hub-nodes-"))
  const nodes: Array<HubProcess> = []
  for (const [at, more] of own.entries()) {
    const environment = { ...shared, REDIS_URL: redisUrl, ...more }
    const dataDir = join(folder, String(at))
    nodes.push(
      within
        ? hubWithin(dataDir, databaseUrl, environment)
        : await hubProcess(dataDir, databaseUrl, environment, where?.(at))
    )
  }
  const end = (node: HubProcess) => (within ? node.stop() : node.kill())
  const kill = () => Promise.all(nodes.map((node) => (node.runs() ? end(node) : undefined)))
  try {
    // the first makes the tables, the others need not wait for each other
    await nodes[0]!.start(tree)
    await Promise.all(nodes.slice(1).map((node) => node.start(tree)))
  } catch (error) {
    await kill()
    throw error
  }
  const receiver = await startReceiver()
  const daemons: Array<NodesDaemon> = []

  const ask: Nodes["ask"] = async (node, method, path, { bearer, body, headers } = {}) => {
    const answer = await fetch(`${nodes[node]!.url}${path}`, {
      method,
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    const json = answer.headers.get("content-type")?.startsWith("application/json") === true
    return { status: answer.status, headers: answer.headers, body: json ? JSON.parse(text) : text }
  }
  const operate = nodes[0]!.operate
  await operate({ op: "account create", email, password, plan: "ultra", admin: false })
  const makeKey = async (): Promise<string> =>
    String((await operate({ op: "key create", account: email, name: "a test's", scopes: [...everything] }))["key"])
  const key = await makeKey()
  const session = String((await ask(0, "POST", "/api/v1/auth/login", { body: { email, password } })).body.token)
  const webhook = async (path: string): Promise<string> => {
    const body = { url: receiver.url(path), events: ["*"] }
    const made = await ask(0, "POST", "/api/v1/webhooks", { bearer: session, body })
    if (made.status !== 201) throw new Error(`the webhook was refused: ${made.status}`)
    const id = String(made.body.id)
    // the bus tells the other nodes, maybe later than an event comes to them; a change through a node it knows at once
    for (const node of nodes.keys()) {
      if (node === 0) continue
      const changed = await ask(node, "PATCH", `/api/v1/webhooks/${id}`, { bearer: session, body: { active: true } })
      if (changed.status !== 200) throw new Error(`node ${node} does not know the webhook: ${changed.status}`)
    }
    return id
  }
  await webhook(tolds)

  const daemon: Nodes["daemon"] = async (home) => {
    const { daemonId, token } = await operate({ op: "token create", account: email })
    let next = home
    const where = (): string => nodes[next++ % nodes.length]!.url
    const started = { ...startResender(where, String(token)), daemonId: String(daemonId) }
    daemons.push(started)
    await until("the daemon is online", () => started.at() !== undefined)
    return started
  }
  return {
    nodes,
    receiver,
    key,
    session,
    makeKey,
    ask,
    webhook,
    daemon,
    command: async (node, { daemonId }) => {
      const body = { type: "read_chat", payload: {} }
      return (await ask(node, "POST", `/api/v1/daemons/${daemonId}/command`, { bearer: key, body })).status
    },
    told: ({ daemonId }) => {
      const once = new Map<string, string>()
      for (const { headers, body } of receiver.at(tolds)) {
        if (body.payload.daemonId !== daemonId || !body.event.startsWith("daemon:")) continue
        once.set(String(headers["x-service-delivery"]), body.event.slice("daemon:".length))
      }
      return [...once.values()]
    },
    events: (event) => {
      const counts = new Map<string, number>()
      const seen = new Set<string>()
      for (const { headers, body } of receiver.at(tolds)) {
        const delivery = String(headers["x-service-delivery"])
        if (body.event !== event || seen.has(delivery)) continue
        seen.add(delivery)
        counts.set(body.payload.daemonId, (counts.get(body.payload.daemonId) ?? 0) + 1)
      }
      return counts
    },
    close: async () => {
      for (const one of daemons) one.stop()
      await kill()
      await receiver.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
