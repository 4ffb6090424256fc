/**
 * The bus of a hub of many nodes: the wire carries each message to the others, this node hears it at once. Owns the
 * form of the messages between nodes.
 */
import { Effect, Layer } from "effect"
import { Config } from "../config.ts"
import { Bus, type Topic, type Topics } from "./bus.ts"
import { makeListeners } from "./listeners.ts"
import { layerMemory } from "./memory.ts"
import { RedisTransport } from "./redis-transport.ts"

const kindOf = (topic: string): string => `topic ${topic}`

const make = Effect.gen(function* () {
  const wire = yield* RedisTransport
  const here = yield* makeListeners<never>()
  return Bus.of({
    publish: <T extends Topic>(topic: T, message: Topics[T]) => {
      here.tell(topic, message as never)
      wire.tellAll(kindOf(topic), JSON.stringify(message))
    },
    subscribe: <T extends Topic>(topic: T, listener: (message: Topics[T]) => void) =>
      Effect.andThen(
        here.add(topic, listener),
        wire.hear(kindOf(topic), ({ from, message }) => {
          if (from !== wire.node) listener(message as Topics[T])
        })
      ),
    gaps: wire.gaps
  })
})

/** Many nodes, over a wire. */
export const layerRedis: Layer.Layer<Bus, never, RedisTransport> = Layer.effect(Bus, make)

/** The bus of the settings: in memory unless a Redis is named. */
export const layerBus: Layer.Layer<Bus, never, Config> = Layer.unwrap(
  Effect.map(Config, ({ redisUrl, secretKey }) =>
    redisUrl === undefined ? layerMemory : Layer.provideMerge(layerRedis, RedisTransport.layer(redisUrl, secretKey))
  )
)
