/** A call whose credential changed while the store is away: no caller can be judged until it is back. */
import { Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { makeOpenCalls, OpenCall } from "../../../http/pipeline/open-calls.ts"
import type { RequestExchange } from "../../../http/pipeline/request-exchange.ts"
import { Authenticator } from "../../../src/auth/authenticator.ts"
import { CredentialWatch } from "../../../src/auth/credential-watch.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import type { Principal } from "../../../src/domain/account/principal.ts"
import { AuthInvalid, StoreFailed } from "../../../src/errors.ts"
import { openCallLookMillis, openCallsJudgedMax } from "../../../src/limits/gate.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { it } from "../../support/effect-test.ts"

const principal: Principal = {
  accountId: "acc_1",
  plan: "pro",
  role: "owner",
  admin: false,
  scopes: new Set(["ide:read"]),
  credential: { kind: "key", keyId: "key_1" }
}

it.effect("is looked at again until it is known, and then refused and interrupted, once", () => {
  const changes: Array<() => void> = []
  const world = { isAway: true, looks: 0 }
  const authenticator = {
    stands: () => true,
    authenticate: () => {
      world.looks++
      return Effect.fail(world.isAway ? new StoreFailed({ operation: "read", cause: "away" }) : new AuthInvalid())
    }
  } as unknown as Authenticator["Service"]
  const watch: CredentialWatch["Service"] = {
    watch: (_, changed) => {
      changes.push(changed)
      return () => {}
    }
  }
  return Effect.gen(function* () {
    const calls = yield* makeOpenCalls
    const told: Array<string> = []
    const exchange = { authorization: "Bearer k", cancel: () => void told.push("cancelled") } as RequestExchange
    const call = new OpenCall(exchange, principal, (_, failure) => void told.push(failure._tag))
    calls.add(call)
    yield* TestClock.adjust(openCallLookMillis)
    changes[0]!()
    yield* TestClock.adjust(3 * openCallLookMillis)
    expect([told, world.looks]).toEqual([[], 4])
    world.isAway = false
    yield* TestClock.adjust(openCallLookMillis)
    expect(told).toEqual(["AuthInvalid", "cancelled"])
    calls.remove(call)
    yield* TestClock.adjust(10 * openCallLookMillis)
    expect(world.looks).toBe(5)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.mergeAll(
        Layer.succeed(Authenticator, authenticator),
        Layer.succeed(CredentialWatch, watch),
        Timers.layer,
        layerMemory
      )
    )
  )
})

it.effect(
  `while the nodes do not hear each other ${openCallsJudgedMax} are judged at a time, and each once a round`,
  () => {
    const world = { looks: 0 }
    const known = Deferred.makeUnsafe<Principal>()
    const gaps: Array<(stands: boolean) => void> = []
    const authenticator = {
      authenticate: () => {
        world.looks++
        return Deferred.await(known)
      }
    } as unknown as Authenticator["Service"]
    const bus = { gaps: (listener) => Effect.sync(() => void gaps.push(listener)) } as Partial<Bus["Service"]>
    return Effect.gen(function* () {
      const calls = yield* makeOpenCalls
      const exchange = { authorization: "Bearer k" } as RequestExchange
      const all = 2 * openCallsJudgedMax + 1
      for (let at = 0; at < all; at++) calls.add(new OpenCall(exchange, principal, undefined))
      yield* TestClock.adjust(openCallLookMillis)
      for (let round = 0; round < 3; round++) gaps[0]!(false)
      expect(world.looks).toBe(openCallsJudgedMax)
      yield* Deferred.succeed(known, principal)
      yield* TestClock.adjust(1)
      expect(world.looks).toBe(all)
      gaps[0]!(true)
      expect(world.looks).toBe(all)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        Layer.mergeAll(
          Layer.succeed(Authenticator, authenticator),
          Layer.succeed(CredentialWatch, { watch: () => () => {} }),
          Timers.layer,
          Layer.succeed(Bus, bus as Bus["Service"])
        )
      )
    )
  }
)

it.effect("watches no credential any more of a call that ends as its watch begins", () => {
  let watched = 0
  const watch: CredentialWatch["Service"] = {
    watch: (_, changed) => {
      watched++
      changed()
      return () => void watched--
    }
  }
  const authenticator = { authenticate: () => Effect.fail(new AuthInvalid()) } as unknown as Authenticator["Service"]
  return Effect.gen(function* () {
    const calls = yield* makeOpenCalls
    const exchange = { authorization: "Bearer k", cancel: () => calls.remove(call) } as RequestExchange
    let isRefused = false
    const call = new OpenCall(exchange, principal, () => {
      isRefused = true
    })
    calls.add(call)
    yield* TestClock.adjust(openCallLookMillis)
    expect([isRefused, watched]).toEqual([true, 0])
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.mergeAll(
        Layer.succeed(Authenticator, authenticator),
        Layer.succeed(CredentialWatch, watch),
        Timers.layer,
        layerMemory
      )
    )
  )
})
