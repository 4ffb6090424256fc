/**
 * The category of a provider type by the registry, for launching a type that a daemon does not list. Owns a bounded
 * cache, voided when the type changes. A failing store counts as no answer.
 */
import { Cause, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../bus/bus.ts"
import { Categories } from "../domain/registry/categories.ts"
import { isPackageType } from "../domain/registry/packages.ts"
import { catalogEntriesMax } from "../limits.ts"
import { entriesAtMost } from "../runtime/entries-at-most.ts"
import { afterByClock, failureLog, kindOf } from "../runtime/throttled-log.ts"
import { Packages } from "../store/registry/packages.ts"

/** Categories from the published packages. */
export const registryCategories = Layer.effect(
  Categories,
  Effect.gen(function* () {
    const packages = yield* Packages
    const bus = yield* Bus
    const kept = new LRUCache<string, { readonly category: string | undefined }>({
      ...entriesAtMost(catalogEntriesMax)
    })
    const failures = yield* failureLog<Cause.Cause<unknown>>(yield* afterByClock, (cause, heldBack) =>
      Effect.logWarning("a provider's category could not be read", { heldBack }, cause)
    )
    yield* bus.subscribe("package_changed", ({ type }) => void kept.delete(type))
    yield* bus.gaps(() => kept.clear())
    return (type: string) =>
      Effect.suspend(() => {
        if (!isPackageType(type)) return Effect.succeed(undefined)
        const known = kept.get(type)
        if (known !== undefined) return Effect.succeed(known.category)
        return packages.category(type).pipe(
          Effect.tap((category) => Effect.sync(() => kept.set(type, { category }))),
          Effect.catchTag("StoreFailed", (failure) => {
            const cause = Cause.fail(failure)
            failures.add(kindOf(cause), cause)
            return Effect.succeed(undefined)
          })
        )
      })
  })
)
