/**
 * Tells running hubs, over Redis, what a command changed in the stores. Owns the connection of one command and the wait
 * until its messages are out; logs nothing, since the log belongs to hubs.
 */
import { Context, Deferred, Effect, Layer, Logger, Option } from "effect"
import type { Bus } from "../bus/bus.ts"
import { layerRedis } from "../bus/layer.ts"
import { RedisTransport } from "../bus/redis-transport.ts"
import { adminToldMillisMax } from "../limits/admin.ts"
import { NodeId } from "../runtime/node-id.ts"

const kind = "command said"

/** The connection of one command. */
export interface HubNotifications {
  readonly bus: Layer.Layer<Bus>
  /** Waits until Redis has returned all that was published, and so sent it to every hub; false when it does not. */
  readonly delivered: Effect.Effect<boolean>
}

/**
 * Connects to this Redis, for hubs with this secret key, until the scope closes. An unreachable Redis is no failure:
 * `delivered` tells.
 */
export const notifyHubs = Effect.fnUntraced(function* (redisUrl: string, secretKey: Uint8Array) {
  const transportLayer = Layer.provide(RedisTransport.layer(redisUrl, secretKey), NodeId.layer())
  const context = yield* Effect.provide(Layer.build(transportLayer), Logger.layer([]))
  const transport = Context.get(context, RedisTransport)
  const returned = yield* Deferred.make<void>()
  yield* transport.hear(kind, ({ from }) => {
    if (from === transport.node) Deferred.doneUnsafe(returned, Effect.void)
  })
  return {
    bus: Layer.provide(layerRedis, Layer.succeedContext(context)),
    // Messages of one sender on a channel arrive in the order they were sent.
    delivered: Effect.gen(function* () {
      transport.tellAll(kind, "true")
      return Option.isSome(yield* Effect.timeoutOption(Deferred.await(returned), adminToldMillisMax))
    })
  } satisfies HubNotifications
})
