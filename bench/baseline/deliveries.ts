/**
 * Baseline: the least program that delivers durably. The same two writes in batches of up to 500 rows by `unnest`, the
 * same signed POST over 32 kept-alive connections, no isolation, no retry, no lease. A process of its own: prints one
 * JSON line `{perSecond, cpuMicrosEach}`. Arguments: database URL, receiver URL, seconds, seconds of warm-up before
 * them, and deliveries a second (absent: as many as there can be); at a rate the receiver knows how late they were.
 */
import { createHmac, randomUUID } from "node:crypto"
import pg from "pg"
import { Pool } from "undici"
import { measureSpan } from "./span.ts"

const [databaseUrl, receiverUrl, secondsText, warmUpText, rateText] = process.argv.slice(2)
const millis = Number(secondsText) * 1_000
const warmUpMillis = Number(warmUpText ?? 0) * 1_000
const rate = rateText === undefined ? undefined : Number(rateText)
const paceMillis = 1
const batchMax = 500
const inFlightMax = 64
const aheadMax = 2_000
const endpoints = 50

interface Made {
  readonly id: string
  readonly webhook: string
  readonly body: string
}
interface Outcome {
  readonly id: string
  readonly code: number
  readonly text: string
  readonly millis: number
}

const database = new pg.Pool({ connectionString: databaseUrl!, max: 6 })
await database.query(`
  drop table if exists bare_deliveries, bare_attempts;
  create table bare_deliveries(id uuid primary key, webhook text, body text, due timestamptz, leased_until timestamptz,
    state smallint default 0, attempt int default 0);
  create table bare_attempts(id bigserial primary key, delivery uuid, code int, body text, ms int, at timestamptz default now())`)
const receiver = new Pool(receiverUrl!, { connections: 32, pipelining: 1 })

const waiting: Array<Made> = []
const ready: Array<Made> = []
const outcomes: Array<Outcome> = []
let inserting = false
let writing = false
let sending = 0
let made = 0
let done = 0
let over = false

const insert = async (): Promise<void> => {
  if (inserting || waiting.length === 0) return
  inserting = true
  const batch = waiting.splice(0, batchMax)
  await database.query(
    `insert into bare_deliveries(id, webhook, body, due, leased_until)
     select unnest($1::uuid[]), unnest($2::text[]), unnest($3::text[]), now(), now() + interval '60 s'`,
    [batch.map((row) => row.id), batch.map((row) => row.webhook), batch.map((row) => row.body)]
  )
  inserting = false
  ready.push(...batch)
  pump()
  void insert()
}

const write = async (): Promise<void> => {
  if (writing || outcomes.length === 0) return
  writing = true
  const batch = outcomes.splice(0, batchMax)
  await database.query(
    `with a as (insert into bare_attempts(delivery, code, body, ms)
       select unnest($1::uuid[]), unnest($2::int[]), unnest($3::text[]), unnest($4::int[]))
     update bare_deliveries d set state = 1, attempt = attempt + 1, leased_until = null
     from unnest($1::uuid[]) u(id) where d.id = u.id`,
    [
      batch.map((row) => row.id),
      batch.map((row) => row.code),
      batch.map((row) => row.text),
      batch.map((row) => row.millis)
    ]
  )
  done += batch.length
  writing = false
  feed()
  void write()
}

const send = async (row: Made): Promise<void> => {
  const at = Date.now()
  const started = performance.now()
  const digest = createHmac("sha256", "whsec_bare").update(`${at}.${row.body}`).digest("hex")
  const answer = await receiver.request({
    path: "/h/0",
    method: "POST",
    body: row.body,
    headers: {
      "content-type": "application/json",
      "x-service-event": "agent:generating_completed",
      "x-service-signature": `t=${at},v1=${digest}`
    }
  })
  const text = await answer.body.text()
  outcomes.push({ id: row.id, code: answer.statusCode, text, millis: Math.round(performance.now() - started) })
  sending -= 1
  pump()
  void write()
}

const pump = (): void => {
  while (sending < inFlightMax && ready.length > 0) {
    sending += 1
    void send(ready.shift()!)
  }
}

const began = performance.now()
const due = (): number => (rate === undefined ? done + aheadMax : ((performance.now() - began) / 1_000) * rate)

const feed = (): void => {
  while (!over && made < due()) {
    const stamp = Date.now()
    const payload = {
      daemonId: "dmn_bare",
      daemonType: "service-daemon",
      event: "agent:generating_completed",
      timestamp: stamp,
      targetSessionId: `t${Math.round((performance.timeOrigin + performance.now()) * 1_000)}`,
      duration: 12
    }
    const body = JSON.stringify({ event: payload.event, payload, timestamp: stamp })
    waiting.push({ id: randomUUID(), webhook: `whk_${made % endpoints}`, body })
    made += 1
  }
  void insert()
}

if (rate === undefined) feed()
else setInterval(feed, paceMillis)
await measureSpan({
  warmUpMillis,
  millis,
  warmed: async () => {
    if (rate !== undefined) await (await receiver.request({ path: "/reset", method: "GET" })).body.dump()
  },
  done: () => done,
  stop: () => {
    over = true
  }
})
