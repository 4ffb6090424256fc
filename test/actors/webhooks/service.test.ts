/**
 * The subscribers of a node over a scripted store: what a subscriber is told while it cannot take it, and how much one
 * sweep takes.
 */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import type { ActorCell } from "../../../actors/runtime/actor.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Subscribers } from "../../../actors/webhooks/service.ts"
import {
  leaseRenewMillis,
  leaseSweepMax,
  leaseSweepMillis,
  subscriberMailboxMax
} from "../../../src/limits/delivery.ts"
import { it } from "../../support/effect-test.ts"
import { world } from "./subscriber-services.ts"

const restartMillis = 1_000

it.effect(
  `a subscriber that is being restarted takes ${subscriberMailboxMax} messages; for what came beyond, the store is read at the next renewal`,
  () => {
    const one = world([], (nth) => {
      if (nth === 0) throw new Error("a bug")
    })
    return Effect.gen(function* () {
      const subscribers = yield* Subscribers
      const supervisor = yield* Supervisor
      subscribers.look("w")
      yield* TestClock.adjust(0)
      expect(supervisor.crashes("subscriber")).toBe(1)
      const subscriber = supervisor.find("subscriber", "w") as ActorCell<never, never, never>
      for (let nth = 0; nth < subscriberMailboxMax; nth++) subscribers.look("w")
      expect(subscriber.waiting).toBe(subscriberMailboxMax)
      subscribers.look("w")
      expect(subscriber.waiting).toBe(subscriberMailboxMax)
      yield* TestClock.adjust(restartMillis)
      expect(subscriber.waiting).toBe(0)
      const before = one.fetches()
      yield* TestClock.adjust(leaseRenewMillis - restartMillis)
      expect(one.fetches()).toBeGreaterThan(before)
    }).pipe(Effect.provide(one.layer))
  }
)

it.effect(
  "a subscriber that is down for longer than a renewal is told once a renewal while its mailbox is full, and reads the store when it is back",
  () => {
    const one = world([], (nth) => {
      if (nth < 2) throw new Error("a bug")
    })
    return Effect.gen(function* () {
      const subscribers = yield* Subscribers
      const supervisor = yield* Supervisor
      subscribers.look("w")
      yield* TestClock.adjust(0)
      yield* TestClock.adjust(restartMillis)
      expect(supervisor.crashes("subscriber")).toBe(2)
      const subscriber = supervisor.find("subscriber", "w") as ActorCell<never, never, never>
      for (let nth = 0; nth <= subscriberMailboxMax; nth++) subscribers.look("w")
      let told = 0
      const tell = subscriber.tell.bind(subscriber)
      subscriber.tell = (message) => {
        if (++told > subscriberMailboxMax) throw new Error("told without end")
        return tell(message)
      }
      yield* TestClock.adjust(leaseRenewMillis - restartMillis)
      expect(told).toBe(1)
      yield* TestClock.adjust(2 * restartMillis)
      expect(subscriber.waiting).toBe(0)
      expect(one.fetches()).toBeGreaterThan(2)
    }).pipe(Effect.provide(one.layer))
  }
)

it.effect(`a sweep takes ${leaseSweepMax} webhooks that nobody holds, and the next one the rest`, () => {
  const many = world(Array.from({ length: leaseSweepMax + 1 }, (_, nth) => `w${nth}`))
  return Effect.gen(function* () {
    yield* Subscribers
    yield* TestClock.adjust(0)
    expect(many.sweeps).toEqual([leaseSweepMax])
    yield* TestClock.adjust(leaseSweepMillis)
    expect(many.sweeps).toEqual([leaseSweepMax, 1])
  }).pipe(Effect.provide(many.layer))
})
