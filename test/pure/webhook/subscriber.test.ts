/** What one webhook's subscriber decides, without a fiber. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SubscriberAction, SubscriberMessage, SubscriberState } from "../../../actors/webhook/messages.ts"
import { begin, decide } from "../../../actors/webhook/subscriber.ts"
import { healthy } from "../../../src/domain/delivery.ts"
import { probeMillis, subscriberIdleMillis, subscriberReadyMax } from "../../../src/limits/delivery.ts"
import type { PendingDelivery } from "../../../src/store/deliveries.ts"

const planned = [5_000, 60_000, 720_000]
const start = 1_000_000

const delivery = (id: string, members: Partial<PendingDelivery> = {}): PendingDelivery => ({
  id,
  webhookId: "w",
  event: "agent:stopped",
  body: "{}",
  attempts: 0,
  earlierAttempts: 0,
  maxAttempts: 4,
  dueAt: start,
  ...members
})

/** A subscriber under test: remembers what it asked for. */
const subject = (health = healthy, lastAttemptAt = 0) => {
  const state: SubscriberState = begin("w", planned, health, lastAttemptAt)
  let now = start
  const tell = (message: SubscriberMessage) => decide(state, message).actions
  const of = <T extends SubscriberAction["type"]>(actions: ReadonlyArray<SubscriberAction>, type: T) =>
    actions.filter((action): action is Extract<SubscriberAction, { type: T }> => action.type === type)
  const answer = (one: PendingDelivery, statusCode: number) =>
    tell({
      type: "answered",
      delivery: one,
      answer: { statusCode, error: undefined, retryAfter: undefined, body: "", truncated: false, durationMs: 1 },
      startedAt: now,
      chance: 0.5,
      now
    })
  const settled = (deliveryId: string, retryAt?: number, recorded = true) =>
    tell({ type: "settled", deliveryId, retryAt, recorded, now })
  const attempts = (actions: ReadonlyArray<SubscriberAction>) => of(actions, "attempt").map((one) => one.delivery.id)
  return {
    state,
    tell,
    of,
    answer,
    settled,
    attempts,
    due: (...deliveries: ReadonlyArray<PendingDelivery>) => tell({ type: "due", deliveries, now }),
    found: (...rows: ReadonlyArray<PendingDelivery>) => tell({ type: "found", rows, now }),
    wake: () => tell({ type: "wake", now }),
    pass: (millis: number) => {
      now += millis
    },
    now: () => now
  }
}

/** One that has looked into an empty store. */
const ready = () => {
  const one = subject()
  one.wake()
  one.found()
  return one
}

const failingHealth = { failures: 10, failingSince: start - 5 }

describe("a subscriber", () => {
  it("looks into the store first", () => {
    expect(subject().wake()).toEqual([{ type: "fetch", limit: 128, except: [] }])
  })

  it("attempts what falls due at once, four at a time", () => {
    const one = ready()
    const five = ["a", "b", "c", "d", "e"].map((id) => delivery(id))
    expect(one.attempts(one.due(...five))).toEqual(["a", "b", "c", "d"])
    expect(one.attempts(one.answer(five[0]!, 200))).toEqual(["e"])
  })

  it("does not wait for an outcome to be recorded before the next attempt, but does not send twice meanwhile", () => {
    const one = ready()
    const a = delivery("a")
    one.due(a)
    one.answer(a, 200)
    expect(one.attempts(one.due(a))).toEqual([])
    one.tell({ type: "look", now: one.now() })
    expect(one.attempts(one.found(a))).toEqual([])
  })

  it("does not send again what was recorded while the store was being read", () => {
    const one = ready()
    const a = delivery("a")
    one.due(a)
    one.answer(a, 200)
    one.tell({ type: "look", now: one.now() })
    one.settled("a")
    expect(one.attempts(one.found(a))).toEqual([])
  })

  it("wakes for the soonest in the store that is not due yet", () => {
    const one = subject()
    one.wake()
    const actions = one.found(delivery("a", { dueAt: start + 700 }), delivery("b", { dueAt: start + 900 }))
    expect(one.of(actions, "wakeAt")).toEqual([{ type: "wakeAt", at: start + 700 }])
    one.pass(700)
    expect(one.of(one.wake(), "fetch")).toHaveLength(1)
  })

  it("wakes for the retry of what failed, and reads it from the store", () => {
    const one = ready()
    const a = delivery("a")
    one.due(a)
    const [settle] = one.of(one.answer(a, 500), "settle")
    expect(settle).toMatchObject({ outcome: { state: "retry", afterMillis: 5_000 }, retryAt: start + 5_000 })
    one.settled("a", settle!.retryAt)
    one.pass(5_000)
    one.wake()
    const again = delivery("a", { attempts: 1, dueAt: start + 5_000 })
    expect(one.of(one.found(again), "attempt")).toEqual([{ type: "attempt", delivery: again, attempt: 2 }])
  })

  it("counts the attempts of a resent delivery from one", () => {
    const one = ready()
    const a = delivery("a", { attempts: 4, earlierAttempts: 4 })
    expect(one.of(one.due(a), "attempt")[0]!.attempt).toBe(1)
    expect(one.of(one.answer(a, 500), "settle")[0]!.outcome.state).toBe("retry")
  })

  it("tries again a second later when an outcome could not be recorded", () => {
    const one = ready()
    one.due(delivery("a"))
    one.answer(delivery("a"), 200)
    const actions = one.settled("a", undefined, false)
    expect(one.state.nextDueAt).toBe(start + 1_000)
    expect(actions.every((action) => action.type !== "attempt")).toBe(true)
  })

  it(`holds ${subscriberReadyMax} in memory and leaves the rest in the store`, () => {
    const one = ready()
    one.due(...[...Array(400).keys()].map((n) => delivery(`d${n}`)))
    expect(one.state.ready.length + one.state.inFlight).toBeLessThanOrEqual(subscriberReadyMax)
    expect(one.state.more).toBe(true)
  })

  it("reads the store again when memory runs low, except for what it knows", () => {
    const one = ready()
    const many = [...Array(400).keys()].map((n) => delivery(`d${n}`))
    one.due(...many)
    let fetches: ReadonlyArray<SubscriberAction> = []
    for (let n = 0; fetches.length === 0; n++) {
      fetches = one.of(one.answer(many[n]!, 200), "fetch")
      one.settled(many[n]!.id)
    }
    expect(fetches).toHaveLength(1)
    expect((fetches[0] as { except: ReadonlyArray<string> }).except.length).toBeGreaterThan(0)
  })

  it("leaves after 10 s without work, and not before", () => {
    const one = ready()
    one.pass(subscriberIdleMillis - 1)
    expect(one.of(one.wake(), "leave")).toEqual([])
    one.pass(1)
    expect(one.of(one.wake(), "leave")).toHaveLength(1)
  })

  it("stays while something in the store is due later", () => {
    const one = subject()
    one.wake()
    one.found(delivery("a", { dueAt: start + 700_000 }))
    one.pass(subscriberIdleMillis * 2)
    expect(one.of(one.wake(), "leave")).toEqual([])
  })

  it("quits at once when its lease is lost", () => {
    expect(ready().tell({ type: "lost" })).toEqual([{ type: "quit" }])
  })
})

describe("a failing webhook", () => {
  const parked = () => {
    const one = ready()
    const many = [...Array(30).keys()].map((n) => delivery(`d${n}`))
    one.due(...many)
    for (let n = 0; one.state.health.failingSince === undefined; n++) one.answer(many[n]!, 500)
    return { one, many }
  }

  it("begins with the tenth failure in a row: what is ready is parked in the store", () => {
    const { one } = parked()
    expect(one.state.ready).toEqual([])
    expect(one.state.health.failures).toBe(10)
    expect(one.attempts(one.due(delivery("new")))).toEqual([])
  })

  it("is probed once a minute with the oldest, whether or not that is due", () => {
    const one = subject(failingHealth, start - 10_000)
    expect(one.of(one.wake(), "wakeAt")).toEqual([{ type: "wakeAt", at: start - 10_000 + probeMillis }])
    one.pass(probeMillis - 10_000)
    expect(one.of(one.wake(), "fetch")).toEqual([{ type: "fetch", limit: 1, except: [] }])
    const oldest = delivery("a", { attempts: 1, dueAt: start + 720_000 })
    expect(one.attempts(one.found(oldest, delivery("b")))).toEqual(["a"])
    expect(one.attempts(one.due(delivery("c")))).toEqual([])
    one.answer(oldest, 500)
    one.settled("a", one.now() + 60_000)
    one.pass(probeMillis - 1)
    expect(one.of(one.wake(), "fetch")).toEqual([])
    one.pass(1)
    expect(one.of(one.wake(), "fetch")).toHaveLength(1)
  })

  it("is released by one success: the rest is read and sent", () => {
    const one = subject(failingHealth, start - probeMillis)
    one.wake()
    const probe = delivery("a")
    one.found(probe)
    const actions = one.answer(probe, 200)
    expect(one.state.health).toEqual(healthy)
    expect(one.of(actions, "fetch")).toEqual([{ type: "fetch", limit: 128, except: ["a"] }])
    expect(one.attempts(one.found(delivery("b"), delivery("c")))).toEqual(["b", "c"])
  })
})

describe("a webhook that changes", () => {
  it("is read again before anything more is sent; what was ready is dropped, since it may be cancelled", () => {
    const one = ready()
    one.due(...["a", "b", "c", "d", "e"].map((id) => delivery(id)))
    expect(one.tell({ type: "changed", now: start })).toEqual([{ type: "reread" }])
    expect(one.attempts(one.answer(delivery("a"), 200))).toEqual([])
    expect(one.of(one.tell({ type: "profile", there: true, now: start }), "fetch")).toHaveLength(1)
  })

  it("is left when it is gone or paused", () => {
    const one = ready()
    one.tell({ type: "changed", now: start })
    expect(one.tell({ type: "profile", there: false, now: start })).toEqual([{ type: "quit" }])
  })
})

describe("a subscriber that is held or drained", () => {
  it("starts nothing while its lease may have ended, and goes on after", () => {
    const one = ready()
    one.tell({ type: "hold", held: false, now: start })
    expect(one.attempts(one.due(delivery("a")))).toEqual([])
    expect(one.attempts(one.tell({ type: "hold", held: true, now: start }))).toEqual(["a"])
  })

  it("starts nothing while it drains, and still records what comes back", () => {
    const one = ready()
    one.due(...["a", "b", "c", "d", "e"].map((id) => delivery(id)))
    one.tell({ type: "drain", now: start })
    const actions = one.answer(delivery("a"), 200)
    expect(one.attempts(actions)).toEqual([])
    expect(one.of(actions, "settle")).toHaveLength(1)
  })
})

describe("in any order of what happens", () => {
  it("never has more than four in flight, never attempts what is in flight, and loses nothing", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("due" as const), count: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ kind: fc.constant("answer" as const), status: fc.constantFrom(200, 500, 410) }),
      fc.record({ kind: fc.constant("settle" as const) }),
      fc.record({ kind: fc.constant("fetched" as const) }),
      fc.record({ kind: fc.constant("changed" as const) }),
      fc.record({ kind: fc.constant("pass" as const), millis: fc.integer({ min: 0, max: 800_000 }) })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const one = subject()
        const store = new Map<string, PendingDelivery>()
        const flying = new Map<string, PendingDelivery>()
        const settling: Array<Extract<SubscriberAction, { type: "settle" }>> = []
        let fetch: { limit: number; except: ReadonlyArray<string>; rows: ReadonlyArray<PendingDelivery> } | undefined
        let rereading = false
        let wakeAt: number | undefined
        let made = 0
        const perform = (actions: ReadonlyArray<SubscriberAction>): void => {
          for (const action of actions) {
            if (action.type === "attempt") {
              expect(flying.has(action.delivery.id)).toBe(false)
              expect(settling.some((other) => other.delivery.id === action.delivery.id)).toBe(false)
              flying.set(action.delivery.id, action.delivery)
              expect(flying.size).toBeLessThanOrEqual(4)
            } else if (action.type === "fetch") {
              const rows = [...store.values()]
                .filter((row) => !action.except.includes(row.id))
                .sort((a, b) => a.dueAt - b.dueAt)
                .slice(0, action.limit)
              fetch = { ...action, rows }
            } else if (action.type === "settle") settling.push(action)
            else if (action.type === "reread") rereading = true
            else if (action.type === "wakeAt") wakeAt = action.at
          }
        }
        const settleOne = (): void => {
          const next = settling.shift()
          if (next === undefined) return
          const { id } = next.delivery
          if (next.retryAt === undefined) store.delete(id)
          else store.set(id, { ...next.delivery, attempts: next.delivery.attempts + 1, dueAt: next.retryAt })
          perform(one.settled(id, next.retryAt))
        }
        const fetched = (): void => {
          const rows = fetch?.rows
          fetch = undefined
          if (rows !== undefined) perform(one.found(...rows))
        }
        const answerOne = (status: number): void => {
          const [id, flown] = [...flying][0] ?? []
          if (id === undefined || flown === undefined) return
          flying.delete(id)
          perform(one.answer(flown, status))
        }
        const reread = (): void => {
          if (!rereading) return
          rereading = false
          perform(one.tell({ type: "profile", there: true, now: one.now() }))
        }
        perform(one.wake())
        for (const now of steps) {
          if (now.kind === "due") {
            const rows = [...Array(now.count).keys()].map(() => delivery(`d${made++}`, { dueAt: one.now() }))
            for (const row of rows) store.set(row.id, row)
            perform(one.due(...rows))
          } else if (now.kind === "answer") answerOne(now.status)
          else if (now.kind === "settle") settleOne()
          else if (now.kind === "fetched") fetched()
          else if (now.kind === "changed") perform(one.tell({ type: "changed", now: one.now() }))
          else one.pass(now.millis)
        }
        for (let round = 0; store.size > 0; round++) {
          expect(round).toBeLessThan(20_000)
          reread()
          fetched()
          answerOne(200)
          settleOne()
          if (flying.size > 0 || settling.length > 0 || fetch !== undefined || rereading) continue
          if (wakeAt !== undefined) one.pass(Math.max(0, wakeAt - one.now()))
          wakeAt = undefined
          perform(one.wake())
        }
      }),
      { numRuns: 60 }
    )
  })
})
