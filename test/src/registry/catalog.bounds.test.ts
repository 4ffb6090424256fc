/** How much of the registry a node keeps, in memory and on disk, and what goes when there is more. */
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, ManagedRuntime } from "effect"
import { describe, expect } from "vitest"
import { layerMemory } from "../../../src/bus/memory.ts"
import type { Package } from "../../../src/domain/registry/packages.ts"
import { artifactCacheBytesMax, catalogBytesMax, catalogEntriesMax, downloadCountsMax } from "../../../src/limits.ts"
import { Artifacts } from "../../../src/registry/artifacts.ts"
import { Catalog } from "../../../src/registry/catalog.ts"
import { Downloads } from "../../../src/registry/downloads.ts"
import { Packages } from "../../../src/store/registry/packages.ts"
import { it } from "../../support/effect-test.ts"

const packageOf = (type: string, version: string, manifest?: string): Package => ({
  type,
  version,
  category: "cli",
  name: undefined,
  displayName: undefined,
  description: undefined,
  manifest,
  digest: "ab".repeat(32),
  size: 1,
  publishedAt: 0,
  publishedBy: "acc_a",
  promotedAt: 0,
  yankedAt: { preview: undefined, stable: undefined },
  downloads: { preview: 0, stable: 0 }
})

/** A store that has whatever is asked for, and counts how often. `manifest`: of each version in a list. */
const world = (manifest?: string) => {
  const store = { reads: 0, counted: [] as Array<number> }
  const read = <A>(give: () => A) =>
    Effect.sync(() => {
      store.reads++
      return give()
    })
  const packages = Layer.mock(Packages, {
    get: (type, version) => read(() => packageOf(type, version)),
    versions: (type) => read(() => ({ latest: "1.0.0", versions: [packageOf(type, "1.0.0", manifest)] })),
    category: () => read(() => "cli"),
    countDownloads: (counts) => Effect.sync(() => void store.counted.push(counts.length))
  })
  const above = Layer.mergeAll(Catalog.layer, Downloads.layer)
  return { store, layer: above.pipe(Layer.provide(Layer.merge(packages, layerMemory))) }
}

/**
 * Asks for as many as are kept, the first again, one more, and the first two again: how often the store was read each
 * time.
 */
const readsPast = Effect.fnUntraced(function* (
  store: { reads: number },
  most: number,
  ask: (nth: number) => Effect.Effect<unknown, unknown>
) {
  const reads: Array<number> = []
  const read = (...which: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      store.reads = 0
      for (const nth of which) yield* ask(nth)
      reads.push(store.reads)
    })
  yield* read(...Array(most).keys())
  yield* read(0)
  yield* read(most)
  yield* read(0)
  yield* read(1)
  return reads
})
const oneGoes = (most: number) => [most, 0, 1, 0, 1]

describe("the catalog", () => {
  const answers = world()
  it.effect(`keeps ${catalogEntriesMax} answers; with one more the least used goes`, () =>
    Effect.gen(function* () {
      const { version } = yield* Catalog
      const ask = (nth: number) => version("stable", "kit", `1.0.${nth}`)
      expect(yield* readsPast(answers.store, catalogEntriesMax, ask)).toEqual(oneGoes(catalogEntriesMax))
    }).pipe(Effect.provide(answers.layer))
  )

  const digests = world()
  it.effect(`keeps which bytes ${catalogEntriesMax} versions are; with one more the least used goes`, () =>
    Effect.gen(function* () {
      const { artifact } = yield* Catalog
      const ask = (nth: number) => artifact("stable", "kit", `1.0.${nth}`)
      expect(yield* readsPast(digests.store, catalogEntriesMax, ask)).toEqual(oneGoes(catalogEntriesMax))
    }).pipe(Effect.provide(digests.layer))
  )

  const large = 8
  const share = world("m".repeat(catalogBytesMax / large - 10_000))
  it.effect(`keeps ${catalogBytesMax} bytes of answers; with more the least used goes`, () =>
    Effect.gen(function* () {
      const { type } = yield* Catalog
      const ask = (nth: number) => type("stable", `kit${nth}`)
      expect(yield* readsPast(share.store, large, ask)).toEqual(oneGoes(large))
    }).pipe(Effect.provide(share.layer))
  )
})

describe("what a provider type is", () => {
  const types = world()
  it.effect(`is remembered of ${catalogEntriesMax} types; with one more the least used is read again`, () =>
    Effect.gen(function* () {
      const { category } = yield* Catalog
      const ask = (nth: number) => category(`kit${nth}`)
      expect(yield* readsPast(types.store, catalogEntriesMax, ask)).toEqual(oneGoes(catalogEntriesMax))
    }).pipe(Effect.provide(types.layer))
  )
})

describe("download counts", () => {
  const counts = world()
  it.effect(`of ${downloadCountsMax} packages are written at once, of fewer when their time comes`, () =>
    Effect.gen(function* () {
      const { count } = yield* Downloads
      counts.store.counted.length = 0
      for (let nth = 1; nth < downloadCountsMax; nth++) yield* count("kit", `1.0.${nth}`, "stable")
      expect(counts.store.counted).toEqual([])
      yield* count("kit", "1.0.0", "stable")
      expect(counts.store.counted).toEqual([downloadCountsMax])
    }).pipe(Effect.provide(counts.layer))
  )
})

it.live(
  `the artifacts on a node's disk are ${artifactCacheBytesMax} bytes together; with more the one that was kept first goes`,
  () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "hub-bounds-"))
      const shares = 4
      // holes: they have the size and take no room
      const paths = Array.from({ length: shares + 1 }, (_, nth) => join(folder, `${nth}`.repeat(64)))
      for (const path of paths) {
        writeFileSync(path, "")
        truncateSync(path, artifactCacheBytesMax / shares)
      }
      const packages = Layer.mock(Packages, {})
      const runtime = ManagedRuntime.make(Artifacts.layer(folder).pipe(Layer.provide(packages)))
      yield* Effect.promise(() => runtime.runPromise(Artifacts))
      expect(paths.filter((path) => existsSync(path))).toHaveLength(shares)
      yield* Effect.promise(() => runtime.dispose())
      rmSync(folder, { recursive: true, force: true })
    })
)
