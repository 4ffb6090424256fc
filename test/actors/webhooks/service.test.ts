/**
 * The subscribers of a node over a scripted store: what a subscriber is told while it cannot take it, and how much one
 * sweep takes.
 */
import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import type { ActorCell } from "../../../actors/runtime/actor.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Outcomes } from "../../../actors/webhooks/outcomes.ts"
import { Subscribers } from "../../../actors/webhooks/service.ts"
import { SubscriptionIndex } from "../../../actors/webhooks/subscription-index.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { Answered } from "../../../src/domain/webhook/delivery.ts"
import { makeSecret } from "../../../src/domain/webhook/signature.ts"
import {
  leaseRenewMillis,
  leaseSweepMax,
  leaseSweepMillis,
  subscriberMailboxMax,
  webhookInFlightMax
} from "../../../src/limits/delivery.ts"
import { Outbound } from "../../../src/outbound/post.ts"
import { DrainDeadline } from "../../../src/runtime/drain-deadline.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { Deliveries, type OutcomeRow, type PendingDelivery } from "../../../src/store/webhooks/deliveries.ts"
import { type Held, Leases } from "../../../src/store/webhooks/leases.ts"
import { scriptedBudgets } from "../../support/volume-budgets.ts"

const restartMillis = 1_000
const secret = makeSecret()

const heldOf = (id: string): Held => ({
  id,
  accountId: "acc",
  url: "http://127.0.0.1:1/",
  events: [],
  active: true,
  secret,
  oldSecret: null,
  oldSecretUntil: null,
  createdAt: 0,
  updatedAt: 0,
  failures: 0,
  failingSince: null,
  lastDeliveryAt: null,
  lastStatusCode: null,
  dropped: 0,
  lastDroppedAt: null,
  fence: 1
})

/** What is pending, and what is done with it; nothing by default. */
interface Sending {
  readonly soonest?: Deliveries["Service"]["soonest"]
  readonly record?: Outcomes["Service"]["record"]
  readonly post?: Outbound["Service"]["post"]
}

const deliveryOf = (id: string): PendingDelivery => ({
  id,
  webhookId: "w",
  event: "agent:stopped",
  body: "{}",
  attempts: 0,
  earlierAttempts: 0,
  maxAttempts: 4,
  dueAt: 0
})

const accepted: Answered = {
  statusCode: 200,
  error: undefined,
  retryAfter: undefined,
  body: "",
  truncated: false,
  durationMs: 1
}

/** `unheld`: webhooks with something due. `fetch`: how the store is read, told how often it was before. */
const world = (unheld: ReadonlyArray<string>, fetch: (nth: number) => void = () => {}, sending: Sending = {}) => {
  const held = new Set<string>()
  const sweeps: Array<number> = []
  let fetches = 0
  const store = Layer.mergeAll(
    Layer.mock(Leases, {
      reclaim: Effect.void,
      take: (_, ids) =>
        Effect.sync(() => {
          for (const id of ids) held.add(id)
          return ids.map(heldOf)
        }),
      renew: () => Effect.sync(() => new Map([...held].map((id) => [id, 1] as const))),
      release: () => Effect.void,
      unheld: (_, limit) =>
        Effect.sync(() => {
          const found = unheld.filter((id) => !held.has(id)).slice(0, limit)
          sweeps.push(found.length)
          return found
        })
    }),
    Layer.mock(Deliveries, {
      soonest: (...asked) => {
        fetch(fetches++)
        return Effect.andThen(Effect.yieldNow, sending.soonest?.(...asked) ?? Effect.succeed([]))
      }
    }),
    Layer.mock(Outcomes, { record: sending.record ?? (() => {}), waiting: () => 0, empty: Effect.void }),
    Layer.mock(Outbound, { allowed: () => true, origins: () => 0, ...(sending.post && { post: sending.post }) }),
    Layer.mock(SecretBox, { seal: (text) => text, open: (text) => Effect.succeed(text) }),
    Layer.mock(SubscriptionIndex, { held: () => undefined, changed: () => {}, heard: () => Effect.void }),
    scriptedBudgets()
  )
  const bus = Layer.succeed(Bus, { publish: () => {}, subscribe: () => Effect.void, gaps: () => Effect.void })
  const config = Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) })
  const around = Layer.mergeAll(bus, Supervisor.layer, Timers.layer, DrainDeadline.layer).pipe(
    Layer.provideMerge(config)
  )
  const layer = Subscribers.layer.pipe(Layer.provide(store), Layer.provideMerge(around))
  return { layer, sweeps, fetches: () => fetches }
}

describe("an attempt that dies of a bug", () => {
  it.effect(
    `counts as one that could not connect, and gives its place back, also when all ${webhookInFlightMax} die`,
    () => {
      const pending = new Map(Array.from({ length: 6 }, (_, nth) => [`dlv_${nth}`, deliveryOf(`dlv_${nth}`)]))
      const outcomes: Array<OutcomeRow> = []
      const one = world(["w"], () => {}, {
        soonest: (_, limit, except) =>
          Effect.succeed([...pending.values()].filter(({ id }) => !except.includes(id)).slice(0, limit)),
        record: ({ outcome, done }) => {
          outcomes.push(outcome)
          const { deliveryId: id, state, attempts, dueAt } = outcome
          if (state === "retry") pending.set(id, { ...deliveryOf(id), attempts, dueAt })
          else pending.delete(id)
          done(true)
        },
        // a bug in each attempt of one delivery, and in the first of each other
        post: ({ headers }) => {
          const [id, attempt] = [headers["x-service-delivery"]!, headers["x-service-attempt"]!]
          if (id === "dlv_0") throw new Error("a bug")
          return attempt === "1" ? Effect.die(new Error("another")) : Effect.succeed(accepted)
        }
      })
      return Effect.gen(function* () {
        const subscribers = yield* Subscribers
        yield* subscribers.sweep
        yield* TestClock.adjust(3_000)
        expect(outcomes.map(({ state, error }) => [state, error])).toEqual(Array(6).fill(["retry", "connect"]))
        yield* TestClock.adjust(17_000)
        expect([...pending.keys()]).toEqual(["dlv_0"])
        yield* TestClock.adjust(3_600_000)
        const poisoned = outcomes.filter(({ deliveryId }) => deliveryId === "dlv_0")
        expect(poisoned.map(({ state }) => state)).toEqual(["retry", "retry", "retry", "failed"])
        expect(pending.size).toBe(0)
        const supervisor = yield* Supervisor
        expect(supervisor.crashes("subscriber")).toBe(0)
      }).pipe(Effect.provide(one.layer))
    }
  )
})

describe("a subscriber that is being restarted", () => {
  it.effect(
    `takes ${subscriberMailboxMax} messages; for what came beyond, the store is read at the next renewal`,
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
})

describe("a subscriber that is down for longer than a renewal", () => {
  it.effect("is told once a renewal while its mailbox is full, and reads the store when it is back", () => {
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
  })
})

describe("a sweep", () => {
  it.effect(`takes ${leaseSweepMax} webhooks that nobody holds, and the next one the rest`, () => {
    const many = world(Array.from({ length: leaseSweepMax + 1 }, (_, nth) => `w${nth}`))
    return Effect.gen(function* () {
      yield* Subscribers
      yield* TestClock.adjust(0)
      expect(many.sweeps).toEqual([leaseSweepMax])
      yield* TestClock.adjust(leaseSweepMillis)
      expect(many.sweeps).toEqual([leaseSweepMax, 1])
    }).pipe(Effect.provide(many.layer))
  })
})
