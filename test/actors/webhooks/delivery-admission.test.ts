/**
 * The dispatcher where an account has as much pending as its plan allows: nothing is written, and who goes without is
 * told.
 */
import { Effect, Exit, Layer, ManagedRuntime } from "effect"
import { describe, expect, it } from "vitest"
import { DaemonTags } from "../../../actors/events/daemon-tags.ts"
import { Dispatcher } from "../../../actors/events/dispatcher.ts"
import { dispatcherLayer } from "../../../actors/events/live-dispatcher.ts"
import { DropReporter } from "../../../actors/webhooks/dropped-deliveries.ts"
import { Subscribers } from "../../../actors/webhooks/service.ts"
import { SubscriptionIndex } from "../../../actors/webhooks/subscription-index.ts"
import { makeTestSlots } from "../../../actors/webhooks/test-slot.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { Volume } from "../../../src/domain/account/volume.ts"
import type { HubEvent } from "../../../src/domain/event/hub-event.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { DrainDeadline } from "../../../src/runtime/drain-deadline.ts"
import {
  Deliveries,
  dedupeKey,
  type Inserted,
  type NewDelivery,
  type ToldRow
} from "../../../src/store/webhooks/deliveries.ts"
import { DeliveryRetention } from "../../../src/store/webhooks/delivery-retention.ts"
import type { WebhookSubscription } from "../../../src/store/webhooks/webhook-subscriptions.ts"
import { scriptedBudgets } from "../../support/scripted-volume-budgets.ts"
import { until } from "../../support/until.ts"

interface Insert {
  readonly batch: ReadonlyArray<NewDelivery>
  readonly told: ReadonlyArray<ToldRow> | undefined
  readonly end: (exit: Exit.Exit<Inserted, StoreFailed>) => void
}

const allNew = (batch: ReadonlyArray<NewDelivery>): Inserted => ({
  deliveryIds: new Set(batch.map((one) => one.id)),
  fresh: new Set(batch.flatMap((one) => (one.dedupe === undefined ? [] : [dedupeKey(one.dedupe)])))
})

/** An account that wants these events and may have so much pending. */
const world = async (subscriptions: ReadonlyArray<WebhookSubscription>, pending: Volume) => {
  const inserts: Array<Insert> = []
  const streamed: Array<unknown> = []
  const dropped: Array<string> = []
  const layer = dispatcherLayer.pipe(
    Layer.provide(DrainDeadline.layer),
    Layer.provide(
      Layer.mergeAll(
        scriptedBudgets({ pending }),
        Layer.succeed(DropReporter, {
          tell: (event) => void dropped.push(...event.dropped.map(({ webhookId, beyond }) => `${webhookId} ${beyond}`))
        }),
        Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) }),
        Layer.succeed(Bus, {
          publish: (_, message) => void streamed.push(message),
          subscribe: () => Effect.void,
          gaps: () => Effect.void
        }),
        Layer.mock(SubscriptionIndex, {
          cached: () => subscriptions,
          subscriptions: () => Effect.succeed(subscriptions),
          changed: () => undefined
        }),
        Layer.mock(Subscribers, {
          offer: () => undefined,
          look: () => undefined,
          holds: () => false,
          testSlots: makeTestSlots(
            () => false,
            () => 0
          )
        }),
        Layer.mock(Deliveries, {
          insert: (batch, _, told) => Effect.callback((resume) => void inserts.push({ batch, told, end: resume })),
          unhurried: () => Effect.void
        }),
        Layer.mock(DaemonTags, { shown: () => undefined, gone: () => undefined, here: () => undefined }),
        Layer.mock(DeliveryRetention, {})
      )
    )
  )
  const { dispatch } = await ManagedRuntime.make(layer).runPromise(Dispatcher)
  const stopped: HubEvent = { accountId: "a", event: "agent:stopped", payload: { n: 1 }, timestamp: 5 }
  const send = (members: Partial<HubEvent> = {}) => Effect.runPromiseExit(dispatch({ ...stopped, ...members }))
  const insert = (nth: number) => until(`insert ${nth}`, () => inserts[nth])
  return { send, insert, inserts, streamed, dropped }
}

describe("an event whose account has as much pending as its plan allows", () => {
  const wanted = [
    { id: "w1", events: ["*"] },
    { id: "w2", events: ["agent:status"] }
  ]
  const full = { number: 0, bytes: 0 }

  it("is not written; live streams hear of it, and it is told which webhook goes without", async () => {
    const { send, inserts, streamed, dropped } = await world(wanted, full)
    expect(Exit.isSuccess(await send())).toBe(true)
    expect([inserts.length, streamed.length, dropped]).toEqual([0, 1, ["w1 number"]])
  })

  it("is told so once where its daemon numbered it, however often it comes", async () => {
    const { send, streamed, dropped } = await world(wanted, full)
    for (let nth = 0; nth < 3; nth++) await send({ dedupe: { daemonId: "d", id: "e" } })
    expect([streamed.length, dropped.length]).toEqual([1, 1])
  })

  it("still records what it told of agents", async () => {
    const { send, insert, dropped } = await world(wanted, full)
    const told = { at: 5, states: "{}" }
    const sending = send({ event: "agent:status", daemonId: "d", told })
    const { batch, told: recorded, end } = await insert(0)
    expect([batch, recorded, dropped]).toEqual([[], [{ daemonId: "d", ...told }], []])
    end(Exit.succeed(allNew(batch)))
    await sending
    expect(dropped).toEqual(["w1 number", "w2 number"])
  })

  it("counts while it waits to be committed, and no longer when it was not or was there before", async () => {
    const { send, insert, inserts, dropped } = await world([{ id: "w", events: ["*"] }], { number: 2, bytes: 1_000 })
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
    const { send, insert, dropped } = await world([{ id: "w", events: ["*"] }], { number: 9, bytes: 1_000 })
    const first = send({ payload: { note } })
    ;(await insert(0)).end(Exit.succeed({ deliveryIds: new Set(), fresh: new Set() }))
    await first
    await send({ payload: { note: `${note}${"é".repeat(100)}` } })
    expect(dropped).toEqual(["w bytes"])
  })
})
