/** One node whose clock is half a minute ahead: whichever node is asked, the others' clock is off. Real processes. */
import { randomUUID } from "node:crypto"
import { pathToFileURL } from "node:url"
import { expect, it } from "vitest"
import type { NodesDaemon } from "../../support/node-processes.ts"
import { onNodes } from "../../support/own-node-processes.ts"
import { root } from "../../support/root.ts"
import { until } from "../../support/until.ts"

const aheadMillis = 30_000
const perMinute = 40
const shift = pathToFileURL(`${root}/test/support/shifted-clock.ts`).href
// whoever is slow to come back on a crowded machine was never gone
const limits = { HUB_RATE_KEY_PER_MINUTE: String(perMinute), HUB_DISCONNECT_GRACE: "10m" }
const off = { ...limits, NODE_OPTIONS: `--import ${shift}`, HUB_TEST_CLOCK_SHIFT: String(aheadMillis) }

onNodes("a node whose clock is 30 s ahead", { nodes: [limits, off] }, (hub) => {
  const [right, ahead] = [0, 1]
  const both = [right, ahead]
  const login = { email: "nodes@example.org", password: "correct horse battery staple" }
  /** As often as is needed: a key of its own each time, as the limit of one is low here. */
  const command = async (node: number, { daemonId }: NodesDaemon): Promise<number> => {
    const asked = { bearer: await hub.makeKey(), body: { type: "read_chat", payload: {} } }
    return (await hub.ask(node, "POST", `/api/v1/daemons/${daemonId}/command`, asked)).status
  }

  it("is ahead: what it makes first is made later than what the other makes then", async () => {
    const createdAt = async (node: number): Promise<number> => {
      const body = { url: hub.receiver.url("/made"), events: ["agent:stopped"] }
      return (await hub.ask(node, "POST", "/api/v1/webhooks", { bearer: hub.session, body })).body.createdAt
    }
    await until("they are made within 30 s", async () => (await createdAt(ahead)) > (await createdAt(right)))
  })

  it("believes the logins of the others, their recency too, and they its", async () => {
    for (const [from, to] of [
      [right, ahead],
      [ahead, right]
    ] as const) {
      const { body } = await hub.ask(from, "POST", "/api/v1/auth/login", { body: login })
      const bearer = body.token as string
      expect(await hub.ask(to, "GET", "/api/v1/webhooks", { bearer })).toMatchObject({ status: 200 })
      expect(await hub.ask(to, "POST", "/api/v1/daemons/enroll", { bearer, body: {} })).toMatchObject({ status: 201 })
      expect(await hub.ask(to, "POST", "/api/v1/auth/logout", { bearer, body: {} })).toMatchObject({ status: 200 })
      await until("it is dead everywhere", async () => {
        return (await hub.ask(from, "GET", "/api/v1/webhooks", { bearer })).status === 401
      })
    }
  })

  it("counts with the others to one limit, and says when to come back", async () => {
    const admittedOf = async (): Promise<number> => {
      const bearer = await hub.makeKey()
      let admitted = 0
      for (let call = 0; call < perMinute + 10; call++) {
        const { status, headers } = await hub.ask(both[call % 2]!, "GET", "/api/v1/webhooks", { bearer })
        if (status === 200) {
          admitted++
          continue
        }
        expect(status).toBe(429)
        const wait = Number(headers.get("retry-after"))
        expect(wait).toBeGreaterThanOrEqual(1)
        expect(wait).toBeLessThanOrEqual(60)
      }
      return admitted
    }
    // a machine so busy that a node loses sight of Redis counts by itself meanwhile
    await until("exactly the limit is admitted", async () => (await admittedOf()) === perMinute)
  })

  it("holds daemons, hands them over and gets them like any other", async () => {
    const daemon = await hub.daemon(ahead)
    await until("it came", () => hub.told(daemon).includes("connect"))
    for (const node of both) {
      await until("it is commanded", async () => (await command(node, daemon)) === 200)
      const path = `/api/v1/daemons/${daemon.daemonId}/status`
      const { body } = await until("its report has come", async () => {
        const answer = await hub.ask(node, "GET", path, { bearer: hub.session })
        return answer.body.ageMs !== null && answer
      })
      expect(body.online).toBe(true)
      expect(body.ageMs).toBeGreaterThanOrEqual(0)
    }
    for (const home of [hub.nodes[right]!.url, hub.nodes[ahead]!.url]) {
      daemon.cut()
      await until("it is on the other node", () => daemon.at() === home)
      for (const node of both) await until("it is commanded there", async () => (await command(node, daemon)) === 200)
    }
    daemon.leave()
    await until("it left", () => hub.told(daemon).includes("disconnect"))
    expect(hub.told(daemon)).toEqual(["connect", "disconnect"])
  })

  it("keeps nobody's deliveries waiting, whichever node took the event and whichever sends it", async () => {
    const daemons = [await hub.daemon(right), await hub.daemon(ahead)]
    for (const first of both) {
      const path = `/deliveries/${randomUUID()}`
      const webhookId = await hub.webhook(path)
      const arrived = () => hub.receiver.at(path).map(({ body }) => body.payload.targetSessionId)
      // who takes the first event of a webhook holds it from then on
      const order = [first, 1 - first]
      for (const [nth, at] of order.entries()) {
        const session = `c${first}-${nth}`
        daemons[at]!.send({ id: session, session })
        await until("its event has arrived", () => arrived().includes(session))
      }
      const sent = `/api/v1/webhooks/${webhookId}/deliveries`
      const settled = await until("they are recorded", async () => {
        const { body } = await hub.ask(right, "GET", sent, { bearer: hub.session })
        const done = body.deliveries.filter(({ status }: { status: string }) => status === "succeeded")
        return done.length >= 2 && done
      })
      for (const node of both) {
        const before = hub.receiver.at(path).length
        const retry = `${sent}/${settled[node].deliveryId}/retry`
        expect((await hub.ask(node, "POST", retry, { bearer: hub.session, body: {} })).status).toBeLessThan(300)
        await until("it has arrived again", () => hub.receiver.at(path).length > before)
      }
    }
  })
})
