/** A subscriber that crashes or is killed in mid-request: its requests end, its slots are back, nothing is lost. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import type { SubscriberMessage } from "../../../actors/webhooks/messages.ts"
import { Subscribers } from "../../../actors/webhooks/service.ts"
import { nodeCostMax } from "../../../src/limits/cost.ts"
import { leaseSweepMillis, webhookInFlightMax } from "../../../src/limits/delivery.ts"
import { NodeCost } from "../../../src/runtime/node-cost.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { it } from "../../support/effect-test.ts"
import { accepted, deliveryOf, sixPending, started, world } from "./subscriber-services.ts"

const restartMillis = 1_000

it.effect(
  "an attempt that dies of a bug is a crash of its subscriber; each delivery is tried again, one that dies each time no more than others",
  () => {
    const { pending, outcomes, sending } = sixPending()
    const one = world(["w"], () => {}, {
      ...sending,
      // a bug in each attempt of one delivery, and in the first of each other
      post: ({ headers }) => {
        const [id, attempt] = [headers["x-service-delivery"]!, headers["x-service-attempt"]!]
        if (id === "dlv_0") throw new Error("a bug")
        return attempt === "1" ? Effect.die(new Error("another")) : Effect.succeed(accepted)
      }
    })
    return Effect.gen(function* () {
      const subscribers = yield* Subscribers
      const supervisor = yield* Supervisor
      yield* subscribers.sweep
      yield* started
      expect(outcomes.map(({ deliveryId, state, error }) => [deliveryId, state, error])).toEqual([
        ["dlv_0", "retry", "connect"]
      ])
      expect(supervisor.crashes("subscriber")).toBe(1)
      yield* TestClock.adjust("25 minutes")
      const poisoned = outcomes.filter(({ deliveryId }) => deliveryId === "dlv_0")
      expect(poisoned.map(({ state }) => state)).toEqual(["retry", "retry", "retry", "failed"])
      expect(outcomes.filter(({ state }) => state === "succeeded")).toHaveLength(5)
      expect(pending.size).toBe(0)
      expect(supervisor.crashes("subscriber")).toBe(4 + 5)
    }).pipe(Effect.provide(one.layer))
  }
)

it.effect(
  "an attempt that dies of a bug ends the other requests of its subscriber; their deliveries are sent again, and every slot is back",
  () => {
    const { pending, outcomes, sending } = sixPending()
    const open = new Set<string>()
    const opened: Array<string> = []
    let fail = (): void => {}
    let isBroken = true
    const one = world(["w"], () => {}, {
      ...sending,
      post: ({ headers }) =>
        Effect.callback((resume) => {
          const id = headers["x-service-delivery"]!
          open.add(id)
          opened.push(id)
          if (id === "dlv_3" && isBroken) fail = () => resume(Effect.die(new Error("a bug")))
          return Effect.sync(() => open.delete(id))
        })
    })
    return Effect.gen(function* () {
      const subscribers = yield* Subscribers
      const supervisor = yield* Supervisor
      yield* subscribers.sweep
      yield* started
      expect([...open]).toEqual(["dlv_0", "dlv_1", "dlv_2", "dlv_3"])
      isBroken = false
      fail()
      expect([...open]).toEqual(["dlv_3"])
      expect(supervisor.crashes("subscriber")).toBe(1)
      expect(outcomes.map(({ deliveryId }) => deliveryId)).toEqual(["dlv_3"])
      open.clear()
      yield* TestClock.adjust(restartMillis)
      yield* started
      expect(opened.slice(webhookInFlightMax)).toEqual(["dlv_0", "dlv_1", "dlv_2", "dlv_4"])
      expect(open.size).toBe(webhookInFlightMax)
      expect(pending.size).toBe(6)
      supervisor.find("subscriber", "w")!.kill()
    }).pipe(Effect.provide(one.layer))
  }
)

it.effect(
  "a subscriber whose next wake is replaced by a sooner one does not crash, keeps no timer of the later one, and sends at the sooner time",
  () => {
    const sent: Array<string> = []
    const pending = [{ ...deliveryOf("late"), dueAt: 60_000 }]
    const one = world(["w"], () => {}, {
      soonest: (_, limit, except) => Effect.succeed(pending.filter(({ id }) => !except.includes(id)).slice(0, limit)),
      record: ({ outcome, done }) => {
        pending.splice(
          pending.findIndex(({ id }) => id === outcome.deliveryId),
          1
        )
        done(true)
      },
      post: ({ headers, charge }) =>
        Effect.sync(() => {
          sent.push(headers["x-service-delivery"]!)
          charge?.(nodeCostMax)
          return accepted
        })
    })
    return Effect.gen(function* () {
      const subscribers = yield* Subscribers
      const supervisor = yield* Supervisor
      const timers = yield* Timers
      yield* subscribers.sweep
      yield* started
      const set = timers.size()
      pending.unshift({ ...deliveryOf("soon"), dueAt: 10_000 })
      subscribers.look("w")
      yield* started
      expect([supervisor.crashes("subscriber"), timers.size()]).toEqual([0, set])
      yield* TestClock.adjust(10_100)
      yield* started
      expect(sent).toEqual(["soon"])
      // its account owes what reading the answer cost
      expect((yield* NodeCost).wait("acc")).toBeGreaterThan(0)
      yield* TestClock.adjust(50_000)
      yield* started
      expect([sent, supervisor.crashes("subscriber")]).toEqual([["soon", "late"], 0])
    }).pipe(Effect.provide(one.layer))
  }
)

it.effect(
  "a subscriber that is killed in mid-request ends its requests and gives its lease back; the deliveries stay pending for the next holder",
  () => {
    const { pending, outcomes, sending } = sixPending()
    const open = new Set<string>()
    let answers = false
    const one = world(["w"], () => {}, {
      ...sending,
      post: ({ headers }) =>
        Effect.callback((resume) => {
          if (answers) return resume(Effect.succeed(accepted))
          const id = headers["x-service-delivery"]!
          open.add(id)
          return Effect.sync(() => open.delete(id))
        })
    })
    return Effect.gen(function* () {
      const subscribers = yield* Subscribers
      const supervisor = yield* Supervisor
      yield* subscribers.sweep
      yield* started
      expect(open.size).toBe(webhookInFlightMax)
      supervisor.find("subscriber", "w")!.kill()
      expect(open.size).toBe(0)
      expect([supervisor.size("subscriber"), supervisor.crashes("subscriber")]).toEqual([0, 0])
      expect([subscribers.holds("w"), outcomes.length, pending.size]).toEqual([false, 0, 6])
      answers = true
      yield* TestClock.adjust(leaseSweepMillis)
      yield* started
      expect(outcomes.map(({ state, attempts }) => [state, attempts])).toEqual(Array(6).fill(["succeeded", 1]))
      expect(pending.size).toBe(0)
    }).pipe(Effect.provide(one.layer))
  }
)

it.effect(
  "a subscriber that is killed in mid-request records an answer that came before, although the subscriber had no turn to read it",
  () => {
    const { outcomes, sending } = sixPending()
    let answer = (): void => {}
    const one = world(["w"], () => {}, {
      ...sending,
      post: () =>
        Effect.callback((resume) => {
          answer = () => resume(Effect.succeed(accepted))
        })
    })
    return Effect.gen(function* () {
      const subscribers = yield* Subscribers
      const supervisor = yield* Supervisor
      yield* subscribers.sweep
      yield* started
      const subscriber = supervisor.find<SubscriberMessage>("subscriber", "w")!
      // a message that crashes the subscriber: until its restart it reads nothing
      subscriber.tell({ type: "found", rows: undefined, now: 0 } as never)
      expect(supervisor.crashes("subscriber")).toBe(1)
      const late = { type: "answered", delivery: deliveryOf("dlv_5"), answer: accepted, startedAt: 0 } as const
      subscriber.tell({ ...late, chance: 0, now: 0 })
      answer()
      subscriber.kill()
      expect(outcomes.map(({ deliveryId, state }) => [deliveryId, state])).toEqual([["dlv_5", "succeeded"]])
    }).pipe(Effect.provide(one.layer))
  }
)
