/**
 * The text that a scrape is answered with, as a service: this process alone, unless it is one of several workers, which
 * answer for all of them. Owns the port and its default.
 */
import { Context, Effect } from "effect"
import type { Overloaded } from "../errors.ts"
import { prometheus } from "./metrics.ts"

/** All metrics in the Prometheus text format. */
export const MetricsText = Context.Reference<Effect.Effect<string, Overloaded>>("hub/MetricsText", {
  defaultValue: () => Effect.sync(prometheus)
})
