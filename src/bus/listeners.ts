/**
 * The listeners of this node, by name. Owns these sets. A listener that throws is counted and does not stop the others.
 */
import { Clock, Effect, type Scope } from "effect"
import { busDefectLogMillis } from "../limits/nodes.ts"
import { count } from "../runtime/metrics.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"

type Listener<A> = (said: A) => void

export interface Listeners<A> {
  /** Calls all listeners of this name; false where there never was one. */
  readonly notify: (name: string, said: A) => boolean
  /** Adds a listener until the scope closes. */
  readonly add: (name: string, listener: Listener<A>) => Effect.Effect<void, never, Scope.Scope>
}

/** Makes an empty set of listeners. */
export const makeListeners = <A>(): Effect.Effect<Listeners<A>> =>
  Effect.map(Effect.all([Effect.context<never>(), Clock.Clock]), ([context, clock]) => {
    const run = Effect.runForkWith(context)
    const listenersOf = new Map<string, Set<Listener<A>>>()
    let loggedAt = Number.NEGATIVE_INFINITY
    /** A newer version may send without end what this one cannot read: each is counted, one per period is logged. */
    const reportDefect = (name: string, defect: unknown): void => {
      count("hub_bus_dropped_total")
      const now = monotonicMillis(clock)
      if (now - loggedAt < busDefectLogMillis) return
      loggedAt = now
      run(Effect.logError("a listener of the bus threw", name, defect))
    }
    return {
      notify: (name, said) => {
        const listeners = listenersOf.get(name)
        for (const listener of listeners ?? []) {
          try {
            listener(said)
          } catch (defect) {
            reportDefect(name, defect)
          }
        }
        return listeners !== undefined
      },
      add: (name, listener) =>
        Effect.asVoid(
          Effect.acquireRelease(
            Effect.sync(() => {
              const listeners = listenersOf.get(name) ?? new Set()
              listenersOf.set(name, listeners.add(listener))
            }),
            () => Effect.sync(() => listenersOf.get(name)?.delete(listener))
          )
        )
    }
  })
