/**
 * The port by which the provider registry gives the category of a type. Without a registry the hub knows none, and the
 * daemon decides.
 */
import { Context, Effect } from "effect"

/**
 * The category of a provider type; undefined when the registry has none. It never fails: what is unknown is unknown.
 */
export const Categories = Context.Reference<(type: string) => Effect.Effect<string | undefined>>("hub/Categories", {
  defaultValue: () => () => Effect.succeed(undefined)
})
