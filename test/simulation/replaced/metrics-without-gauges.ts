/**
 * The metrics of the product without readers of gauges: each reader holds a whole node, and the nodes of a world that
 * is over are never closed. Owns that nothing is registered; module-hooks.ts puts it in the place of the metrics.
 */
import { Effect } from "effect"
import type * as product from "../../../src/runtime/metrics.ts"

export * from "../../../src/runtime/metrics.ts"

/** Registers nothing. */
export const watch: typeof product.watch = () => () => undefined

/** Registers nothing. */
export const watchInScope: typeof product.watchInScope = () => Effect.void
