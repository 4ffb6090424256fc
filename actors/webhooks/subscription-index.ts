/**
 * Which webhooks of an account want which events, in memory. Owns the index: filled on first use, voided by the bus on
 * a change, and by the version in the store when the bus lost a message (at most a second late). By that version it
 * also finds disabled accounts, and announces them where the bus did not. Sends nothing to a webhook.
 */
import { Context, Effect, Layer, type Scope } from "effect"
import { Bus } from "../../src/bus/bus.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { accountsIndexedMax, indexPollMillis } from "../../src/limits/delivery.ts"
import { makeInvalidatingCache } from "../../src/runtime/invalidating-cache.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import type { WebhookSubscriptions } from "../../src/store/webhooks/webhook-subscriptions.ts"
import { Webhooks } from "../../src/store/webhooks/webhooks.ts"

export class SubscriptionIndex extends Context.Service<
  SubscriptionIndex,
  {
    /** The subscriptions of an account, as cached; undefined when they must be read. */
    readonly cached: (accountId: string) => WebhookSubscriptions | undefined
    /** The subscriptions of an account, read when they are not cached. */
    readonly subscriptions: (accountId: string) => Effect.Effect<WebhookSubscriptions, StoreFailed>
    /** The webhooks of an account changed: forgets them here and tells every node. */
    readonly changed: (accountId: string) => void
    /** Calls the listener for each account whose webhooks changed, by bus or by version, until the scope closes. */
    readonly onChange: (listener: (accountId: string) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("hub/SubscriptionIndex") {
  static readonly layer = Layer.effect(SubscriptionIndex)(Effect.suspend(() => make))
}

const make = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const bus = yield* Bus
  const index = makeInvalidatingCache<WebhookSubscriptions>({
    max: accountsIndexedMax,
    // an entry is valid until a change
    now: () => 0,
    lifeOf: () => Number.POSITIVE_INFINITY,
    dependenciesOf: (_, accountId) => [accountId]
  })
  const listeners = new Set<(accountId: string) => void>()
  let seen: number | undefined
  /** Found disabled by the last look. They are announced a round later, in case the order itself did not reach us. */
  let disabled: ReadonlyArray<string> = []

  const forget = (accountId: string): void => {
    index.change(accountId)
    for (const listener of listeners) listener(accountId)
  }

  const compare = Effect.suspend(() =>
    Effect.map(webhooks.changedSince(seen ?? 0), (changed) => {
      for (const accountId of changed.accountIds) forget(accountId)
      const enabled = new Set(changed.accountIds)
      for (const accountId of changed.disabled) enabled.delete(accountId)
      for (const accountId of disabled) {
        if (enabled.has(accountId)) continue
        bus.publish("account_changed", { accountId })
        bus.publish("account_disabled", { accountId })
      }
      // as this node starts a disabled account has nothing here
      disabled = seen === undefined ? [] : changed.disabled
      seen = changed.version
    })
  ).pipe(Effect.ignore)

  yield* bus.subscribe("webhooks_changed", ({ accountId }) => forget(accountId))
  yield* bus.gaps(index.clear)
  yield* repeatEvery(indexPollMillis, "the version of the webhooks could not be read", compare, { onceReady: true })

  return SubscriptionIndex.of({
    cached: (accountId) => index.find(accountId)?.value,
    subscriptions: (accountId) =>
      Effect.suspend(() => {
        const cached = index.find(accountId)
        return cached === undefined
          ? index.lookUp(accountId, webhooks.subscriptions(accountId))
          : Effect.succeed(cached.value)
      }),
    changed: (accountId) => {
      forget(accountId)
      bus.publish("webhooks_changed", { accountId })
    },
    onChange: (listener) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        )
      )
  })
})
