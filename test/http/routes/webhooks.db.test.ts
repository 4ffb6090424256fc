/** The webhook endpoints over HTTP. */
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"
import { startReceiver } from "../../support/webhook-receiver.ts"

const route = "/api/v1/webhooks"

describe("the webhook endpoints", () => {
  const hub = useHub({ virtual: true })
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
      expect(rest).toEqual({
        ...good,
        ...untried,
        additionalEvents: [],
        droppedDeliveries: 0,
        lastDroppedAt: null,
        selector: null
      })
      expect(id).toMatch(/^whk_[0-9a-z]{20}$/u)
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/u)
      expect(updatedAt).toBe(createdAt)
      const listed = await hub.request("GET", route, { key: await account.key(["webhook:manage"]) })
      expect(listed.body).toEqual({ webhooks: [{ id, createdAt, updatedAt, ...rest }] })
      expect(listed.text).not.toContain("whsec_")
    })

    it("warns of each name that it drops, saying what it is", async () => {
      const events = ["daemon:connect", "agent:foo", "agent:waiting_approval", "command:completed"]
      const { status, body } = await create(await hub.account(), { ...good, events })
      expect([status, body.events, body.additionalEvents]).toEqual([201, ["daemon:connect"], []])
      expect(body.warnings).toEqual([
        expect.stringContaining('"agent:foo" is no event'),
        expect.stringContaining('"agent:waiting_approval" is sent to "*"'),
        expect.stringContaining('"command:completed" is asked for in additionalEvents')
      ])
    })

    it("takes what the hub adds, and the events of agents, in additionalEvents, and nothing else there", async () => {
      const account = await hub.account()
      const additionalEvents = ["command:completed", "agent:waiting_approval"]
      const made = await create(account, { ...good, events: [], additionalEvents })
      expect([made.status, made.body.events, made.body.additionalEvents]).toEqual([201, [], additionalEvents])
      expect(made.body).not.toHaveProperty("warnings")
      const refused = await create(account, { ...good, additionalEvents: ["job:completed", "agent:status"] })
      expect(refused.body).toMatchObject({ reason: "VALIDATION_FAILED", issues: [{ path: "additionalEvents.1" }] })
    })

    it("names what it does not take beside the 201", async () => {
      const { status, body } = await create(await hub.account(), { ...good, secret: "mine", active: false })
      expect([status, body.active]).toEqual([201, true])
      expect(body.warnings).toEqual([
        '"secret" is no member that this call takes',
        '"active" is no member that this call takes'
      ])
    })

    it.each([
      ["no url", { events: [] }, "url"],
      ["events that are no texts", { ...good, events: ["*", 7] }, "events.1"],
      ["a forbidden address", { ...good, url: "http://169.254.169.254/" }, "url"],
      ["another scheme", { ...good, url: "ftp://example.com" }, "url"]
    ])("answers 400 to %s", async (_, body, path) => {
      const { status, body: answer } = await create(await hub.account(), body)
      expect([status, answer.reason]).toEqual([400, "VALIDATION_FAILED"])
      expect(answer.issues.map((issue: { path: string }) => issue.path)).toContain(path)
    })
  })

  describe("a change of a webhook", () => {
    it("accepts active, url and events, at least one of them, and warns of what is none of them", async () => {
      const { session, path } = await hook(hub, receiver.url())
      const patch = (body: unknown) => hub.request("PATCH", path, { session, body })
      const paused = await patch({ active: false, url: null, events: null })
      expect([paused.status, paused.body.active, paused.body.url]).toEqual([200, false, receiver.url()])
      for (const body of [{}, { active: null }, { active: "no" }, { secret: "s" }, { events: "*" }])
        expect((await patch(body)).status).toBe(400)
      for (const url of ["http://169.254.169.254/", "ftp://example.com", "x"])
        expect((await patch({ url })).body).toMatchObject({ reason: "VALIDATION_FAILED", issues: [{ path: "url" }] })
      const resumed = await patch({ active: true })
      expect(resumed.body).toMatchObject({ active: true, url: receiver.url(), events: ["*"] })
      expect(resumed.body).not.toHaveProperty("warnings")
      const narrowed = await patch({ events: ["agent:status", "nonsense"], secret: "s" })
      expect(narrowed.body).toMatchObject({
        events: ["agent:status"],
        warnings: ['"nonsense" is no event.', '"secret" is no member that this call takes']
      })
      const emptied = await patch({ events: ["nonsense"] })
      expect(emptied.body).toMatchObject({ events: [] })
      expect(emptied.body.warnings).toContainEqual(expect.stringContaining("Nothing is subscribed"))
    })

    it("changes events or additionalEvents and leaves the other", async () => {
      const { session, path } = await hook(hub, receiver.url())
      const patch = async (body: unknown) => {
        const { events, additionalEvents } = (await hub.request("PATCH", path, { session, body })).body
        return [events, additionalEvents]
      }
      expect(await patch({ additionalEvents: ["job:completed"] })).toEqual([["*"], ["job:completed"]])
      expect(await patch({ events: ["agent:status"] })).toEqual([["agent:status"], ["job:completed"]])
      expect(await patch({ additionalEvents: [] })).toEqual([["agent:status"], []])
    })

    it("sends what is pending to the new url, with the same body and delivery", async () => {
      const one = await hook(hub, receiver.url("/old"))
      receiver.react("/old", 500)
      await one.dispatch()
      await one.untilEntries("it waits for its retry", (all) => all[0]?.willRetry === true)
      const changed = await one.change("PATCH", "", { url: receiver.url("/new") })
      expect(changed.body.url).toBe(receiver.url("/new"))
      await until("it arrives at the new one", async () => {
        await hub.advance(1_000)
        return receiver.at("/new").length === 1
      })
      const [first] = receiver.at("/old")
      const [second] = receiver.at("/new")
      expect(second!.text).toBe(first!.text)
      expect(second!.headers["x-service-delivery"]).toBe(first!.headers["x-service-delivery"])
      expect(receiver.at("/old")).toHaveLength(1)
    })

    it("sends later events by the new events only", async () => {
      const one = await hook(hub, receiver.url("/events"), ["agent:status"])
      await one.change("PATCH", "", { events: ["daemon:connect"] })
      await one.dispatch("agent:status")
      await one.dispatch("daemon:connect")
      await until("the wanted one arrives", () => receiver.at("/events").length === 1)
      expect(receiver.at("/events").map(({ body }) => body.event)).toEqual(["daemon:connect"])
    })
  })

  it("delete answers 200, and 404 the second time", async () => {
    const { session, path, id } = await hook(hub, receiver.url())
    const gone = await hub.request("DELETE", path, { session })
    expect([gone.status, gone.body]).toEqual([200, { success: true, id }])
    expect((await hub.request("DELETE", path, { session })).status).toBe(404)
  })

  describe("test", () => {
    it("says more than one word of a receiver that is not there, in the answer and in the history", async () => {
      const gone = await startReceiver()
      await gone.close()
      const one = await hook(hub, gone.url("/"))
      const refused = { error: "connect", errorDetail: "refused", statusCode: null, responseBody: "" }
      expect((await one.change("POST", "/test")).body).toMatchObject({ success: false, delivery: refused })
      expect((await one.entries())[0]).toMatchObject(refused)
    })

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

    it("is sent beside the four deliveries that are under way", async () => {
      const one = await hook(hub, receiver.url("/crowded"))
      receiver.react("/crowded", "hang")
      await Promise.all([...Array(5).keys()].map(() => one.dispatch()))
      await until("four are under way", () => receiver.open("/crowded") === 4)
      receiver.react("/crowded", 204)
      expect((await one.change("POST", "/test")).body.success).toBe(true)
      expect(receiver.open("/crowded")).toBe(4)
      receiver.release(204)
      await until("the fifth delivery came too", () => receiver.at("/crowded").length === 6)
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

  it("the request of a delivery has the body that was sent, and headers that a receiver takes now; after a recent login, of its own webhook", async () => {
    const [one, other] = [await hook(hub, receiver.url("/shown")), await hook(hub, receiver.url("/other"))]
    await one.dispatch()
    const [entry] = await one.untilEntries("it is recorded", ([first]) => first?.status === "succeeded")
    const get = (path: string, as: object) => hub.request("GET", `${path}/deliveries/${entry!.deliveryId}`, as)
    const { status, body } = await get(one.path, { session: one.session })
    expect([status, body.url]).toEqual([200, receiver.url("/shown")])
    expect(body.body).toBe(receiver.at("/shown")[0]!.text)
    expect(() => new Webhook(one.secret).verify(body.body, body.headers)).not.toThrow()
    expect((await get(one.path, { key: one.key })).body.reason).toBe("RECENT_LOGIN_REQUIRED")
    for (const { path } of [one, other]) expect((await get(path, { session: other.session })).status).toBe(404)
    await hub.request("POST", `${one.path}/deliveries/${entry!.deliveryId}/retry`, { session: one.session })
    await one.untilEntries(
      "it is sent again",
      (all) => all.length === 2 && all.every((it) => it.status === "succeeded")
    )
    const again = await get(one.path, { session: one.session })
    // as the receiver saw it: a resent delivery counts from one
    expect(again.body.headers["x-service-attempt"]).toBe("1")
    expect(receiver.at("/shown")[1]!.headers["x-service-attempt"]).toBe("1")
  })

  it("the deliveries list comes page by page, and refuses a cursor that is none", async () => {
    const one = await hook(hub, receiver.url("/many"))
    await Promise.all([...Array(5).keys()].map(() => one.dispatch()))
    // an entry moves to the front when it is recorded
    const all = await one.untilEntries(
      "all are recorded",
      (entries) => entries.length === 5 && entries.every(({ status }) => status === "succeeded")
    )
    const get = async (query: string) =>
      (await hub.request("GET", `${one.path}/deliveries${query}`, { key: one.key })).body
    const first = await get("?limit=3")
    const rest = await get(`?limit=3&cursor=${first.nextCursor}`)
    expect([...first.deliveries, ...rest.deliveries]).toEqual(all)
    expect(rest).not.toHaveProperty("nextCursor")
    for (const query of ["?cursor=x", "?limit=0"])
      expect((await hub.request("GET", `${one.path}/deliveries${query}`, { key: one.key })).status).toBe(400)
  })
})
