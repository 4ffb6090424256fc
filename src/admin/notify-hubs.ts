/**
 * How a command that works on the stores itself tells the hubs that run what it changed: over Redis, for this one
 * command. Owns the line and the wait until the word has gone out; says nothing in the log, which belongs to hubs.
 */
import { Context, Deferred, Effect, Layer, Logger, Option } from "effect"
import type { Bus } from "../bus/bus.ts"
import { layerRedis } from "../bus/layer.ts"
import { RedisTransport } from "../bus/redis-transport.ts"
import { adminToldMillisMax } from "../limits/admin.ts"

const kind = "command said"

/** A line for one command. */
export interface Telling {
  readonly bus: Layer.Layer<Bus>
  /** Waits until all that was published has come back from Redis, and so went to every hub; false when it does not. */
  readonly heard: Effect.Effect<boolean>
}

/**
 * Opens a line to this Redis, for hubs of this secret key, until the scope closes. One that does not answer is no
 * failure: `heard` tells.
 */
export const telling = Effect.fnUntraced(function* (redisUrl: string, secretKey: Uint8Array) {
  const context = yield* Effect.provide(Layer.build(RedisTransport.layer(redisUrl, secretKey)), Logger.layer([]))
  const wire = Context.get(context, RedisTransport)
  const back = yield* Deferred.make<void>()
  yield* wire.hear(kind, ({ from }) => {
    if (from === wire.node) Deferred.doneUnsafe(back, Effect.void)
  })
  return {
    bus: Layer.provide(layerRedis, Layer.succeedContext(context)),
    // What one says on a channel arrives in the order in which it was said.
    heard: Effect.gen(function* () {
      wire.tellAll(kind, "true")
      return Option.isSome(yield* Effect.timeoutOption(Deferred.await(back), adminToldMillisMax))
    })
  } satisfies Telling
})
