/**
 * Who listens on this node. Owns the sets of listeners; one that throws is counted and does not keep the others from
 * hearing.
 */
import { Clock, Effect, type Scope } from "effect"
import { busDefectLogMillis } from "../limits/nodes.ts"
import { count } from "../runtime/metrics.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"

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
  Effect.map(Effect.all([Effect.context<never>(), Clock.Clock]), ([context, clock]) => {
    const run = Effect.runForkWith(context)
    const heard = new Map<string, Set<Listener<A>>>()
    let loggedAt = Number.NEGATIVE_INFINITY
    /** What no listener of this version can read may come without end: each is counted, one a while is logged. */
    const threw = (name: string, defect: unknown): void => {
      count("hub_bus_dropped_total")
      const now = monotonicMillis(clock)
      if (now - loggedAt < busDefectLogMillis) return
      loggedAt = now
      run(Effect.logError("a listener of the bus threw", name, defect))
    }
    return {
      tell: (name, said) => {
        for (const listener of heard.get(name) ?? []) {
          try {
            listener(said)
          } catch (defect) {
            threw(name, defect)
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
