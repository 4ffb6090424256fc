/** The registry's metadata in memory: what it spares the store, and when it is read again. */
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import type { Package } from "../../../src/domain/registry/packages.ts"
import { catalogMillisMax } from "../../../src/limits.ts"
import { Catalog } from "../../../src/registry/catalog.ts"
import { Packages } from "../../../src/store/registry/packages.ts"
import { it } from "../../support/effect-test.ts"

const one: Package = {
  type: "kit",
  version: "1.0.0",
  category: undefined,
  name: undefined,
  displayName: undefined,
  description: undefined,
  manifest: undefined,
  digest: "ab".repeat(32),
  size: 1,
  publishedAt: 0,
  publishedBy: "acc_a",
  promotedAt: 0,
  yankedAt: { preview: undefined, stable: undefined },
  downloads: { preview: 0, stable: 0 }
}

/** A store with one package, which counts its reads and answers when the gate is open. */
const world = () => {
  const store = { reads: 0, now: one, gate: Effect.void as Effect.Effect<void> }
  const read = <A>(give: () => A) =>
    Effect.gen(function* () {
      store.reads += 1
      const given = give()
      yield* store.gate
      return given
    })
  const packages = {
    get: (type: string) => read(() => (type === "kit" ? store.now : undefined)),
    versions: () => read(() => ({ latest: store.now.version, versions: [store.now] })),
    category: () => read(() => store.now.category),
    newest: () => read(() => [store.now])
  } as unknown as Packages["Service"]
  const layer = Catalog.layer.pipe(Layer.provideMerge(layerMemory), Layer.provide(Layer.succeed(Packages, packages)))
  return { store, layer }
}
const every = Effect.gen(function* () {
  const catalog = yield* Catalog
  const list = yield* catalog.list("stable", undefined, 50)
  const type = yield* catalog.type("stable", "kit")
  const version = yield* catalog.version("stable", "kit", "1.0.0")
  return [list, type, version].map(({ etag }) => etag)
})

describe("the catalog", () => {
  it.effect("answers from memory for a minute, and reads once more after it", () => {
    const { store, layer } = world()
    return Effect.gen(function* () {
      const first = yield* every
      for (let at = 0; at < 100; at++) expect(yield* every).toEqual(first)
      yield* TestClock.adjust(catalogMillisMax - 1)
      yield* every
      expect(store.reads).toBe(3)
      yield* TestClock.adjust(1)
      expect(yield* every).toEqual(first)
      expect(store.reads).toBe(6)
    }).pipe(Effect.provide(layer))
  })

  it.effect("passes a manifest on as the text it was published as, in every answer", () => {
    const { store, layer } = world()
    const manifest = '{"n":1.0,"n":2}'
    store.now = { ...one, manifest }
    return Effect.gen(function* () {
      const catalog = yield* Catalog
      for (const read of [
        catalog.list("stable", undefined, 50),
        catalog.type("stable", "kit"),
        catalog.version("stable", "kit", "1.0.0")
      ]) {
        const text = String((yield* read).bytes)
        expect(text).toContain(`"description":null,"manifest":${manifest},"digest"`)
        expect(() => JSON.parse(text)).not.toThrow()
      }
    }).pipe(Effect.provide(layer))
  })

  it.effect("drops what it keeps of a type, and every list, when any node says that the type changed", () => {
    const { store, layer } = world()
    return Effect.gen(function* () {
      const bus = yield* Bus
      const first = yield* every
      store.now = { ...one, yankedAt: { preview: undefined, stable: 1 } }
      expect(yield* every).toEqual(first)
      bus.publish("package_changed", { type: "kit" })
      const second = yield* every
      for (const [at, etag] of second.entries()) expect(etag).not.toBe(first[at])
      expect(store.reads).toBe(6)
      bus.publish("package_changed", { type: "another" })
      yield* every
      expect(store.reads).toBe(7) // the list alone
    }).pipe(Effect.provide(layer))
  })

  it.effect("reads once for all who ask at the same time, and once more for all of them after a change", () => {
    const { store, layer } = world()
    return Effect.gen(function* () {
      const catalog = yield* Catalog
      const bus = yield* Bus
      const gate = yield* Deferred.make<void>()
      store.gate = Deferred.await(gate)
      const ask = Effect.forkChild(catalog.type("stable", "kit"), { startImmediately: true })
      const early = yield* Effect.forEach(Array.from({ length: 50 }), () => ask)
      expect(store.reads).toBe(1)
      store.now = { ...one, yankedAt: { preview: undefined, stable: 1 } }
      bus.publish("package_changed", { type: "kit" })
      const late = yield* ask
      yield* Deferred.succeed(gate, undefined)
      const [before, after] = [yield* Fiber.join(early[0]!), yield* Fiber.join(late)]
      expect(JSON.parse(String(after.bytes)).versions[0].yanked).toBe(true)
      expect(before).toBe(after)
      expect(yield* catalog.type("stable", "kit")).toBe(after)
      expect(store.reads).toBe(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("reads once more what a provider type is where that changes while it is read", () => {
    const { store, layer } = world()
    return Effect.gen(function* () {
      const catalog = yield* Catalog
      const gate = yield* Deferred.make<void>()
      store.gate = Deferred.await(gate)
      const early = yield* Effect.forkChild(catalog.category("kit"), { startImmediately: true })
      store.now = { ...one, category: "cli" }
      const bus = yield* Bus
      bus.publish("package_changed", { type: "kit" })
      yield* Deferred.succeed(gate, undefined)
      expect([yield* Fiber.join(early), yield* catalog.category("kit")]).toEqual(["cli", "cli"])
      expect(store.reads).toBe(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("keeps no answer for what is not there", () => {
    const { store, layer } = world()
    return Effect.gen(function* () {
      const catalog = yield* Catalog
      for (let at = 0; at < 3; at++)
        expect((yield* Effect.flip(catalog.version("stable", "nothing", "1.0.0")))._tag).toBe("NotFound")
      expect(store.reads).toBe(3)
    }).pipe(Effect.provide(layer))
  })
})
