/**
 * Caches the registry's metadata: rendered once with its ETag, kept in memory, voided when a package of that type
 * changes on any node, and beside it the category of each type. Owns these caches; a hit costs no statement.
 */
import { createHash } from "node:crypto"
import { Cause, Clock, Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../bus/bus.ts"
import {
  type Channel,
  isIn,
  isPackageType,
  isPackageVersion,
  type Package,
  packageJson
} from "../domain/registry/packages.ts"
import { NotFound, type StoreFailed } from "../errors.ts"
import { catalogBytesMax, catalogEntriesMax, catalogMillisMax } from "../limits.ts"
import { entriesAtMost } from "../runtime/entries-at-most.ts"
import { makeInvalidatingCache } from "../runtime/invalidating-cache.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { singleFlight } from "../runtime/single-flight.ts"
import { afterByClock, failureLog, kindOf } from "../runtime/throttled-log.ts"
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

const render = (json: string): Rendered => {
  const bytes = Buffer.from(json)
  return { bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"` }
}

/** A list as JSON. `first`: the members before it. */
const listed = (
  first: object,
  name: string,
  channel: Channel,
  all: ReadonlyArray<Package>,
  cursor?: string | undefined
): string => {
  const end = cursor === undefined ? "]}" : `],"nextCursor":${JSON.stringify(cursor)}}`
  return `${JSON.stringify(first).slice(0, -1)},"${name}":[${all.map((one) => packageJson(channel, one)).join(",")}${end}`
}

const lists = "list"

/** What a key's value depends on: the lists on all packages, everything else on those of its type. */
const dependencyOf = (key: string): string => {
  const [kind, type] = key.split(" ")
  return kind === lists ? lists : `type ${type}`
}

/** The category of a type, for launching one that a daemon does not list. A failing store counts as no answer. */
const makeCategories = Effect.gen(function* () {
  const packages = yield* Packages
  const bus = yield* Bus
  const kept = makeInvalidatingCache<string | undefined>({
    max: catalogEntriesMax,
    now: () => 0,
    lifeOf: () => Number.POSITIVE_INFINITY,
    dependenciesOf: (_, type) => [type]
  })
  const failures = yield* failureLog<Cause.Cause<unknown>>(yield* afterByClock, (cause, heldBack) =>
    Effect.logWarning("a provider's category could not be read", { heldBack }, cause)
  )
  yield* bus.subscribe("package_changed", ({ type }) => kept.change(type))
  yield* bus.gaps(kept.clear)
  return (type: string) =>
    Effect.suspend(() => {
      if (!isPackageType(type)) return Effect.succeed(undefined)
      const known = kept.find(type)
      if (known !== undefined) return Effect.succeed(known.value)
      return kept.lookUp(type, packages.category(type)).pipe(
        Effect.catchTag("StoreFailed", (failure) => {
          const cause = Cause.fail(failure)
          failures.add(kindOf(cause), cause)
          return Effect.succeed(undefined)
        })
      )
    })
})

const make = Effect.gen(function* () {
  const packages = yield* Packages
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const cache = makeInvalidatingCache<Rendered>({
    max: catalogEntriesMax,
    maxSize: catalogBytesMax,
    sizeOf: ({ bytes }) => bytes.byteLength,
    now: () => monotonicMillis(clock),
    lifeOf: () => catalogMillisMax,
    dependenciesOf: (_, key) => [dependencyOf(key)]
  })
  const flight = singleFlight<Rendered, NotFound | StoreFailed>()
  yield* bus.subscribe("package_changed", ({ type }) => {
    cache.change(lists)
    cache.change(`type ${type}`)
  })
  yield* bus.gaps(cache.clear)
  /**
   * Only shapes without a space are ever kept, so no misshapen text can have the key of another. What is at hand
   * needs no fiber (`hub bench registry`).
   */
  const through = <E extends NotFound | StoreFailed>(
    key: string,
    read: () => Effect.Effect<string, E>
  ): Effect.Effect<Rendered, E> => {
    const entry = cache.find(key)
    if (entry !== undefined) return Effect.succeed(entry.value)
    const rendered = cache.lookUp(key, Effect.map(Effect.suspend(read), render))
    // a key belongs to one kind of read, and so does its failure
    return flight.ask(key, rendered) as Effect.Effect<Rendered, E>
  }
  /** The package of a version in a channel; what cannot be one is not looked for. */
  const find = (channel: Channel, type: string, version: string): Effect.Effect<Package, NotFound | StoreFailed> =>
    isPackageType(type) && isPackageVersion(version)
      ? Effect.flatMap(packages.get(type, version), (one) =>
          one === undefined || !isIn(channel, one) ? Effect.fail(new NotFound()) : Effect.succeed(one)
        )
      : Effect.fail(new NotFound())
  // a version never gets other bytes and never leaves a channel it was in, so these never grow old
  const artifacts = new LRUCache<string, ArtifactOf>(entriesAtMost(catalogEntriesMax))
  return {
    /** The category of a type. Undefined: it has none, or cannot be read, and the daemon decides. */
    category: yield* makeCategories,
    /** What a download of one version sends: digest in hex and size in bytes. */
    artifact: (channel: Channel, type: string, version: string) =>
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
    /** `{channel, providers: [newest of each type], nextCursor?}`; `after` is the last type of the page before. */
    list: (channel: Channel, after: string | undefined, limit: number) =>
      through(`list ${channel} ${limit} ${after ?? ""}`, () =>
        Effect.map(packages.newest(channel, after, limit + 1), (found) => {
          const page = found.slice(0, limit)
          const last = found.length > limit ? page.at(-1) : undefined
          const cursor = last && Buffer.from(last.type).toString("base64url")
          return listed({ channel }, "providers", channel, page, cursor)
        })
      ),
    /** `{channel, type, latest, versions}`. */
    type: (channel: Channel, type: string) =>
      through(`type ${type} ${channel}`, (): Effect.Effect<string, NotFound | StoreFailed> => {
        if (!isPackageType(type)) return Effect.fail(new NotFound())
        return Effect.flatMap(packages.versions(type, channel), ({ latest, versions }) =>
          versions.length === 0
            ? Effect.fail(new NotFound())
            : Effect.succeed(listed({ channel, type, latest }, "versions", channel, versions))
        )
      }),
    /** The record of one version. */
    version: (channel: Channel, type: string, version: string) =>
      through(`type ${type} ${channel} ${version}`, () =>
        Effect.map(find(channel, type, version), (one) => packageJson(channel, one))
      )
  }
})

export class Catalog extends Context.Service<Catalog, Effect.Success<typeof make>>()("hub/Catalog") {
  static readonly layer = Layer.effect(Catalog, make)
}
