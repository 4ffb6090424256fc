/**
 * A world's node as one of two: its bus goes over a line to a Redis that is a model, and its neighbour, which has no
 * daemons, hears all it says. Owns that set-up; asserts nothing.
 */
import { Context, Effect, Layer } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import { layerRedis } from "../../src/bus/layer.ts"
import { RedisTransport } from "../../src/bus/redis-transport.ts"
import type { makeWorld, Told } from "./daemon-services.ts"
import { makeVirtualWires } from "./virtual-bus.ts"

type World = ReturnType<typeof makeWorld>

const two = (world: World) =>
  Effect.gen(function* () {
    const { make } = yield* makeVirtualWires
    const node = (name: string, told: Told) =>
      Layer.build(world.node(told, Layer.provideMerge(layerRedis, Layer.succeed(RedisTransport, make(name).wire)), {}))
    return { here: yield* node("here", world.told), neighbour: yield* node("neighbour", { log: [], reported: [] }) }
  })

/** The node that has the daemons. */
export const amongOthers = (world: World) => Layer.effectContext(Effect.map(two(world), ({ here }) => here))

/** The same, but whoever asks for a daemon asks its neighbour. */
export const askedElsewhere = (world: World) =>
  Layer.effectContext(
    Effect.map(two(world), ({ here, neighbour }) => Context.add(here, Directory, Context.get(neighbour, Directory)))
  )
