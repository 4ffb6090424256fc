/**
 * The dispatcher where an account has as much pending as its plan allows: nothing is written, and who goes without is
 * told.
 */
import { Exit } from "effect"
import { describe, expect, it } from "vitest"
import type { Volume } from "../../../src/domain/account/volume.ts"
import { StoreFailed } from "../../../src/errors.ts"
import type { WebhookSubscriptions } from "../../../src/store/webhooks/webhook-subscriptions.ts"
import { allNew, dispatcherWorld } from "../events/dispatcher-fixture.ts"

describe("an event whose account has as much pending as its plan allows", () => {
  const wanted = [
    { id: "w1", events: ["*"] },
    { id: "w2", events: ["agent:status"] }
  ]
  const withRoom = (webhooks: WebhookSubscriptions, pending: Volume) => dispatcherWorld(webhooks, true, { pending })
  const full = { number: 0, bytes: 0 }

  it("is not written; live streams hear of it, and it is told which webhook goes without", async () => {
    const { send, inserts, streamed, dropped } = await withRoom(wanted, full)
    expect(Exit.isSuccess(await send())).toBe(true)
    expect([inserts.length, streamed.length, dropped]).toEqual([0, 1, ["w1 number"]])
  })

  it("is told so once where its daemon numbered it, however often it comes", async () => {
    const { send, streamed, dropped } = await withRoom(wanted, full)
    for (let nth = 0; nth < 3; nth++) await send({ dedupe: { daemonId: "d", id: "e" } })
    expect([streamed.length, dropped.length]).toEqual([1, 1])
  })

  it("still records what it told of agents", async () => {
    const { send, insert, dropped } = await withRoom(wanted, full)
    const told = { at: 5, states: "{}" }
    const sending = send({ event: "agent:status", daemonId: "d", told })
    const { batch, told: recorded, end } = await insert(0)
    expect([batch, recorded, dropped]).toEqual([[], [{ daemonId: "d", ...told }], []])
    end(Exit.succeed(allNew(batch)))
    await sending
    expect(dropped).toEqual(["w1 number", "w2 number"])
  })

  it("counts while it waits to be committed, and no longer when it was not or was there before", async () => {
    const { send, insert, inserts, dropped } = await withRoom([{ id: "w", events: ["*"] }], { number: 2, bytes: 1_000 })
    const first = send()
    const dedupe = { daemonId: "d", id: "e" }
    const second = send({ dedupe })
    await send()
    expect(dropped).toEqual(["w number"])
    ;(await insert(0)).end(Exit.fail(new StoreFailed({ operation: "commit", cause: "away" })))
    expect((await Promise.all([first, second])).map(Exit.isFailure)).toEqual([true, true])
    const known = send({ dedupe })
    ;(await insert(1)).end(Exit.succeed({ deliveryIds: new Set(), fresh: new Set() }))
    await known
    const more = [send(), send()]
    const { batch, end } = await insert(2)
    expect(batch).toHaveLength(2)
    end(Exit.succeed(allNew(batch)))
    await Promise.all(more)
    await send()
    expect([dropped.length, inserts.length]).toEqual([2, 3])
  })

  it("counts by the bytes of its body, not by its characters", async () => {
    const note = "é".repeat(400)
    const { send, insert, dropped } = await withRoom([{ id: "w", events: ["*"] }], { number: 9, bytes: 1_000 })
    const first = send({ payload: { note } })
    ;(await insert(0)).end(Exit.succeed({ deliveryIds: new Set(), fresh: new Set() }))
    await first
    await send({ payload: { note: `${note}${"é".repeat(100)}` } })
    expect(dropped).toEqual(["w bytes"])
  })
})
