/**
 * What the kill rounds happen in: a hub that is killed, ten daemons that send again, ten webhooks on a receiver that
 * dies too. Owns one round and its counts; says what must hold, prints nothing.
 */
import { randomInt } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Resender, startResender } from "../../support/event-resending-daemon.ts"
import { hubProcess, wait } from "../../support/hub-process.ts"
import { until } from "../../support/until.ts"
import { type Receiver, startReceiver } from "../../support/webhook-receiver.ts"

const daemonCount = 10
const webhooks = 10
const eventsPerDaemon = 10
const password = "correct horse battery staple"
/** Soon enough for a round, as many as published. */
const retries = "1,2,4"

/** The counts of one round. */
export interface Round {
  readonly round: number
  readonly events: number
  /** Acknowledged when the hub was killed. */
  readonly acknowledgedAtKill: number
  readonly sentAgain: number
  /** Requests that had reached the receiver when the hub was killed. */
  readonly arrivedAtKill: number
  readonly receiverDeaths: number
  readonly arrived: number
  readonly repeated: number
  readonly millis: number
  /** (webhook, event) that never arrived; under several ids. Both must be 0. */
  readonly lost: number
  readonly strangers: number
}

/** A world; `round` may be called many times. */
export interface KillWorld {
  readonly round: (number: number) => Promise<Round>
  readonly close: () => Promise<void>
}

/** Makes it, on the embedded database or on a Postgres. */
export const killWorld = async (databaseUrl: string | undefined): Promise<KillWorld> => {
  const dataDir = mkdtempSync(join(tmpdir(), "hub-kill-"))
  const hub = await hubProcess(dataDir, databaseUrl, {
    HUB_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    HUB_WEBHOOK_RETRIES: retries,
    HUB_RATE_IP_PER_MINUTE: "100000"
  })
  await hub.start()
  const email = `kill${process.pid}@example.org`
  await hub.operate({ op: "account create", email, password, plan: "ultra", admin: false })
  const post = async (path: string, body: unknown, bearer?: string) => {
    const answer = await fetch(hub.url + path, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` })
      },
      body: JSON.stringify(body)
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return answer.json() as Promise<Record<string, string>>
  }
  const { token } = await post("/api/v1/auth/login", { email, password })
  let receiver: Receiver = await startReceiver()
  const { port } = receiver
  const seen: Array<{ readonly path: string; readonly session: string; readonly delivery: string }> = []
  let read = 0
  let current = 0
  const collect = (): number => {
    for (const { path, headers, body } of receiver.at().slice(read)) {
      const delivery = String(headers["x-service-delivery"])
      // what an earlier round had sent twice may come late: only this round's are counted
      const ours = body.event === "agent:stopped" && body.payload.targetSessionId.startsWith(`r${current}-`)
      if (ours) seen.push({ path, session: body.payload.targetSessionId, delivery })
      read++
    }
    return seen.length
  }
  for (let n = 0; n < webhooks; n++) {
    await post("/api/v1/webhooks", { url: receiver.url(`/hook${n}`), events: ["*"] }, token)
  }
  const daemons: Array<Resender> = []
  for (let n = 0; n < daemonCount; n++) {
    const made = await hub.operate({ op: "token create", account: email })
    daemons.push(startResender(hub.url, String(made["token"])))
  }
  const sum = (of: (daemon: Resender) => number) => daemons.reduce((all, one) => all + of(one), 0)

  // Dies with what is under way, and is back at once: more than ten failures in a row would park a webhook for a
  // minute.
  const dieAndReturn = async (): Promise<void> => {
    collect()
    await receiver.close()
    collect()
    read = 0
    receiver = await startReceiver(port)
  }

  const round = async (number: number): Promise<Round> => {
    const began = performance.now()
    const [acknowledgedBefore, resentBefore] = [sum((one) => one.acknowledged()), sum((one) => one.resent())]
    collect()
    seen.length = 0
    current = number
    const sessions: Array<string> = []
    for (let at = 0; at < eventsPerDaemon; at++) {
      for (const [index, daemon] of daemons.entries()) {
        const session = `r${number}-m${index}-e${at}`
        sessions.push(session)
        daemon.send({ id: session, session })
      }
    }
    const wanted = sessions.length * webhooks
    let deaths = 0
    // The moment of the kill is random in what has happened by then, so that a slow computer is killed in mid-work too.
    // One in three dies before its events are committed.
    const killAt = randomInt(3) === 0 ? 0 : randomInt(wanted)
    const deathAt = randomInt(2) === 0 ? randomInt(killAt + 1) : undefined
    await until("the moment of the kill", async () => {
      if (deathAt !== undefined && deaths === 0 && collect() >= deathAt) {
        deaths++
        await dieAndReturn()
      }
      return collect() >= killAt
    })
    await wait(randomInt(20))
    await hub.kill()
    const acknowledgedAtKill = sum((one) => one.acknowledged()) - acknowledgedBefore
    const arrivedAtKill = collect()
    await hub.start()
    if (randomInt(2) === 0) {
      await dieAndReturn()
      deaths++
    }
    await until("every event is acknowledged", () => sum((one) => one.waiting()) === 0)
    const pairs = (): number => {
      collect()
      return new Set(seen.map(({ path, session }) => `${path} ${session}`)).size
    }
    const arrived = await until("every delivery arrives", () => pairs() === wanted).then(
      () => wanted,
      () => pairs()
    )
    const ids = new Map<string, Set<string>>()
    for (const { path, session, delivery } of seen) {
      const key = `${path} ${session}`
      ids.set(key, (ids.get(key) ?? new Set()).add(delivery))
    }
    return {
      round: number,
      events: sessions.length,
      acknowledgedAtKill,
      sentAgain: sum((one) => one.resent()) - resentBefore,
      arrivedAtKill,
      receiverDeaths: deaths,
      arrived,
      repeated: seen.length - arrived,
      millis: Math.round(performance.now() - began),
      lost: wanted - arrived,
      strangers: [...ids.values()].filter((some) => some.size > 1).length
    }
  }

  const close = async (): Promise<void> => {
    for (const daemon of daemons) daemon.stop()
    await hub.kill()
    await receiver.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { round, close }
}
