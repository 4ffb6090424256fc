/**
 * The bus of a hub of one node. Owns the listeners of this process; a message is heard before `publish` returns. A
 * listener that throws is counted and does not keep the others from hearing.
 */
import { Effect, Layer } from "effect"
import { count } from "../telemetry.ts"
import { Bus, type Topic, type Topics } from "./bus.ts"

type Listener = (message: never) => void

/** One node. */
export const layerMemory: Layer.Layer<Bus> = Layer.effect(
  Bus,
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const heard = new Map<Topic, Set<Listener>>()

    const publish = <T extends Topic>(topic: T, message: Topics[T]): void => {
      for (const listener of heard.get(topic) ?? []) {
        try {
          listener(message as never)
        } catch (defect) {
          count("hub_bus_dropped_total")
          run(Effect.logError("a listener of the bus threw", topic, defect))
        }
      }
    }

    const subscribe = <T extends Topic>(topic: T, listener: (message: Topics[T]) => void) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => {
            const listeners = heard.get(topic) ?? new Set()
            heard.set(topic, listeners.add(listener as Listener))
          }),
          () => Effect.sync(() => heard.get(topic)?.delete(listener as Listener))
        )
      )

    return Bus.of({ publish, subscribe })
  })
)
