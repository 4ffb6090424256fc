/**
 * The bus of a hub of one node. Owns the listeners of this process. `publish` returns after every listener was called,
 * and no message is ever lost.
 */
import { Effect, Layer } from "effect"
import { Bus, type Topic, type Topics } from "./bus.ts"
import { makeListeners } from "./listeners.ts"

/** The bus of one node. */
export const layerMemory: Layer.Layer<Bus> = Layer.effect(
  Bus,
  Effect.map(makeListeners<never>(), (listeners) =>
    Bus.of({
      publish: <T extends Topic>(topic: T, message: Topics[T]) => listeners.notify(topic, message as never),
      subscribe: <T extends Topic>(topic: T, listener: (message: Topics[T]) => void) => listeners.add(topic, listener),
      gaps: () => Effect.void
    })
  )
)
