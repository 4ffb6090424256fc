/** What one webhook's subscriber decides, without a fiber. */
import { describe, expect, it } from "vitest"
import { healthy } from "../../../src/domain/webhook/delivery.ts"
import {
  probeMillis,
  subscriberIdleMillis,
  subscriberLookMillis,
  subscriberReadyMax
} from "../../../src/limits/delivery.ts"
import type { PendingDelivery } from "../../../src/store/webhooks/deliveries.ts"
import { given } from "../../support/given.ts"
import { delivery, start, subject } from "./subscriber-decisions.ts"

/** One that has looked into an empty store. */
const ready = () => {
  const one = subject()
  one.wake()
  one.found()
  return one
}

const failingHealth = { failures: 10, failingSince: start - 5 }

describe("a subscriber", () => {
  it("looks into the store first", () => expect(subject().wake()).toEqual([{ do: "fetch", limit: 128, except: [] }]))

  given(ready)("attempts what falls due at once, four at a time", (one) => {
    const five = ["a", "b", "c", "d", "e"].map((id) => delivery(id))
    expect(one.attempts(one.due(...five))).toEqual(["a", "b", "c", "d"])
    expect(one.attempts(one.answer(five[0]!, 200))).toEqual(["e"])
  })

  given(subject)("wakes for the soonest in the store that is not due yet", (one) => {
    one.wake()
    const actions = one.found(delivery("a", { dueAt: start + 700 }), delivery("b", { dueAt: start + 900 }))
    expect(one.of(actions, "wakeAt")).toEqual([{ do: "wakeAt", at: start + 700 }])
    one.pass(700)
    expect(one.of(one.wake(), "fetch")).toHaveLength(1)
  })

  given(ready)("wakes for the retry of what failed, and reads it from the store", (one) => {
    const a = delivery("a")
    one.due(a)
    const [settle] = one.of(one.answer(a, 500), "settle")
    expect(settle).toMatchObject({ outcome: { state: "retry", afterMillis: 5_000 }, retryAt: start + 5_000 })
    one.settled("a", settle!.retryAt)
    one.pass(5_000)
    one.wake()
    const again = delivery("a", { attempts: 1, dueAt: start + 5_000 })
    expect(one.of(one.found(again), "attempt")).toEqual([{ do: "attempt", delivery: again, attempt: 2 }])
  })

  given(ready)("counts the attempts of a resent delivery from one", (one) => {
    const a = delivery("a", { attempts: 4, earlierAttempts: 4 })
    expect(one.of(one.due(a), "attempt")[0]!.attempt).toBe(1)
    expect(one.of(one.answer(a, 500), "settle")[0]!.outcome.state).toBe("retry")
  })

  given(ready)("tries again a second later when an outcome could not be recorded", (one) => {
    one.due(delivery("a"))
    one.answer(delivery("a"), 200)
    const actions = one.settled("a", undefined, false)
    expect(one.state.nextDueAt).toBe(start + 1_000)
    expect(actions.every((action) => action.do !== "attempt")).toBe(true)
  })

  given(ready)(`holds ${subscriberReadyMax} in memory and leaves the rest in the store`, (one) => {
    one.due(...[...Array(400).keys()].map((n) => delivery(`d${n}`)))
    expect(one.state.ready.length + one.state.inFlight).toBeLessThanOrEqual(subscriberReadyMax)
    expect(one.state.more).toBe(true)
  })

  given(ready)("leaves after 10 s without work, and not before", (one) => {
    one.pass(subscriberIdleMillis - 1)
    expect(one.of(one.wake(), "leave")).toEqual([])
    one.pass(1)
    expect(one.of(one.wake(), "leave")).toHaveLength(1)
  })

  given(subject)("stays while something in the store is due later", (one) => {
    one.wake()
    one.found(delivery("a", { dueAt: start + 700_000 }))
    one.pass(subscriberIdleMillis * 2)
    expect(one.of(one.wake(), "leave")).toEqual([])
  })

  it("quits at once when its lease is lost", () =>
    expect(ready().tell({ type: "lost", now: start })).toEqual([{ do: "quit" }]))
})

describe("a failing webhook", () => {
  const parked = () => {
    const one = ready()
    const many = [...Array(30).keys()].map((n) => delivery(`d${n}`))
    one.due(...many)
    for (let n = 0; one.state.health.failingSince === undefined; n++) one.answer(many[n]!, 500)
    return { one, many }
  }

  given(parked)("begins with the tenth failure in a row: what is ready is parked in the store", ({ one }) => {
    expect(one.state.ready).toEqual([])
    expect(one.state.health.failures).toBe(10)
    expect(one.attempts(one.due(delivery("new")))).toEqual([])
  })

  it("is probed once a minute with the oldest, whether or not that is due", () => {
    const one = subject(failingHealth, start - 10_000)
    expect(one.of(one.wake(), "wakeAt")).toEqual([{ do: "wakeAt", at: start - 10_000 + probeMillis }])
    one.pass(probeMillis - 10_000)
    expect(one.of(one.wake(), "fetch")).toEqual([{ do: "fetch", limit: 128, except: [] }])
    const oldest = delivery("a", { attempts: 1, dueAt: start + 720_000 })
    expect(one.attempts(one.found(oldest, delivery("b", { attempts: 1, dueAt: start + 720_001 })))).toEqual(["a"])
    expect(one.attempts(one.due(delivery("c")))).toEqual([])
    one.answer(oldest, 500)
    one.settled("a", one.now() + 60_000)
    one.pass(probeMillis - 1)
    expect(one.of(one.wake(), "fetch")).toEqual([])
    one.pass(1)
    expect(one.of(one.wake(), "fetch")).toHaveLength(1)
  })

  it("is probed a minute later at most though the clock is set back, and not at once by what opens it", () => {
    const one = subject(failingHealth, start - 1_000)
    expect(one.of(one.tell({ type: "wake", now: 0 }), "fetch")).toEqual([])
    one.pass(-3_600_000)
    expect(one.of(one.wake(), "wakeAt")).toEqual([{ do: "wakeAt", at: one.now() + probeMillis }])
    one.pass(probeMillis)
    expect(one.of(one.wake(), "fetch")).toHaveLength(1)
  })

  it("is probed with a first attempt before a retry, and with an event of a kind that did not fail last before both", () => {
    const one = subject(failingHealth, start - probeMillis)
    const retry = delivery("retry", { attempts: 1 })
    const next = (...rows: ReadonlyArray<PendingDelivery>) => {
      one.wake()
      const [probe] = one.of(one.found(...rows), "attempt").map(({ delivery }) => delivery)
      one.answer(probe!, 500)
      one.settled(probe!.id, one.now())
      one.pass(probeMillis)
      return probe!.id
    }
    expect(next(retry, delivery("first"))).toBe("first")
    expect(next(retry, delivery("first"), delivery("other", { event: "agent:status", attempts: 1 }))).toBe("other")
  })

  it("is released by the refusal of one event too, which says that the endpoint is well", () => {
    const one = subject(failingHealth, start - probeMillis)
    one.wake()
    one.found(delivery("a"))
    one.answer(delivery("a"), 422)
    expect(one.state.health).toEqual(healthy)
  })

  given(ready)("is never one whose receiver refuses a kind of event: what else there is goes out at once", (one) => {
    const refused = [...Array(40).keys()].map((n) => delivery(`refused${n}`))
    one.due(...refused)
    for (const row of refused) expect(one.of(one.answer(row, 400), "settle")[0]!.outcome.state).toBe("retry")
    expect(one.attempts(one.due(delivery("good", { event: "agent:status" })))).toEqual(["good"])
  })

  it("is released by one success: the rest is read and sent", () => {
    const one = subject(failingHealth, start - probeMillis)
    one.wake()
    const probe = delivery("a")
    one.found(probe)
    const actions = one.answer(probe, 200)
    expect(one.state.health).toEqual(healthy)
    expect(one.of(actions, "fetch")).toEqual([{ do: "fetch", limit: 128, except: ["a"] }])
    expect(one.attempts(one.found(delivery("b"), delivery("c")))).toEqual(["b", "c"])
  })
})

it("a webhook that changes is read again before anything more is sent; what was ready is dropped, since it may be cancelled", () => {
  const one = ready()
  one.due(...["a", "b", "c", "d", "e"].map((id) => delivery(id)))
  expect(one.tell({ type: "changed", now: start })).toEqual([{ do: "reread" }])
  expect(one.attempts(one.answer(delivery("a"), 200))).toEqual([])
  expect(one.of(one.tell({ type: "profile", there: true, now: start }), "fetch")).toHaveLength(1)
})

given(ready)("a webhook that changes is left when it is gone or paused", (one) => {
  one.tell({ type: "changed", now: start })
  expect(one.tell({ type: "profile", there: false, now: start })).toEqual([{ do: "quit" }])
})

describe("a webhook that is not served any more, with an attempt under way", () => {
  const served = (there: boolean) => ({ type: "profile", there, now: start }) as const

  it("is left as soon as the outcome of the attempt is handed over, and sends nothing new meanwhile", () => {
    const one = ready()
    one.due(delivery("a"))
    one.tell({ type: "changed", now: start })
    expect(one.tell(served(false))).toEqual([])
    expect(one.attempts(one.due(delivery("b")))).toEqual([])
    expect(one.answer(delivery("a"), 200).map(({ do: what }) => what)).toEqual(["settle", "quit"])
  })

  it("also when its lost lease is noticed first; one that another node serves is left at once", () => {
    for (const [there, actions] of [
      [false, []],
      [true, [{ do: "quit" }]]
    ] as const) {
      const one = ready()
      one.due(delivery("a"))
      expect(one.tell({ type: "lost", now: start })).toEqual([{ do: "reread" }])
      expect(one.tell({ type: "lost", now: start })).toEqual([])
      expect(one.tell(served(there))).toEqual(actions)
    }
  })
})

it("a subscriber after a crash records the answer to an attempt of before, and sends that delivery no second time", () => {
  const one = subject()
  one.wake()
  expect(one.of(one.answer(delivery("a"), 200), "settle")).toHaveLength(1)
  expect(one.attempts(one.found(delivery("a"), delivery("b")))).toEqual(["b"])
  one.settled("a")
  expect([one.state.inFlight, one.state.settling, one.state.known.size]).toEqual([1, 0, 1])
})

it("a subscriber that is held or drained starts nothing while its lease may have ended, and goes on after", () => {
  const one = ready()
  one.tell({ type: "hold", held: false, now: start })
  expect(one.attempts(one.due(delivery("a")))).toEqual([])
  expect(one.attempts(one.tell({ type: "hold", held: true, now: start }))).toEqual(["a"])
})

it("a subscriber that is held or drained starts nothing while it drains, and still records what comes back", () => {
  const one = ready()
  one.due(...["a", "b", "c", "d", "e"].map((id) => delivery(id)))
  one.tell({ type: "drain", now: start })
  const actions = one.answer(delivery("a"), 200)
  expect(one.attempts(actions)).toEqual([])
  expect(one.of(actions, "settle")).toHaveLength(1)
})

/** One that looks into the store. */
const looked = () => {
  const one = subject()
  one.wake()
  return one
}

it("a subscriber whose deliveries fall due without a word to it reads it as often while it waits for a retry that is due later", () => {
  const one = looked()
  const later = delivery("later", { attempts: 1, dueAt: start + 10 * subscriberLookMillis })
  expect(one.of(one.found(later), "wakeAt")).toEqual([{ do: "wakeAt", at: start + subscriberLookMillis }])
  one.pass(subscriberLookMillis)
  expect(one.of(one.wake(), "fetch")).toHaveLength(1)
  expect(one.attempts(one.found(delivery("overlooked"), later))).toEqual(["overlooked"])
})
