/** The dispatcher: commit before send, and no write for what nobody wants. */
import { Exit } from "effect"
import { describe, expect, it } from "vitest"
import { StoreFailed } from "../../../src/errors.ts"
import {
  deliveryBatchBytesMax,
  deliveryBatchMax,
  dispatchWaitingMax,
  embeddedDeliveryBatchMax,
  eventsRecentMax,
  eventsSeenTrimAfter
} from "../../../src/limits/delivery.ts"
import { until } from "../../support/until.ts"
import { allNew, dispatcherWorld as world } from "./dispatcher-fixture.ts"

describe("the dispatcher", () => {
  it("writes nothing for an event that no webhook wants, and tells the live streams all the same", async () => {
    const { send, inserts, streamed } = await world([{ id: "w", events: ["agent:status", "daemon:connect"] }])
    expect(Exit.isSuccess(await send())).toBe(true)
    expect(inserts).toEqual([])
    expect(streamed).toEqual([{ accountId: "a", event: "agent:stopped", payload: { n: 1 }, timestamp: 5 }])
  })

  it("deals at once with an event that is known to be wanted by no webhook, a numbered one once", async () => {
    const { passes, inserts, streamed } = await world([{ id: "w", events: ["agent:status"] }], true)
    const dedupe = { daemonId: "d", id: "e1" }
    expect([passes(), passes({ dedupe }), passes({ dedupe })]).toEqual([true, true, true])
    expect(inserts).toEqual([])
    expect(streamed).toHaveLength(2)
  })

  it.each([true, false])(
    "takes no event of a disabled account, known (%s) to be or not, and forgets its number",
    async (held) => {
      const { send, passes, inserts, streamed } = await world("disabled", held)
      const told = { at: 5, states: "{}" }
      for (const members of [{}, { daemonId: "d", told }, { dedupe: { daemonId: "d", id: "e1" } }]) {
        expect(passes(members)).toBe(false)
        expect(await send(members)).toEqual(Exit.succeed(false))
      }
      expect([inserts, streamed]).toEqual([[], []])
    }
  )

  it("records what an event told of agents with its deliveries, and by itself where no webhook wants it", async () => {
    const told = { at: 5, states: '{"s":"error"}' }
    const event = { event: "agent:status", daemonId: "d", told } as const
    for (const [events, deliveries] of [
      [["*"], 1],
      [[], 0]
    ] as const) {
      const { send, passes, insert, streamed } = await world([{ id: "w", events }], true)
      expect(passes(event)).toBe(false)
      const sending = send(event)
      const { batch, told: recorded, end } = await insert(0)
      expect([batch.length, recorded]).toEqual([deliveries, [{ daemonId: "d", ...told }]])
      expect(streamed).toEqual([])
      end(Exit.succeed(allNew(batch)))
      expect(Exit.isSuccess(await sending)).toBe(true)
      expect(streamed).toHaveLength(1)
    }
  })

  it.each([
    ["that a webhook wants", ["*"], true],
    ["of an account whose webhooks are not known yet", [], false]
  ])("leaves an event %s to be dispatched", async (_, events, held) => {
    const { passes, streamed } = await world([{ id: "w", events }], held)
    expect(passes()).toBe(false)
    expect(streamed).toEqual([])
  })

  it("tells subscribers and live streams after the commit only, and ends only then", async () => {
    const { send, insert, offered, streamed } = await world([
      { id: "w1", events: ["*"] },
      { id: "w2", events: ["*"] }
    ])
    let ended = false
    const sending = send().then(() => {
      ended = true
    })
    const { batch, end } = await insert(0)
    expect(batch.map((one) => one.webhookId)).toEqual(["w1", "w2"])
    expect(new Set(batch.map((one) => one.body))).toEqual(
      new Set(['{"event":"agent:stopped","payload":{"n":1},"timestamp":5}'])
    )
    expect([offered.length, streamed.length, ended]).toEqual([0, 0, false])
    end(Exit.succeed(allNew(batch)))
    await sending
    expect(offered).toEqual(batch.map((one) => one.id))
    expect(streamed).toHaveLength(1)
  })

  it("fails when the commit fails, and nothing is sent", async () => {
    const { send, insert, offered, streamed } = await world([{ id: "w", events: ["*"] }])
    const sending = send()
    ;(await insert(0)).end(Exit.fail(new StoreFailed({ operation: "commit", cause: "away" })))
    expect(Exit.isFailure(await sending)).toBe(true)
    expect([offered, streamed]).toEqual([[], []])
  })

  it("commits what comes meanwhile in one batch", async () => {
    const { send, insert, inserts } = await world([{ id: "w", events: ["*"] }])
    const all = [send()]
    const first = await insert(0)
    for (let n = 0; n < 30; n++) all.push(send())
    first.end(Exit.succeed(allNew(first.batch)))
    const second = await insert(1)
    expect(second.batch).toHaveLength(30)
    second.end(Exit.succeed(allNew(second.batch)))
    await Promise.all(all)
    expect(inserts).toHaveLength(2)
  })

  it.each([
    [`${deliveryBatchMax} deliveries`, "", deliveryBatchMax, "postgres://"],
    [`${embeddedDeliveryBatchMax} deliveries to the embedded database`, "", embeddedDeliveryBatchMax, undefined],
    ["8 MiB of bodies", "n".repeat(deliveryBatchBytesMax / 4), 3, undefined]
  ])("commits at most %s in one batch, and the rest in the next", async (_, note, most, databaseUrl) => {
    const { send, insert } = await world([{ id: "w", events: ["*"] }], false, { databaseUrl })
    void send()
    const first = await insert(0)
    for (let n = 0; n < most + 1; n++) void send({ payload: { note } })
    first.end(Exit.succeed(allNew(first.batch)))
    const second = await insert(1)
    expect(second.batch).toHaveLength(most)
    second.end(Exit.succeed(allNew(second.batch)))
    expect((await insert(2)).batch).toHaveLength(1)
  })

  it("lets a numbered event that comes again meanwhile wait for the same commit", async () => {
    const { send, insert, inserts, streamed } = await world([{ id: "w", events: ["*"] }])
    const dedupe = { daemonId: "d", id: "e" }
    const all = [send({ dedupe }), send({ dedupe })]
    const { batch, end } = await insert(0)
    expect(batch).toHaveLength(1)
    end(Exit.succeed(allNew(batch)))
    expect((await Promise.all(all)).every(Exit.isSuccess)).toBe(true)
    expect([inserts.length, streamed.length]).toEqual([1, 1])
  })

  it("does not send or stream a numbered event that was already there, and still succeeds", async () => {
    const { send, insert, offered, streamed } = await world([{ id: "w", events: ["*"] }])
    const sending = send({ dedupe: { daemonId: "d", id: "e" } })
    ;(await insert(0)).end(Exit.succeed({ deliveryIds: new Set(), fresh: new Set() }))
    expect(Exit.isSuccess(await sending)).toBe(true)
    expect([offered, streamed]).toEqual([[], []])
  })

  it("streams a numbered event that no webhook wants once", async () => {
    const { send, streamed } = await world([])
    for (let n = 0; n < 3; n++) await send({ dedupe: { daemonId: "d", id: "e" } })
    expect(streamed).toHaveLength(1)
  })

  it(`remembers the last ${eventsRecentMax} numbered events that went to live streams only`, async () => {
    const { send, streamed } = await world([])
    const numbered = (n: number) => send({ dedupe: { daemonId: "d", id: `${n}` } })
    for (let n = 0; n < eventsRecentMax; n++) await numbered(n)
    await numbered(0)
    expect(streamed).toHaveLength(eventsRecentMax)
    await numbered(eventsRecentMax)
    await numbered(0)
    expect(streamed).toHaveLength(eventsRecentMax + 2)
  })

  it(`refuses an event when ${dispatchWaitingMax} wait`, async () => {
    const { send, insert } = await world([{ id: "w", events: ["*"] }])
    void send()
    await insert(0)
    for (let n = 0; n < dispatchWaitingMax; n++) void send()
    expect(Exit.isFailure(await send())).toBe(true)
  })

  it(`has the store forget a daemon's older numbers after ${eventsSeenTrimAfter} new ones, repeated ones apart`, async () => {
    const { send, insert, inserts, trims } = await world([{ id: "w", events: ["*"] }], true)
    let ended = 0
    const numbered = async (daemonId: string, from: number, to: number) => {
      const all = [...Array(to - from).keys()].map((n) => send({ dedupe: { daemonId, id: `${from + n}` } }))
      let committed = 0
      while (committed < all.length) {
        const { batch, end } = await insert(ended)
        ended++
        committed += batch.length
        end(Exit.succeed(allNew(batch)))
      }
      await Promise.all(all)
    }
    await numbered("busy", 0, eventsSeenTrimAfter - 1)
    await numbered("calm", 0, 1)
    const repeated = send({ dedupe: { daemonId: "busy", id: "0" } })
    ;(await insert(ended)).end(Exit.succeed({ deliveryIds: new Set(), fresh: new Set() }))
    ended++
    await repeated
    expect(trims).toEqual([])
    await numbered("busy", eventsSeenTrimAfter, eventsSeenTrimAfter + 1)
    await until("trim", () => trims[0])
    expect(trims).toEqual(["busy"])
    expect(inserts).toHaveLength(ended)
  })
})
