/** Who listens on this node. Owns the sets of listeners; one that throws is counted and does not keep the others from hearing. */
import { Effect, type Scope } from "effect"
import { count } from "../telemetry.ts"

type Listener<A> = (said: A) => void

/** Listeners by name of what they listen to. */
export interface Listeners<A> {
  /** Tells all who listen to this name. */
  readonly tell: (name: string, said: A) => void
  /** Listens until the scope closes. */
  readonly add: (name: string, listener: Listener<A>) => Effect.Effect<void, never, Scope.Scope>
}

/** Nobody listens yet. */
export const makeListeners = <A>(): Effect.Effect<Listeners<A>> =>
  Effect.map(Effect.context<never>(), (context) => {
    const run = Effect.runForkWith(context)
    const heard = new Map<string, Set<Listener<A>>>()
    return {
      tell: (name, said) => {
        for (const listener of heard.get(name) ?? []) {
          try {
            listener(said)
          } catch (defect) {
            count("hub_bus_dropped_total")
            run(Effect.logError("a listener of the bus threw", name, defect))
          }
        }
      },
      add: (name, listener) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => {
              const listeners = heard.get(name) ?? new Set()
              heard.set(name, listeners.add(listener))
            }),
            () => Effect.sync(() => heard.get(name)?.delete(listener))
          )
        )
    }
  })
