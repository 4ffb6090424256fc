/** Browsers that take push messages: whose they are, and which are taken. */
import { describe, expect, it } from "vitest"
import { useHub } from "../../support/hub.ts"
import { makeBrowser } from "../../support/push/browser-keys.ts"

const path = "/api/v1/push-subscriptions"
const rateIpPerMinute = 60

describe("a push subscription", () => {
  const hub = useHub({ settings: { rateIpPerMinute, trustedProxies: ["127.0.0.0/8"] } })
  const { p256dh, auth } = makeBrowser()
  const ask = (method: string, session: string, body?: unknown, below = "") =>
    hub.request(method, `${path}${below}`, { session, ...(body !== undefined && { body }) })
  const listed = async (session: string) => (await ask("GET", session)).body
  const body = { endpoint: "https://push.example.com/send/1", keys: { p256dh, auth } }

  it("is of who makes it, and all are made with the one key of the hub", async () => {
    const [session, other] = [await (await hub.account()).session(), await (await hub.account()).session()]
    const made = await ask("POST", session, body)
    expect(made).toMatchObject({ status: 201, body: { origin: "https://push.example.com", showsSubject: false } })
    const { publicKey, subscriptions } = await listed(session)
    expect(subscriptions.map(({ id }: { id: string }) => id)).toEqual([made.body.id])
    // a point of P-256, uncompressed
    expect(publicKey).toMatch(/^B[\w-]{86}$/u)
    expect(await listed(other)).toEqual({ publicKey, subscriptions: [] })
    expect((await ask("DELETE", other, undefined, `/${made.body.id}`)).status).toBe(404)
    expect((await ask("DELETE", session, undefined, `/${made.body.id}`)).status).toBe(200)
    expect((await listed(session)).subscriptions).toEqual([])
  })

  it("is refused with an endpoint inside, or keys that nothing can be encrypted for", async () => {
    const session = await (await hub.account()).session()
    const refused = async (more: object, member: string) => {
      const { status, body: said } = await ask("POST", session, { ...body, ...more })
      expect([status, JSON.stringify(said)]).toEqual([400, expect.stringContaining(member)])
    }
    for (const endpoint of [
      "https://10.0.0.1/x",
      "https://[::ffff:169.254.169.254]/",
      "ftp://a.b",
      "http://push.example.com/x"
    ])
      await refused({ endpoint }, "endpoint")
    await refused({ endpoint: `https://push.example.com/${"x".repeat(3_000)}` }, "endpoint")
    await refused({ keys: { p256dh: p256dh.slice(0, 40), auth } }, "keys")
    await refused({ keys: { p256dh, auth: "short" } }, "keys")
    await refused({ keys: { p256dh: "B".repeat(200), auth } }, "keys")
  })

  it("is answered by an address so often a minute as any call without a credential, then 429", async () => {
    const headers = { "x-forwarded-for": "198.51.100.7" }
    const answer = () =>
      hub.request("POST", "/api/v1/push-answers", { headers, body: { token: `hubp_${"0".repeat(36)}` } })
    for (let nth = 0; nth < rateIpPerMinute; nth++) expect((await answer()).status).toBe(404)
    const { status, body, headers: said } = await answer()
    expect([status, body.reason]).toEqual([429, "RATE_LIMITED"])
    expect(Number(said.get("retry-after"))).toBeGreaterThan(0)
  })
})
