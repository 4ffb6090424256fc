/** The webhook endpoints over HTTP. */
import { describe, expect, it } from "vitest"
import type { Plan } from "../../../src/domain/account/plans.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

const route = "/api/v1/webhooks"

describe("the webhook endpoints", () => {
  const hub = useHub()
  const receiver = useReceiver("test")

  const create = async (account: TestAccount, body: unknown) =>
    hub.request("POST", route, { session: await account.session(), body })
  const good = { url: "https://example.com/hook", events: ["agent:status"] }

  describe("create", () => {
    it("answers 201 with the record and its secret, which is never shown again", async () => {
      const account = await hub.account()
      const { status, body } = await create(account, good)
      expect(status).toBe(201)
      const { id, secret, createdAt, updatedAt, ...rest } = body
      const untried = { active: true, health: "ok", lastDeliveryAt: null, lastStatusCode: null }
      expect(rest).toEqual({ ...good, ...untried, droppedDeliveries: 0, lastDroppedAt: null, selector: null })
      expect(id).toMatch(/^whk_[0-9a-z]{20}$/u)
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u)
      expect(updatedAt).toBe(createdAt)
      const listed = await hub.request("GET", route, { key: await account.key(["webhook:manage"]) })
      expect(listed.body).toEqual({ webhooks: [{ id, createdAt, updatedAt, ...rest }] })
      expect(listed.text).not.toContain("whsec_")
    })

    it("shows what is subscribed: unknown names and duplicates are dropped silently, even all of them", async () => {
      const account = await hub.account()
      const events = ["agent:status", "agent:stopped", "nonsense", "agent:status", "agent:approve_request", "*"]
      const some = await create(account, { ...good, events })
      expect(some.body.events).toEqual(["agent:status", "agent:approve_request", "*"])
      const none = await create(account, { ...good, events: ["webhook:test"] })
      expect([none.status, none.body.events]).toEqual([201, []])
    })

    it.each([
      ["no body", undefined, "url"],
      ["no url", { events: [] }, "url"],
      ["a url that is no text", { ...good, url: 7 }, "url"],
      ["no events", { url: good.url }, "events"],
      ["events that are no array", { ...good, events: "*" }, "events"],
      ["events that are no texts", { ...good, events: ["*", 7] }, "events.1"],
      ["a forbidden address", { ...good, url: "http://169.254.169.254/" }, "url"],
      ["another scheme", { ...good, url: "ftp://example.com" }, "url"]
    ])("answers 400 to %s", async (_, body, path) => {
      const { status, body: answer } = await create(await hub.account(), body)
      expect([status, answer.reason]).toEqual([400, "VALIDATION_FAILED"])
      expect(answer.issues.map((issue: { path: string }) => issue.path)).toContain(path)
    })

    it.each([
      ["free", 2],
      ["pro", 10],
      ["ultra", 50]
    ] as const)("allows %s at most %i, paused ones counted; validation comes first", async (plan: Plan, most) => {
      const account = await hub.account({ plan })
      const session = await account.session()
      const made = await Promise.all(
        [...Array(most).keys()].map(() => hub.request("POST", route, { session, body: good }))
      )
      expect(made.map((one) => one.status)).toEqual(Array(most).fill(201))
      await hub.request("PATCH", `${route}/${made[0]!.body.id}`, { session, body: { active: false } })
      const over = await hub.request("POST", route, { session, body: good })
      expect(over.status).toBe(403)
      expect(over.body).toMatchObject({ reason: "WEBHOOK_LIMIT_REACHED", limit: most, plan })
      expect((await hub.request("POST", route, { session, body: { url: "x" } })).status).toBe(400)
    })
  })

  describe("whoever", () => {
    it.each([
      ["POST", ""],
      ["PATCH", "/:id"],
      ["DELETE", "/:id"],
      ["POST", "/:id/test"],
      ["POST", "/:id/rotate-secret"],
      ["POST", "/:id/recover"],
      ["POST", "/:id/deliveries/dlv_00000000000000000000/retry"]
    ])(
      "%s %s with an API key, or a session of long ago, gets RECENT_LOGIN_REQUIRED and changes nothing",
      async (method, path) => {
        const { account, id, key, record } = await hook(hub, receiver.url())
        const before = await record()
        const url = route + path.replace(":id", id)
        for (const credential of [{ key }, { session: await account.session({ ageSeconds: 3_600 }) }]) {
          const answer = await hub.request(method, url, { ...credential, body: { active: false, ...good, since: 0 } })
          expect([answer.status, answer.body.code]).toEqual([403, "RECENT_LOGIN_REQUIRED"])
        }
        expect(await record()).toEqual(before)
      }
    )

    it("reads with a key without webhook:manage gets AUTH_FORBIDDEN", async () => {
      const { account, path } = await hook(hub, receiver.url())
      const key = await account.key(["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec"])
      for (const url of [route, `${path}/deliveries`]) {
        const answer = await hub.request("GET", url, { key })
        expect([answer.status, answer.body.code, answer.body.requiredScope]).toEqual([
          403,
          "AUTH_FORBIDDEN",
          "webhook:manage"
        ])
      }
    })

    it("asks for another account's webhook gets the 404 of one that never was", async () => {
      const { id } = await hook(hub, receiver.url())
      const other = await hub.account()
      const session = await other.session()
      const same = async (method: string, suffix: string, body?: unknown) => {
        const answers = await Promise.all(
          [id, "whk_00000000000000000000", "nonsense"].map((one) =>
            hub.request(method, `${route}/${one}${suffix}`, { session, body })
          )
        )
        const texts = answers.map((one) => one.text.replace(one.body.requestId, ""))
        expect(answers.map((one) => one.status)).toEqual([404, 404, 404])
        expect(new Set(texts).size).toBe(1)
      }
      await same("PATCH", "", { active: false })
      await same("DELETE", "")
      await same("GET", "/deliveries")
      await same("POST", "/test")
      await same("POST", "/rotate-secret")
      await same("POST", "/recover", { since: 0 })
      await same("POST", "/deliveries/dlv_00000000000000000000/retry")
    })
  })

  describe("delete", () => {
    it("answers 200, and 404 the second time", async () => {
      const { session, path, id } = await hook(hub, receiver.url())
      const gone = await hub.request("DELETE", path, { session })
      expect([gone.status, gone.body]).toEqual([200, { success: true, id }])
      expect((await hub.request("DELETE", path, { session })).status).toBe(404)
    })
  })

  describe("test", () => {
    it("sends one webhook:test to that webhook only, whatever it is subscribed to, also while it is paused", async () => {
      const one = await hook(hub, receiver.url("/tested"), [])
      await hook(hub, receiver.url("/beside"), ["*"], one.account)
      await hub.request("PATCH", one.path, { session: one.session, body: { active: false } })
      receiver.react("/tested", { status: 202, body: "got it" })
      const answer = await hub.request("POST", `${one.path}/test`, { session: one.session })
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({
        success: true,
        delivery: {
          event: "webhook:test",
          attempt: 1,
          maxAttempts: 1,
          status: "succeeded",
          willRetry: false,
          statusCode: 202,
          responseBody: "got it"
        }
      })
      const [sent] = receiver.at("/tested")
      expect(sent!.body).toMatchObject({ event: "webhook:test", payload: { webhookId: one.id } })
      expect(Object.keys(sent!.body.payload)).toEqual(["webhookId", "message", "timestamp"])
      expect(sent!.headers["x-service-delivery"]).toBe(answer.body.delivery.deliveryId)
      expect(await one.entries()).toEqual([answer.body.delivery])
      expect(receiver.at("/beside")).toEqual([])
    })

    it("is one at a time: another meanwhile gets 503, and one whose caller hangs up is recorded all the same", async () => {
      const one = await hook(hub, receiver.url("/busy"))
      receiver.react("/busy", "hang")
      const abort = new AbortController()
      const left = fetch(`${hub.url}${one.path}/test`, {
        method: "POST",
        headers: { authorization: `Bearer ${one.session}` },
        signal: abort.signal
      }).catch(() => undefined)
      await until("it is under way", () => receiver.open("/busy") === 1)
      const other = await one.change("POST", "/test")
      expect([other.status, other.body.reason, other.body.retryAfter]).toEqual([503, "OVERLOADED", 10])
      abort.abort()
      await left
      receiver.release(204)
      await one.untilEntries("it is recorded", (all) => all[0]?.statusCode === 204)
      receiver.react("/busy", 200)
      await until("there may be another", async () => (await one.change("POST", "/test")).body.success === true)
      expect(receiver.most("/busy")).toBe(1)
    })

    it("is one of the four that are under way: it waits for a place", async () => {
      const one = await hook(hub, receiver.url("/crowded"))
      receiver.react("/crowded", "hang")
      await Promise.all([...Array(4).keys()].map(() => one.dispatch()))
      await until("four are under way", () => receiver.open("/crowded") === 4)
      const tests = [one.change("POST", "/test"), one.change("POST", "/test")]
      // the refused one shows that the other waits
      expect((await Promise.race(tests)).status).toBe(503)
      expect(receiver.at("/crowded")).toHaveLength(4)
      receiver.react("/crowded", 204)
      receiver.release(204)
      const answers = await Promise.all(tests)
      expect(answers.filter((answer) => answer.body.success)).toHaveLength(1)
      expect(receiver.at("/crowded")).toHaveLength(5)
      expect(receiver.most("/crowded")).toBe(4)
    })

    it("makes one attempt and says how it failed", async () => {
      const one = await hook(hub, receiver.url("/broken"))
      receiver.react("/broken", 500)
      const answer = await hub.request("POST", `${one.path}/test`, { session: one.session })
      expect(answer.status).toBe(200)
      expect(answer.body).toMatchObject({
        success: false,
        delivery: { status: "failed", statusCode: 500, willRetry: false }
      })
      expect(answer.body.delivery).not.toHaveProperty("nextAttemptAt")
      expect(receiver.at("/broken")).toHaveLength(1)
    })
  })

  describe("the deliveries list", () => {
    it.each(["0", "-1", "1.5", "ten", "", "1e2", " 5"])("answers 400 to limit=%s", async (limit) => {
      const { path, key } = await hook(hub, receiver.url())
      const answer = await hub.request("GET", `${path}/deliveries?limit=${encodeURIComponent(limit)}`, { key })
      expect([answer.status, answer.body.issues?.[0].path]).toEqual([400, "limit"])
    })

    it("gives 20 unless told otherwise, 100 at most, and the rest by cursor", async () => {
      const one = await hook(hub, receiver.url("/many"))
      await Promise.all([...Array(105).keys()].map(() => one.dispatch()))
      const done = (all: ReadonlyArray<{ readonly status: string }>) =>
        all.every(({ status }) => status === "succeeded")
      const get = async (query: string) =>
        (await hub.request("GET", `${one.path}/deliveries${query}`, { key: one.key })).body
      // an entry moves to the front when it is recorded
      await until("all are recorded", async () => {
        const { deliveries, nextCursor } = await get("?limit=100")
        const rest = nextCursor === undefined ? [] : (await get(`?limit=100&cursor=${nextCursor}`)).deliveries
        return deliveries.length + rest.length === 105 && done(deliveries) && done(rest)
      })
      expect((await get("")).deliveries).toHaveLength(20)
      expect((await get("?limit=3")).deliveries).toHaveLength(3)
      const first = await get("?limit=5000")
      expect(first.deliveries).toHaveLength(100)
      const rest = await get(`?limit=100&cursor=${first.nextCursor}`)
      expect(rest.deliveries).toHaveLength(5)
      expect(rest).not.toHaveProperty("nextCursor")
      const ids = [...first.deliveries, ...rest.deliveries].map((entry: { id: string }) => entry.id)
      expect(new Set(ids).size).toBe(105)
      expect((await hub.request("GET", `${one.path}/deliveries?cursor=x`, { key: one.key })).status).toBe(400)
    })
  })

  describe("an idempotent create", () => {
    it("is replayed without its secret", async () => {
      const account = await hub.account()
      const session = await account.session()
      const send = () =>
        hub.request("POST", route, { session, body: good, headers: { "idempotency-key": "create-once" } })
      const [first, again] = [await send(), await send()]
      expect(again.status).toBe(201)
      expect(again.headers.get("idempotency-replayed")).toBe("true")
      expect(again.body.id).toBe(first.body.id)
      expect(again.body).not.toHaveProperty("secret")
    })
  })
})
