/**
 * A publisher's operations: publish to preview, promote, yank, take a yank back. Owns the rules between them and
 * notifies every node of changes; renders nothing.
 */
import { createHash } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { Bus } from "../bus/bus.ts"
import { type Channel, isIn } from "../domain/registry/packages.ts"
import { NotFound, PayloadTooLarge, StoreFailed, VersionExists, VersionYanked } from "../errors.ts"
import { artifactBytesMax } from "../limits.ts"
import { type PackageDraft, Packages } from "../store/registry/packages.ts"

/** A package to publish; without an artifact the manifest's bytes are the artifact. */
export type Publication = Omit<PackageDraft, "digest">

const make = Effect.gen(function* () {
  const packages = yield* Packages
  const bus = yield* Bus
  const must = Effect.fnUntraced(function* (type: string, version: string) {
    const found = yield* packages.get(type, version)
    return found ?? (yield* new NotFound())
  })
  const told = (type: string): void => bus.publish("package_changed", { type })
  return {
    publish: Effect.fnUntraced(function* (what: Publication) {
      if (what.artifact.byteLength > artifactBytesMax) return yield* new PayloadTooLarge({ limit: artifactBytesMax })
      const digest = createHash("sha256").update(what.artifact).digest("hex")
      const now = yield* Clock.currentTimeMillis
      const won = yield* packages.publish({ ...what, digest }, now)
      const found = yield* packages.get(what.type, what.version)
      if (found === undefined) {
        const cause = new Error("a version is taken and cannot be read")
        return yield* new StoreFailed({ operation: "publish a package", cause })
      }
      if (won) told(what.type)
      else if (found.digest !== digest) return yield* new VersionExists()
      else if (found.yankedAt.preview !== undefined) return yield* new VersionYanked()
      return { status: won ? "published" : "already_published", package: found } as const
    }),
    promote: Effect.fnUntraced(function* (type: string, version: string) {
      const now = yield* Clock.currentTimeMillis
      const won = yield* packages.promote(type, version, now)
      const found = yield* must(type, version)
      if (won) told(type)
      else if (found.promotedAt === undefined || Object.values(found.yankedAt).some((at) => at !== undefined))
        return yield* new VersionYanked()
      return { status: won ? "promoted" : "already_promoted", package: found } as const
    }),
    yank: Effect.fnUntraced(function* (type: string, version: string, channel: Channel) {
      const now = yield* Clock.currentTimeMillis
      if (yield* packages.yank(type, version, channel, now)) told(type)
      const found = yield* must(type, version)
      return isIn(channel, found) ? found : yield* new NotFound()
    }),
    restore: Effect.fnUntraced(function* (type: string, version: string, channel: Channel) {
      if (yield* packages.restore(type, version, channel)) told(type)
      const found = yield* must(type, version)
      return isIn(channel, found) ? found : yield* new NotFound()
    })
  }
})

export class Publisher extends Context.Service<Publisher, Effect.Success<typeof make>>()("hub/Publisher") {
  static readonly layer = Layer.effect(Publisher, make)
}
