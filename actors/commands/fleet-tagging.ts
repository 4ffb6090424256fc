/**
 * Changes of tags, in force on every node at once. Owns who is told of them; the store owns the tags. A whole fleet is
 * told in parts, so that no turn is long.
 */
import { Context, Effect, Layer } from "effect"
import { Bus } from "../../src/bus/bus.ts"
import type { TagChange } from "../../src/domain/daemon/tags.ts"
import type { StoreFailed, ValidationFailed } from "../../src/errors.ts"
import { taggedToldMax } from "../../src/limits/tags.ts"
import { FleetTags, type TaggedDaemon, type Whom } from "../../src/store/daemons/fleet-tags.ts"
import { Roster } from "../presence/roster.ts"

export class FleetTagging extends Context.Service<
  FleetTagging,
  {
    /** Changes the owner's tags of all that are meant, or of none; returns those that were changed. */
    readonly change: (
      accountId: string,
      whom: Whom,
      change: TagChange
    ) => Effect.Effect<ReadonlyArray<TaggedDaemon>, StoreFailed | ValidationFailed>
  }
>()("hub/FleetTagging") {
  static readonly layer = Layer.effect(FleetTagging)(
    Effect.gen(function* () {
      const store = yield* FleetTags
      const bus = yield* Bus
      const roster = yield* Roster
      const tell = Effect.fnUntraced(function* (accountId: string, changed: ReadonlyArray<TaggedDaemon>) {
        for (const [at, { daemonId, ownerTags }] of changed.entries()) {
          if (at > 0 && at % taggedToldMax === 0) yield* Effect.yieldNow
          // of one daemon in this turn, so that the caller's next look here shows them
          roster.tagged(daemonId, ownerTags)
          bus.publish("daemon_tagged", { accountId, daemonId, ownerTags })
        }
      })
      return FleetTagging.of({
        change: (accountId, whom, change) =>
          Effect.uninterruptible(
            Effect.tap(store.change(accountId, whom, change), (changed) => tell(accountId, changed))
          )
      })
    })
  )
}
