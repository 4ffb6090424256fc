/** How long a start, and a command, wait for a Redis that is not there. */
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { freePort } from "../../../bench/servers/free-port.ts"
import { notifyHubs } from "../../../src/admin/notify-hubs.ts"
// what a start loads of it takes no virtual time: it is there before
import "../../../src/bus/redis-client.ts"
import { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { busStartMillisMax } from "../../../src/limits/nodes.ts"
import { adminToldMillisMax } from "../../../src/limits.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { it } from "../../support/effect-test.ts"

it.effect(
  `the start of a node whose Redis is away waits ${busStartMillisMax / 1_000} s, and goes on without it`,
  function* () {
    const port = yield* Effect.promise(() => freePort())
    const layer = Layer.provide(RedisTransport.layer(`redis://127.0.0.1:${port}/0`, new Uint8Array(32)), NodeId.layer())
    const started = yield* Effect.forkChild(Layer.build(layer), { startImmediately: true })
    yield* TestClock.adjust(busStartMillisMax - 1)
    expect(started.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    const wire = Context.get(yield* Fiber.join(started), RedisTransport)
    expect(wire.away()).toBe(true)
  }
)

it.effect(
  `a command whose Redis is away waits ${adminToldMillisMax / 1_000} s for what it told to come back, and says that it did not`,
  function* () {
    const port = yield* Effect.promise(() => freePort())
    const opened = yield* Effect.forkChild(notifyHubs(`redis://127.0.0.1:${port}/0`, new Uint8Array(32)), {
      startImmediately: true
    })
    yield* TestClock.adjust(busStartMillisMax)
    const { delivered } = yield* Fiber.join(opened)
    const waits = yield* Effect.forkChild(delivered, { startImmediately: true })
    yield* TestClock.adjust(adminToldMillisMax - 1)
    expect(waits.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    expect(yield* Fiber.join(waits)).toBe(false)
  }
)
