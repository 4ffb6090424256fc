/**
 * The bus of a hub of several nodes: Redis carries a message to the other nodes, and this node receives it at once.
 * Owns the mapping of topics to messages of the transport.
 */
import { Context, Effect, Layer } from "effect"
import { Config } from "../config.ts"
import { busSilenceMillisMax } from "../limits/nodes.ts"
import type { NodeId } from "../runtime/node-id.ts"
import { Bus, type Topic, type Topics } from "./bus.ts"
import { makeListeners } from "./listeners.ts"
import { layerMemory } from "./memory.ts"
import { RedisTransport } from "./redis-transport.ts"

const kindOf = (topic: string): string => `topic ${topic}`

const make = Effect.gen(function* () {
  const transport = yield* RedisTransport
  const localListeners = yield* makeListeners<never>()
  return Bus.of({
    publish: <T extends Topic>(topic: T, message: Topics[T]) => {
      localListeners.notify(topic, message as never)
      transport.tellAll(kindOf(topic), JSON.stringify(message))
    },
    subscribe: <T extends Topic>(topic: T, listener: (message: Topics[T]) => void) =>
      Effect.andThen(
        localListeners.add(topic, listener),
        transport.hear(kindOf(topic), ({ from, message }) => {
          if (from !== transport.node) listener(message as Topics[T])
        })
      ),
    gaps: transport.gaps
  })
})

/** The bus of several nodes, over Redis. */
export const layerRedis: Layer.Layer<Bus, never, RedisTransport> = Layer.effect(Bus, make)

/** After which silence a hub takes its Redis for away; what tests choose differently. */
export const BusSilence = Context.Reference<number>("hub/BusSilence", { defaultValue: () => busSilenceMillisMax })

/** The bus that the settings ask for: in memory unless REDIS_URL is set. */
export const layerBus: Layer.Layer<Bus, never, Config | NodeId> = Layer.unwrap(
  Effect.gen(function* () {
    const { redisUrl, secretKey } = yield* Config
    if (redisUrl === undefined) return layerMemory
    return Layer.provideMerge(layerRedis, RedisTransport.layer(redisUrl, secretKey, yield* BusSilence))
  })
)
