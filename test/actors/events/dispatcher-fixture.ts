/** A dispatcher without a store: its inserts wait to be ended. Owns what is scripted around it; asserts nothing. */
import { Effect, type Exit, Layer, ManagedRuntime } from "effect"
import { DaemonTags } from "../../../actors/events/daemon-tags.ts"
import { Dispatcher } from "../../../actors/events/dispatcher.ts"
import { DropReporter } from "../../../actors/webhooks/delivery-admission.ts"
import { Subscribers } from "../../../actors/webhooks/service.ts"
import { SubscriptionIndex } from "../../../actors/webhooks/subscription-index.ts"
import { Bus, type Topics } from "../../../src/bus/bus.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { Volume } from "../../../src/domain/account/volume.ts"
import type { Tags } from "../../../src/domain/daemon/tags.ts"
import type { HubEvent } from "../../../src/domain/event/hub-event.ts"
import type { StoreFailed } from "../../../src/errors.ts"
import { DrainDeadline } from "../../../src/runtime/drain-deadline.ts"
import {
  Deliveries,
  dedupeKey,
  type Inserted,
  type NewDelivery,
  type ToldRow
} from "../../../src/store/webhooks/deliveries.ts"
import { DeliveryRetention } from "../../../src/store/webhooks/delivery-retention.ts"
import type { WebhookSubscriptions } from "../../../src/store/webhooks/webhook-subscriptions.ts"
import { scriptedBudgets } from "../../support/scripted-volume-budgets.ts"
import { until } from "../../support/until.ts"

/** A statement that inserts deliveries, until it is ended. */
export interface Insert {
  readonly batch: ReadonlyArray<NewDelivery>
  readonly told: ReadonlyArray<ToldRow> | undefined
  readonly end: (exit: Exit.Exit<Inserted, StoreFailed>) => void
}

/** Everything that is new is inserted, unless told otherwise. */
export const allNew = (batch: ReadonlyArray<NewDelivery>): Inserted => ({
  deliveryIds: new Set(batch.map((one) => one.id)),
  fresh: new Set(batch.flatMap((one) => (one.dedupe === undefined ? [] : [dedupeKey(one.dedupe)])))
})

/** What there is beside the webhooks. */
interface Given {
  /** The tags of a daemon: as this node has them, and as the store says. */
  readonly here?: Tags
  readonly stored?: Tags
  /** What the account may have pending. */
  readonly pending?: Volume
  /** Where the database is; absent: embedded. */
  readonly databaseUrl?: string | undefined
}

/** Makes one. `held`: what is wanted is known at once. */
export const dispatcherWorld = async (
  subscriptions: WebhookSubscriptions,
  held = false,
  { here, stored = {}, pending, databaseUrl }: Given = {}
) => {
  const inserts: Array<Insert> = []
  const offered: Array<string> = []
  const streamed: Array<Topics["event_happened"]> = []
  const dropped: Array<string> = []
  const trims: Array<string> = []
  const tagsRead: Array<string> = []
  const layer = Dispatcher.layer.pipe(
    Layer.provide(DrainDeadline.layer),
    Layer.provide(
      Layer.mergeAll(
        scriptedBudgets({ pending }),
        Layer.succeed(DropReporter, {
          tell: (event) => void dropped.push(...event.dropped.map(({ webhookId, beyond }) => `${webhookId} ${beyond}`))
        }),
        Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32), databaseUrl }),
        Layer.succeed(Bus, {
          publish: (topic, message) => {
            if (topic === "event_happened") streamed.push(message as Topics["event_happened"])
          },
          subscribe: () => Effect.void,
          gaps: () => Effect.void
        }),
        Layer.mock(SubscriptionIndex, {
          cached: () => (held ? subscriptions : undefined),
          subscriptions: () => Effect.succeed(subscriptions),
          changed: () => undefined
        }),
        Layer.mock(Subscribers, {
          offer: (deliveries) => {
            offered.push(...deliveries.map((one) => one.id))
          },
          look: () => undefined,
          holds: () => false
        }),
        Layer.mock(Deliveries, {
          insert: (batch, _, told) => Effect.callback((resume) => void inserts.push({ batch, told, end: resume })),
          unhurried: () => Effect.void
        }),
        Layer.mock(DaemonTags, {
          shown: () => undefined,
          gone: () => undefined,
          here: () => here,
          read: (daemonId) =>
            Effect.sync(() => {
              if (here === undefined) tagsRead.push(daemonId)
              return here ?? stored
            })
        }),
        Layer.mock(DeliveryRetention, {
          forgetBeyond: (daemonId) => Effect.sync(() => trims.push(daemonId) - trims.length)
        })
      )
    )
  )
  const runtime = ManagedRuntime.make(layer)
  const { dispatch, dispatchUnwanted } = await runtime.runPromise(Dispatcher)
  const stopped: HubEvent = { accountId: "a", event: "agent:stopped", payload: { n: 1 }, timestamp: 5 }
  const send = (members: Partial<HubEvent> = {}) => Effect.runPromiseExit(dispatch({ ...stopped, ...members }))
  const insert = (nth: number) => until(`insert ${nth}`, () => inserts[nth])
  const passes = (members: Partial<HubEvent> = {}) => dispatchUnwanted({ ...stopped, ...members })
  return { send, passes, inserts, insert, offered, streamed, dropped, trims, tagsRead }
}
