/** One endpoint does not affect another, and other nodes do not affect this one. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { RetentionRounds } from "../../../actors/webhooks/retention.ts"
import { Subscribers } from "../../../actors/webhooks/service.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { newId } from "../../../src/domain/ids.ts"
import { makeSecret } from "../../../src/domain/webhook/signature.ts"
import { parkedMillisMax } from "../../../src/limits/delivery.ts"
import { Leases } from "../../../src/store/webhooks/leases.ts"
import { Webhooks } from "../../../src/store/webhooks/webhooks.ts"
import { reactionOf } from "../../support/foreign/receiver.ts"
import { useHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

describe("beside others", () => {
  const hub = useHub({ virtual: true })
  const receiver = useReceiver("test")
  // leases run on the database's clock, which no test can stop
  const farOff = 9_000_000_000_000_000
  const leaseUntil = (id: string, at: number) =>
    hub.sql((sql) => sql`update webhook_leases set until = ${at} where webhook_id = ${id}`)
  const sweep = () => hub.inside(Effect.flatMap(Subscribers, (subscribers) => subscribers.sweep))

  it("a healthy endpoint gets everything while one hangs, one fails and one drips, on the same origin", async () => {
    const healthy = await hook(hub, receiver.url("/healthy"))
    for (const path of ["/hangs", "/fails", "/drips"]) await hook(hub, receiver.url(path), ["*"], healthy.account)
    receiver.react("/hangs", "hang")
    receiver.react("/fails", 500)
    receiver.react("/drips", { by: (response) => void response.writeHead(200).write(".") })
    await Promise.all([...Array(200).keys()].map(() => healthy.dispatch()))
    await until("all 200 arrive", () => receiver.at("/healthy").length === 200)
    await until("four hang and four drip", () => receiver.open("/hangs") === 4 && receiver.open("/drips") === 4)
    await healthy.untilEntries("they are recorded", (all) => all.every((entry) => entry.status === "succeeded"))
  })

  it("a receiver that refuses one kind of event gets the others as if nothing were", async () => {
    const one = await hook(hub, receiver.url("/refuses"))
    receiver.react("/refuses", reactionOf("refuses agent:stopped with 400"))
    const arrived = (event: string) => receiver.at("/refuses").filter(({ body }) => body.event === event).length
    await Promise.all([...Array(12).keys()].map(() => one.dispatch()))
    await until("all are refused once", () => arrived("agent:stopped") === 12)
    await Promise.all([...Array(5).keys()].map(() => one.dispatch("monitor:no_progress")))
    await until("what is wanted has come", () => arrived("monitor:no_progress") === 5)
    expect(await one.record()).toMatchObject({ health: "ok" })
  })

  it("a webhook that fails for a day has its parked deliveries expired by the upkeep, and recovered on request", async () => {
    const one = await hook(hub, receiver.url("/day"))
    const many = 13
    receiver.react("/day", 503)
    await Promise.all([...Array(many).keys()].map(() => one.dispatch()))
    await until("it is failing", async () => (await one.record())["health"] === "failing")
    await one.untilEntries(
      "nothing is under way",
      (all) => all.filter((entry) => entry.status === "failed").length === receiver.at("/day").length
    )
    const sql = (use: (client: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) => hub.sql(use)
    // a day of a whole hub's time would be a day of its timers too
    await sql(
      (client) => client`update webhook_health set failing_since = failing_since - ${parkedMillisMax}
      where webhook_id = ${one.id}`
    )
    const round = () => hub.inside(Effect.flatMap(RetentionRounds, (upkeep) => upkeep.round))
    const expired = async () => (await one.entries()).filter((entry) => entry.status === "expired").length
    await round()
    expect(await expired()).toBe(0)
    await sql(
      (client) => client`update deliveries set at = at - ${parkedMillisMax}
      where webhook_id = ${one.id} and state = 0`
    )
    await round()
    expect(await expired()).toBe(many)
    expect((await one.entries()).filter((entry) => entry.willRetry)).toEqual([])

    receiver.react("/day", 200)
    expect((await one.change("POST", "/recover", { since: 0 })).body).toEqual({ success: true, recovered: many })
    await round()
    await until("the probe has released them all", async () => {
      await hub.advance(61_000)
      return (await one.entries()).filter((entry) => entry.status === "succeeded").length === many
    })
    expect((await one.record())["health"]).toBe("ok")
  })

  it("a webhook that another node holds is left to it, and taken over when that node's lease has ended", async () => {
    const one = await hook(hub, receiver.url("/held"))
    await hub.inside(Effect.flatMap(Leases, (leases) => leases.take("another node", [one.id])))
    await leaseUntil(one.id, farOff)
    await one.dispatch()
    await sweep()
    const beside = await hook(hub, receiver.url("/beside-held"))
    await beside.dispatch()
    await until("another's event arrives", () => receiver.at("/beside-held").length === 1)
    expect(receiver.at("/held")).toEqual([])
    await leaseUntil(one.id, 1)
    await sweep()
    await until("the event arrives", () => receiver.at("/held").length === 1)
  })

  it("a change that the bus lost is seen by the version in the store", async () => {
    const one = await hook(hub, receiver.url("/known"))
    await one.dispatch()
    const id = newId("webhook")
    const { accountId } = one.account
    await hub.inside(
      Effect.gen(function* () {
        const secret = (yield* SecretBox).seal(makeSecret(), id)
        const draft = { id, accountId, url: receiver.url("/unannounced"), events: ["*"], secret }
        yield* (yield* Webhooks).create(draft, 10, hub.now())
      })
    )
    await until("the new webhook gets an event", async () => {
      await hub.advance(1_000)
      await one.dispatch()
      return receiver.at("/unannounced").length > 0
    })
  })
})
