/**
 * Download counts, collected in memory and written in batches. Owns the collecting; a crash loses at most one interval.
 */
import { Context, Effect, Layer } from "effect"
import type { Channel } from "../domain/registry/packages.ts"
import { downloadCountMillis, downloadCountsMax } from "../limits.ts"
import { flushEvery, logFailure } from "../runtime/repeat-every.ts"
import { type DownloadCount, Packages } from "../store/registry/packages.ts"

export class Downloads extends Context.Service<
  Downloads,
  { readonly count: (type: string, version: string, channel: Channel) => Effect.Effect<void> }
>()("hub/Downloads") {
  static readonly layer = Layer.effect(
    Downloads,
    Effect.gen(function* () {
      const packages = yield* Packages
      let waiting = new Map<string, DownloadCount>()
      const write = Effect.suspend(() => {
        if (waiting.size === 0) return Effect.void
        const batch = [...waiting.values()]
        waiting = new Map()
        return logFailure("download counts are lost", packages.countDownloads(batch))
      })
      yield* flushEvery(downloadCountMillis, "download counts are lost", write)
      return Downloads.of({
        count: (type, version, channel) =>
          Effect.suspend(() => {
            const key = `${channel} ${type} ${version}`
            const count = (waiting.get(key)?.count ?? 0) + 1
            waiting.set(key, { type, version, channel, count })
            return waiting.size >= downloadCountsMax ? write : Effect.void
          })
      })
    })
  )
}
