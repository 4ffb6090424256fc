/**
 * The tags of the daemons of this node, for those who tell of a daemon and know no roster. Owns one entry per daemon
 * here, as the roster shows it; a daemon that is not here is read from the store.
 */
import { Context, Effect, Layer } from "effect"
import { type Tagged, type Tags, tagsOf } from "../../src/domain/daemon/tags.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { Daemons } from "../../src/store/daemons/daemons.ts"

export class DaemonTags extends Context.Service<
  DaemonTags,
  {
    /** A daemon of this node has these. */
    readonly shown: (daemonId: string, tagged: Tagged) => void
    /** A daemon is here no more. */
    readonly gone: (daemonId: string) => void
    /** Those that count, of a daemon of this node. */
    readonly here: (daemonId: string) => Tags | undefined
    /** The same of any daemon; a removed one has none. */
    readonly read: (daemonId: string) => Effect.Effect<Tags, StoreFailed>
  }
>()("hub/DaemonTags") {
  static readonly layer: Layer.Layer<DaemonTags, never, Daemons> = Layer.effect(
    DaemonTags,
    Effect.gen(function* () {
      const daemons = yield* Daemons
      const known = new Map<string, Tagged>()
      const here = (daemonId: string): Tags | undefined => {
        const tagged = known.get(daemonId)
        return tagged && tagsOf(tagged)
      }
      return DaemonTags.of({
        shown: (daemonId, tagged) => void known.set(daemonId, tagged),
        gone: (daemonId) => void known.delete(daemonId),
        here,
        read: (daemonId) =>
          Effect.suspend(() => {
            const tags = here(daemonId)
            return tags === undefined
              ? Effect.map(daemons.byId(daemonId), (found) => tagsOf(found ?? {}))
              : Effect.succeed(tags)
          })
      })
    })
  )
}
