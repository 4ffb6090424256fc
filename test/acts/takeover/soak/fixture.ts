/**
 * What the soak happens in: three nodes on a Postgres of their own, whose disk is small and whose `fsync` can be made
 * to fail, and a Redis of their own; daemons that send events, and daemons that keep commands. Owns their start and
 * end; harms and judges nothing.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { type DurableDaemon, startDurableDaemon } from "../../../support/command-keeping-daemon.ts"
import { failingFsync, fiuMissing } from "../../../support/failing-fsync.ts"
import { startFaultyLine } from "../../../support/faulty-connection.ts"
import { diskMissing, memoryDisk, type SmallDisk } from "../../../support/memory-disk.ts"
import { type Nodes, type NodesDaemon, startNodes } from "../../../support/node-processes.ts"
import { type LostAnswers, postgresWatch } from "../../../support/postgres-lost-answers.ts"
import { ask, startPostgres, type TestPostgres } from "../../../support/postgres-server.ts"
import { startRedis, type TestRedis } from "../../../support/redis-server.ts"
import { root } from "../../../support/root.ts"
import { until } from "../../../support/until.ts"

/** A daemon that keeps its commands, by its id. */
export type Keeper = DurableDaemon & { readonly daemonId: string }

/** The world. */
export interface SoakWorld {
  readonly hub: Nodes
  readonly postgres: TestPostgres
  readonly redis: TestRedis
  /** The disk of Postgres; none where this user may not mount one. */
  readonly disk: SmallDisk | undefined
  /** Runs a Postgres whose `fsync` fails now and then; nothing where libfiu is missing. */
  readonly sickly: ReadonlyArray<string> | undefined
  /** Answers of Postgres to one node, about who is online where, that are still to be lost. */
  readonly lostAnswers: LostAnswers
  /** Sets the wall clock of a node off by so many milliseconds, while it runs. */
  readonly setClock: (node: number, millis: number) => void
  /** Send events, and answer what they are asked. */
  readonly senders: ReadonlyArray<NodesDaemon>
  /** Keep commands: the first half ends each at once, the others when they are told to. */
  readonly keepers: ReadonlyArray<Keeper>
  /** What was committed to be told of a daemon's times online, in the order of the commits. */
  readonly committed: (daemonId: string) => Promise<ReadonlyArray<string>>
  /** All that the nodes printed. */
  readonly log: (node: number) => string
  readonly close: () => Promise<void>
}

/** Where the receiver is told of the events. */
export const eventsPath = "/events"
/** The node whose descriptors are few. */
export const fewDescriptorsNode = 2
export const fewDescriptors = 1_024
/** The node that misses answers of Postgres, and what they answer: a write of who is online where. */
const missingAnswersNode = 1
const presenceWrites = /\b(?:insert into|update|delete from)\s+"?daemon_presence\b/iu
const nodeCount = 3
const sendersCount = 6
const keepersCount = 6
const diskMegabytes = 256
/** Often enough to meet commits, seldom enough that Postgres recovers now and then. */
const failingPercent = 5
const account = "nodes@example.org"
const shift = pathToFileURL(`${root}/test/support/shifted-clock.ts`).href

const settings = ["fsync=on", "shared_buffers=32MB", "min_wal_size=32MB", "max_wal_size=64MB", "checkpoint_timeout=30s"]

/**
 * Numbers what is told of times online as it is inserted. Deliveries arrive in any order and clocks jump; of one daemon
 * only one transaction at a time does this.
 */
const witness = `create table witnessed (nth bigserial primary key, webhook_id text, event text, body text);
  create function witness() returns trigger language plpgsql as $$ begin
    insert into witnessed (webhook_id, event, body) values (new.webhook_id, new.event, new.body);
    return null;
  end $$;
  create trigger witness after insert on deliveries for each row
    when (new.event in ('daemon:connect', 'daemon:disconnect')) execute function witness()`

const startKeepers = async (hub: Nodes): Promise<ReadonlyArray<Keeper>> => {
  const keepers: Array<Keeper> = []
  for (let nth = 0; nth < keepersCount; nth++) {
    const { daemonId, token } = await hub.nodes[0]!.operate({ op: "token create", account })
    let next = nth
    const daemon = startDurableDaemon(() => hub.nodes[next++ % nodeCount]!.url, String(token))
    await until("it is online", () => daemon.at() !== undefined)
    if (nth < keepersCount / 2) daemon.finish()
    keepers.push({ ...daemon, daemonId: String(daemonId) })
  }
  return keepers
}

/** Starts it. */
export const startSoakWorld = async (): Promise<SoakWorld> => {
  const folder = mkdtempSync(join(tmpdir(), "hub-soak-"))
  const parts: Array<() => unknown> = [() => rmSync(folder, { recursive: true, force: true })]
  const close = async (): Promise<void> => {
    for (const end of parts.splice(0).reverse()) await end()
  }
  try {
    // Postgres runs as a user of its own and must get at both
    const readable = join(folder, "postgres")
    mkdirSync(readable)
    for (const one of [folder, readable]) chmodSync(one, 0o755)
    const disk = diskMissing ? undefined : memoryDisk(readable, diskMegabytes)
    if (disk !== undefined) parts.push(disk.unmount)
    const sickly = fiuMissing ? undefined : failingFsync(readable, failingPercent)
    const postgres = await startPostgres({ settings, parent: disk?.path ?? readable })
    if (postgres === undefined) throw new Error("this needs Postgres")
    parts.push(postgres.stop)
    await ask(`${postgres.url}/postgres`, "create database hub")
    const redis = await startRedis()
    parts.push(redis.close)

    const logs: Array<string> = Array.from({ length: nodeCount }, () => "")
    const clockFile = (node: number): string => join(folder, `clock${node}`)
    const setClock = (node: number, millis: number): void => writeFileSync(clockFile(node), String(millis))
    for (const node of logs.keys()) setClock(node, 0)
    const lostAnswers: LostAnswers = { next: 0 }
    const watch = () => postgresWatch(lostAnswers, presenceWrites)
    const line = await startFaultyLine(Number(new URL(postgres.url).port), { watch })
    parts.push(line.close)
    const behindLine = new URL(`${postgres.url}/hub`)
    behindLine.port = String(line.port)
    const hub = await startNodes({
      databaseUrl: `${postgres.url}/hub`,
      redisUrl: redis.url,
      nodes: logs.map((_, node) => ({
        NODE_OPTIONS: `--import ${shift}`,
        HUB_TEST_CLOCK_FILE: clockFile(node),
        ...(node === missingAnswersNode && { DATABASE_URL: behindLine.href })
      })),
      where: (node) => ({
        inside: node === fewDescriptorsNode ? ["prlimit", `--nofile=${fewDescriptors}:${fewDescriptors}`] : [],
        host: "127.0.0.1",
        heard: (text) => {
          logs[node] += text
        }
      })
    })
    parts.push(hub.close)
    const webhookId = await hub.webhook(eventsPath)
    await ask(`${postgres.url}/hub`, witness)
    const committed = async (daemonId: string): Promise<ReadonlyArray<string>> => {
      const of = `webhook_id = '${webhookId}' and body::json->'payload'->>'daemonId' = '${daemonId}'`
      const rows = await ask(`${postgres.url}/hub`, `select event from witnessed where ${of} order by nth`)
      return rows.map((row) => (row as { readonly event: string }).event.slice("daemon:".length))
    }
    const senders: Array<NodesDaemon> = []
    for (let nth = 0; nth < sendersCount; nth++) senders.push(await hub.daemon(nth % nodeCount))
    const keepers = await startKeepers(hub)
    parts.push(() => {
      for (const one of keepers) one.stop()
    })
    const log = (node: number): string => logs[node]!
    return { hub, postgres, redis, disk, sickly, lostAnswers, setClock, senders, keepers, committed, log, close }
  } catch (error) {
    await close()
    throw error
  }
}
