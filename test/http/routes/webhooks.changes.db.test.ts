/** A webhook's events and address, at its creation and after changes. */
import { describe, expect, it } from "vitest"
import { useHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

const route = "/api/v1/webhooks"
const good = { url: "https://example.com/hook", events: ["agent:status"] }

const hub = useHub({ virtual: true })
const receiver = useReceiver("test")

describe("a subscription", () => {
  const create = async (body: unknown) => {
    const session = await (await hub.account()).session()
    return hub.request("POST", route, { session, body })
  }

  it("warns beside the 201 whoever ends up subscribed to nothing", async () => {
    for (const events of [["agent:generating_completed"], []]) {
      const { status, body } = await create({ ...good, events })
      expect([status, body.events]).toEqual([201, []])
      expect(body.warnings).toEqual([expect.stringContaining("Nothing is subscribed")])
    }
  })
})

describe("a change of a webhook", () => {
  it("accepts active, url and events, at least one of them, and nothing else", async () => {
    const { session, path } = await hook(hub, receiver.url())
    const patch = (body: unknown) => hub.request("PATCH", path, { session, body })
    const paused = await patch({ active: false, url: null, events: null })
    expect([paused.status, paused.body.active, paused.body.url]).toEqual([200, false, receiver.url()])
    for (const body of [{}, { active: null }, { active: "no" }, { active: true, secret: "s" }, { events: "*" }]) {
      expect((await patch(body)).status).toBe(400)
    }
    for (const url of ["http://169.254.169.254/", "ftp://example.com", "x"]) {
      expect((await patch({ url })).body).toMatchObject({ reason: "VALIDATION_FAILED", issues: [{ path: "url" }] })
    }
    const resumed = await patch({ active: true })
    expect(resumed.body).toMatchObject({ active: true, url: receiver.url(), events: ["*"] })
    const narrowed = await patch({ events: ["agent:status", "nonsense"] })
    expect(narrowed.body).toMatchObject({ events: ["agent:status"] })
    expect(narrowed.body).not.toHaveProperty("warnings")
    const emptied = await patch({ events: ["nonsense"] })
    expect(emptied.body).toMatchObject({ events: [], warnings: [expect.stringContaining("Nothing is subscribed")] })
  })

  it("sends what is pending to the new url, with the same body and delivery", async () => {
    const one = await hook(hub, receiver.url("/old"))
    receiver.react("/old", 500)
    await one.dispatch()
    await one.untilEntries("it waits for its retry", (all) => all[0]?.willRetry === true)
    const changed = await one.change("PATCH", "", { url: receiver.url("/new") })
    expect(changed.body.url).toBe(receiver.url("/new"))
    await hub.advance(10_000)
    await until("it arrives at the new one", () => receiver.at("/new").length === 1)
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
