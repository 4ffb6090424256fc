/**
 * What the kill rounds happen in: a hub that is killed, ten daemons that send again, ten webhooks on a receiver that
 * dies too. Owns one round and what is lost in it; asserts nothing.
 */
import { Random } from "../../../bench/fuzz/random.ts"
import type { FreshDatabase } from "../../support/database.ts"
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

/** What of a round's deliveries, one for each webhook and event, is wrong. */
export interface Round {
  /** Never arrived. */
  readonly lost: number
  /** Arrived under several ids. */
  readonly underSecondId: number
}

/** A world; `round` may be called many times. */
export interface KillWorld {
  readonly round: (number: number) => Promise<Round>
  readonly close: () => Promise<void>
}

/** Makes it, on a database; the moments are drawn from the seed. */
export const killWorld = async (
  { dataDir, databaseUrl }: FreshDatabase["settings"],
  seed: number
): Promise<KillWorld> => {
  const random = new Random(seed, "killed hub", 0)
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
    // The moment of the kill is random in what has happened by then, so that a slow computer is killed in mid-work too.
    // One in three dies before its events are committed.
    const killAt = random.below(3) === 0 ? 0 : random.below(wanted)
    let deathAt = random.below(2) === 0 ? random.below(killAt + 1) : undefined
    await until("the moment of the kill", async () => {
      if (deathAt !== undefined && collect() >= deathAt) {
        deathAt = undefined
        await dieAndReturn()
      }
      return collect() >= killAt
    })
    await wait(random.below(20))
    await hub.kill()
    await hub.start()
    if (random.below(2) === 0) await dieAndReturn()
    await until("every event is acknowledged", () => daemons.every((one) => one.waiting() === 0))
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
    const underSecondId = [...ids.values()].filter((some) => some.size > 1).length
    return { lost: wanted - arrived, underSecondId }
  }

  const close = async (): Promise<void> => {
    for (const daemon of daemons) daemon.stop()
    await hub.kill()
    await receiver.close()
  }
  return { round, close }
}
