/**
 * What comes of deliveries whose webhook another node holds, when the word that they are due does not reach it: its
 * subscriber finds them in the store, though it is never without work.
 */

import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Subscribers } from "../../../actors/webhooks/service.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { subscriberIdleMillis, subscriberLookMillis } from "../../../src/limits/delivery.ts"
import { it as effectIt } from "../../support/effect-test.ts"
import { delivery, start, subject } from "./subscriber-decisions.ts"
import { started, world } from "./subscriber-services.ts"

const looked = () => {
  const one = subject()
  one.wake()
  return one
}

describe("a subscriber", () => {
  it(`reads the store after ${subscriberLookMillis} ms of work, and not before`, () => {
    const one = looked()
    one.found()
    const rounds = subscriberLookMillis / (subscriberIdleMillis / 2)
    for (let round = 1; round <= rounds; round++) {
      one.pass(subscriberIdleMillis / 2)
      const own = delivery(`own${round}`)
      expect(one.of(one.due(own), "fetch")).toHaveLength(round === rounds ? 1 : 0)
      one.answer(own, 200)
      one.settled(own.id)
    }
    expect(one.attempts(one.found(delivery("overlooked")))).toEqual(["overlooked"])
  })

  it("reads it as often while it waits for a retry that is due later", () => {
    const one = looked()
    const later = delivery("later", { attempts: 1, dueAt: start + 10 * subscriberLookMillis })
    expect(one.of(one.found(later), "wakeAt")).toEqual([{ type: "wakeAt", at: start + subscriberLookMillis }])
    one.pass(subscriberLookMillis)
    expect(one.of(one.wake(), "fetch")).toHaveLength(1)
    expect(one.attempts(one.found(delivery("overlooked"), later))).toEqual(["overlooked"])
  })

  it("leaves when it has no work, and reads nothing before", () => {
    const one = looked()
    one.found()
    one.pass(subscriberIdleMillis)
    expect(one.wake()).toEqual([{ type: "leave" }])
  })
})

describe("a node that asks for a lease", () => {
  effectIt.effect("tells the others that something is due when it does not learn whether one of them has it", () => {
    const lost = new StoreFailed({ operation: "take leases", cause: new Error("the answer was lost") })
    const one = world([], undefined, { take: () => Effect.fail(lost) })
    return Effect.gen(function* () {
      const subscribers = yield* Subscribers
      subscribers.offer([delivery("overlooked")])
      yield* started
      expect(one.published).toEqual([["deliveries_due", { webhookIds: ["w"] }]])
    }).pipe(Effect.provide(one.layer))
  })
})
