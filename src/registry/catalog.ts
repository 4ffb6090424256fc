/**
 * Caches the registry's metadata: rendered once with its ETag, kept in memory, voided when a package of that type
 * changes on any node. Owns that cache; a hit costs no statement.
 */
import { createHash } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../bus/bus.ts"
import {
  type Channel,
  isIn,
  isPackageType,
  isPackageVersion,
  type Package,
  packageRecord
} from "../domain/registry/packages.ts"
import { NotFound, type StoreFailed } from "../errors.ts"
import { catalogBytesMax, catalogEntriesMax, catalogMillisMax } from "../limits.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { singleFlight } from "../runtime/single-flight.ts"
import { Packages } from "../store/registry/packages.ts"

/** JSON as it is sent, and its strong ETag with quotes. The same object as long as it is kept. */
export interface Rendered {
  readonly bytes: Buffer
  readonly etag: string
}

/** Which bytes a version is. */
export interface ArtifactOf {
  readonly digest: string
  readonly size: number
}

interface Kept extends Rendered {
  readonly until: number
}

const render = (value: unknown, until: number): Kept => {
  const bytes = Buffer.from(JSON.stringify(value))
  return { bytes, until, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"` }
}

/** The catalog. */
export class Catalog extends Context.Service<
  Catalog,
  {
    /** `{channel, providers: [newest of each type], nextCursor?}`; `after` is the last type of the page before. */
    readonly list: (channel: Channel, after: string | undefined, limit: number) => Effect.Effect<Rendered, StoreFailed>
    /** `{channel, type, latest, versions}`. */
    readonly type: (channel: Channel, type: string) => Effect.Effect<Rendered, NotFound | StoreFailed>
    /** The record of one version. */
    readonly version: (
      channel: Channel,
      type: string,
      version: string
    ) => Effect.Effect<Rendered, NotFound | StoreFailed>
    /** What a download of one version sends: digest in hex and size in bytes. */
    readonly artifact: (
      channel: Channel,
      type: string,
      version: string
    ) => Effect.Effect<ArtifactOf, NotFound | StoreFailed>
  }
>()("hub/Catalog") {
  static readonly layer = Layer.effect(
    Catalog,
    Effect.gen(function* () {
      const packages = yield* Packages
      const bus = yield* Bus
      const clock = yield* Clock.Clock
      const kept = new LRUCache<string, Kept>({
        max: catalogEntriesMax,
        maxSize: catalogBytesMax,
        sizeCalculation: ({ bytes }) => bytes.byteLength
      })
      // grows with each change: what was read before a change and is rendered after it is not kept
      let changes = 0
      const flight = singleFlight<Rendered, NotFound | StoreFailed>()
      yield* bus.subscribe("package_changed", ({ type }) => {
        changes += 1
        flight.forget()
        for (const key of kept.keys()) if (key.startsWith("list ") || key.startsWith(`type ${type} `)) kept.delete(key)
      })
      yield* bus.gaps(() => {
        changes += 1
        flight.forget()
        kept.clear()
      })
      /**
       * What is kept under this key, at once, so that most answers need no fiber; else what is read now. Only shapes
       * that hold no space are ever kept, so no misshapen text can have the key of another.
       */
      const through = <E extends NotFound | StoreFailed>(
        key: string,
        read: () => Effect.Effect<unknown, E>
      ): Effect.Effect<Rendered, E> => {
        const entry = kept.get(key)
        if (entry !== undefined && entry.until > monotonicMillis(clock)) return Effect.succeed(entry)
        return Effect.suspend(() => {
          const before = changes
          const made = Effect.map(read(), (value) => {
            const rendered = render(value, monotonicMillis(clock) + catalogMillisMax)
            if (changes === before) kept.set(key, rendered)
            return rendered
          })
          // a key belongs to one kind of read, and so does its failure
          return flight.ask(key, made) as Effect.Effect<Rendered, E>
        })
      }
      /** The package of a version in a channel; what cannot be one is not looked for. */
      const find = (channel: Channel, type: string, version: string): Effect.Effect<Package, NotFound | StoreFailed> =>
        isPackageType(type) && isPackageVersion(version)
          ? Effect.flatMap(packages.get(type, version), (one) =>
              one === undefined || !isIn(channel, one) ? Effect.fail(new NotFound()) : Effect.succeed(one)
            )
          : Effect.fail(new NotFound())
      // a version never gets other bytes and never leaves a channel it was in, so these never grow old
      const artifacts = new LRUCache<string, ArtifactOf>({ max: catalogEntriesMax })
      return Catalog.of({
        artifact: (channel, type, version) =>
          Effect.suspend(() => {
            const key = `${channel} ${type} ${version}`
            const found = artifacts.get(key)
            if (found !== undefined) return Effect.succeed(found)
            return Effect.map(find(channel, type, version), ({ digest, size }): ArtifactOf => {
              const made = { digest, size }
              artifacts.set(key, made)
              return made
            })
          }),
        list: (channel, after, limit) =>
          through(`list ${channel} ${limit} ${after ?? ""}`, () =>
            Effect.map(packages.newest(channel, after, limit + 1), (found) => {
              const page = found.slice(0, limit)
              const providers = page.map((one) => packageRecord(channel, one))
              const last = page.at(-1)
              return found.length > limit && last !== undefined
                ? { channel, providers, nextCursor: Buffer.from(last.type).toString("base64url") }
                : { channel, providers }
            })
          ),
        type: (channel, type) =>
          through(`type ${type} ${channel}`, (): Effect.Effect<unknown, NotFound | StoreFailed> => {
            if (!isPackageType(type)) return Effect.fail(new NotFound())
            return Effect.flatMap(packages.versions(type, channel), (found) => {
              if (found.length === 0) return Effect.fail(new NotFound())
              const latest = found.find((one) => one.yankedAt[channel] === undefined)
              return Effect.succeed({
                channel,
                type,
                latest: latest?.version ?? null,
                versions: found.map((one) => packageRecord(channel, one))
              })
            })
          }),
        version: (channel, type, version) =>
          through(`type ${type} ${channel} ${version}`, () =>
            Effect.map(find(channel, type, version), (one) => packageRecord(channel, one))
          )
      })
    })
  )
}
