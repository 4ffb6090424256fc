/**
 * A hub of several nodes in this process, on a real Postgres and a real Redis, each node on lines of its own that can
 * be harmed. Owns the nodes, their lines, one account with its webhook, and the log of what was announced; judges
 * nothing.
 */
import { Context, Effect } from "effect"
import pg from "pg"
import { Roster } from "../../../../actors/presence/roster.ts"
import { type FreshDatabase, freshDatabase } from "../../../support/database.ts"
import { type FaultyLine, startFaultyLine } from "../../../support/faulty-connection.ts"
import { startHub, type TestAccount, type TestHub } from "../../../support/hub.ts"
import { type LostAnswers, postgresWatch } from "../../../support/postgres-lost-answers.ts"
import { startRedis, type TestRedis } from "../../../support/redis-server.ts"
import { startReceiver } from "../../../support/webhook-receiver.ts"

/** How long a lost daemon may take to come back. */
export const graceMillis = 1_000
const drainMillis = 2_500
/** Statements that say who is connected where, and what is announced of it. */
const presenceWrites = /\b(?:update|insert into|delete from)\s+"?(?:daemon|deliveries)/iu

/** A node in its place. */
export interface HarmedNode {
  readonly hub: TestHub
  readonly postgres: FaultyLine
  readonly redis: FaultyLine
  readonly lostAnswers: LostAnswers
  /** Ended: what it still does reaches nothing. */
  gone: boolean
}

/** An announcement, in the order of their transactions. */
export interface Announcement {
  readonly order: number
  readonly id: string
  readonly daemonId: string
  readonly event: "connect" | "disconnect"
  readonly timestamp: number
  readonly payload: Readonly<Record<string, unknown>>
}

/** The hub. */
export interface HarmedHub {
  readonly nodes: ReadonlyArray<HarmedNode>
  readonly redis: TestRedis
  readonly account: TestAccount
  readonly session: string
  readonly key: string
  readonly enrol: () => Promise<{ readonly daemonId: string; readonly token: string }>
  /** Starts a node in this place; one that was there has ended. */
  readonly start: (at: number) => Promise<void>
  /** Ends it as a kill does: from now on it reaches neither Postgres nor Redis. Its sockets are the caller's. */
  readonly kill: (at: number) => void
  /** Ends it in good order. */
  readonly stop: (at: number) => Promise<void>
  /** What was announced until now. */
  readonly announced: () => Promise<ReadonlyArray<Announcement>>
  /** A statement of the test's own, past all lines. */
  readonly ask: (statement: string, values?: ReadonlyArray<unknown>) => Promise<ReadonlyArray<Record<string, unknown>>>
  /** Locks every daemon's rows for so long, as a long transaction of another program does. */
  readonly lock: (millis: number) => Promise<void>
  /** Deliveries that reached the webhook, by id. */
  readonly received: () => ReadonlySet<string>
  /** How many daemons the nodes that run hold in memory. */
  readonly held: () => Promise<number>
  readonly close: () => Promise<void>
}

/** Every delivery leaves a row in the log when it is written, whatever becomes of its own. */
const logStatements = [
  `create table told (ord bigserial primary key, id text not null, event text not null, body text not null)`,
  `create function log_told() returns trigger language plpgsql as $$
    begin insert into told (id, event, body) values (new.id, new.event, new.body); return null; end $$`,
  `create trigger told after insert on deliveries for each row execute function log_told()`
]

const portOf = (url: string): number => Number(new URL(url).port)
const through = (url: string, { port }: FaultyLine): string => {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}

const startHarmedNode = async (database: FreshDatabase, redisUrl: string, isAlone: boolean): Promise<HarmedNode> => {
  const lostAnswers: LostAnswers = { next: 0, whenLost: () => {} }
  const databaseUrl = database.settings.databaseUrl!
  const postgres = await startFaultyLine(portOf(databaseUrl), {
    watch: () => postgresWatch(lostAnswers, presenceWrites)
  })
  const redis = await startFaultyLine(portOf(redisUrl))
  const settings = {
    databaseUrl: through(databaseUrl, postgres),
    redisUrl: isAlone ? undefined : through(redisUrl, redis),
    databaseConnections: 3,
    disconnectGraceMillis: graceMillis,
    drainMillis,
    reconnectSpreadMillis: 200
  }
  const hub = await startHub({ database, settings })
  return { hub, postgres, redis, lostAnswers, gone: false }
}

const announcementOf = ({ ord, id, event, body }: Record<string, unknown>): Announcement => {
  const { payload, timestamp } = JSON.parse(String(body))
  return {
    order: Number(ord),
    id: String(id),
    daemonId: payload.daemonId,
    event: String(event) === "daemon:connect" ? "connect" : "disconnect",
    timestamp,
    payload
  }
}

const makeWebhook = async (nodes: ReadonlyArray<HarmedNode>, session: string, url: string): Promise<void> => {
  const body = { url, events: ["daemon:connect", "daemon:disconnect"] }
  const made = await nodes[0]!.hub.request("POST", "/api/v1/webhooks", { session, body })
  if (made.status !== 201) throw new Error(`the webhook was refused: ${made.text}`)
  // the bus tells the other nodes, maybe later than the first connect; of a change through itself a node knows at once
  for (const { hub } of nodes.slice(1)) {
    const path = `/api/v1/webhooks/${made.body.id}`
    const changed = await hub.request("PATCH", path, { session, body: { active: true } })
    if (changed.status !== 200) throw new Error(`a node does not know the webhook: ${changed.text}`)
  }
}

/** Rows that say who is connected, in whatever tables there are. */
const lockedTables = ["daemons", "daemon_presence"]

const locking =
  (pool: pg.Pool) =>
  async (millis: number): Promise<void> => {
    const client = await pool.connect()
    try {
      await client.query("begin")
      for (const table of lockedTables) {
        const { rows } = await client.query("select to_regclass($1) is not null as there", [table])
        if (rows[0].there) await client.query(`select 1 from ${table} for update`)
      }
      await client.query("select pg_sleep($1)", [millis / 1_000])
    } finally {
      await client.query("rollback")
      client.release()
    }
  }

/** Starts it; `isAlone`: without Redis, for a single node. */
export const startHarmedHub = async (count: number, isAlone: boolean): Promise<HarmedHub> => {
  const redis = await startRedis()
  const database = await freshDatabase()
  const receiver = await startReceiver()
  const pool = new pg.Pool({ connectionString: database.settings.databaseUrl!, max: 3 })
  pool.on("error", () => {})
  const ask: HarmedHub["ask"] = async (statement, values = []) => (await pool.query(statement, [...values])).rows
  for (const statement of logStatements) await ask(statement)
  const nodes: Array<HarmedNode> = []
  const ended: Array<Promise<unknown>> = []
  for (let at = 0; at < count; at++) nodes.push(await startHarmedNode(database, redis.url, isAlone))
  const [first] = nodes
  const account = await first!.hub.account({ plan: "ultra" })
  const session = await account.session()
  const key = await account.key(["ide:read", "ide:control"])
  await makeWebhook(nodes, session, receiver.url("/told"))
  const closeNode = async (node: HarmedNode): Promise<void> => {
    await node.hub.close()
    await Promise.all([node.postgres.close(), node.redis.close()])
  }

  return {
    nodes,
    redis,
    account,
    session,
    key,
    enrol: () => account.daemonToken(),
    start: async (at) => {
      nodes[at] = await startHarmedNode(database, redis.url, isAlone)
    },
    kill: (at) => {
      const node = nodes[at]!
      node.gone = true
      node.postgres.cut()
      node.redis.cut()
      ended.push(closeNode(node))
    },
    stop: async (at) => {
      const node = nodes[at]!
      await node.hub.close()
      node.gone = true
      ended.push(closeNode(node))
    },
    announced: async () => (await ask("select ord, id, event, body from told order by ord")).map(announcementOf),
    ask,
    lock: locking(pool),
    received: () => new Set(receiver.at("/told").map(({ headers }) => String(headers["x-service-delivery"]))),
    held: async () => {
      const sizes = nodes
        .filter(({ gone }) => !gone)
        .map(({ hub }) => hub.inside(Effect.map(Effect.context<Roster>(), (all) => Context.get(all, Roster).size())))
      return (await Promise.all(sizes)).reduce((sum, one) => sum + one, 0)
    },
    close: async () => {
      await Promise.all(nodes.map((node) => (node.gone ? undefined : closeNode(node))))
      await Promise.all(ended)
      await receiver.close()
      await pool.end()
      await database.close()
      await redis.close()
    }
  }
}
