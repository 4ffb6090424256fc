/**
 * Which webhooks of an account want what, in memory. Owns the index: filled when an account is first asked about,
 * dropped by the bus on a change, and by the version in the store when the bus lost a message (at most a second late).
 * By that version it also finds who was disabled, and says so where the bus did not. Sends nothing to a webhook.
 */
import { Context, Effect, Layer, Schedule, type Scope } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../../src/bus/bus.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { accountsIndexedMax, indexPollMillis } from "../../src/limits/delivery.ts"
import { type Interests, Webhooks } from "../../src/store/webhooks/webhooks.ts"

/** The index. */
export class SubscriptionIndex extends Context.Service<
  SubscriptionIndex,
  {
    /** What is held of an account; undefined when it must be read. */
    readonly held: (accountId: string) => Interests | undefined
    /** The same, read when it is not held. */
    readonly of: (accountId: string) => Effect.Effect<Interests, StoreFailed>
    /** The webhooks of an account changed: forgets them here and tells every node. */
    readonly changed: (accountId: string) => void
    /** Hears which accounts' webhooks changed, by bus or by version, until the scope closes. */
    readonly heard: (listener: (accountId: string) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("hub/SubscriptionIndex") {
  static readonly layer: Layer.Layer<SubscriptionIndex, never, Webhooks | Bus> = Layer.effect(
    SubscriptionIndex,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const bus = yield* Bus
  const index = new LRUCache<string, Interests>({ max: accountsIndexedMax })
  const listeners = new Set<(accountId: string) => void>()
  let changes = 0
  let seen: number | undefined
  /** Found disabled by the last look. A round later they are said to be: by then whoever did it has said so itself. */
  let disabled: ReadonlyArray<string> = []

  const forget = (accountId: string): void => {
    changes++
    index.delete(accountId)
    for (const listener of listeners) listener(accountId)
  }

  // What was read while something changed may be stale already: it serves this caller and is not kept.
  const read = (accountId: string): Effect.Effect<Interests, StoreFailed> =>
    Effect.suspend(() => {
      const before = changes
      return Effect.map(webhooks.interests(accountId), (interests) => {
        if (before === changes) index.set(accountId, interests)
        return interests
      })
    })

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
      // as this node starts nobody who is disabled has anything here
      disabled = seen === undefined ? [] : changed.disabled
      seen = changed.version
    })
  ).pipe(Effect.ignore)

  yield* bus.subscribe("webhooks_changed", ({ accountId }) => forget(accountId))
  yield* bus.gaps(() => {
    changes++
    index.clear()
  })
  yield* Effect.forkScoped(Effect.repeat(compare, Schedule.spaced(indexPollMillis)))

  return SubscriptionIndex.of({
    held: (accountId) => index.get(accountId),
    of: (accountId) =>
      Effect.suspend(() => {
        const held = index.get(accountId)
        return held === undefined ? read(accountId) : Effect.succeed(held)
      }),
    changed: (accountId) => {
      forget(accountId)
      bus.publish("webhooks_changed", { accountId })
    },
    heard: (listener) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        )
      )
  })
})
