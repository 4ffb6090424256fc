/** What a webhook subscribes to, who gets an event, and what is said of names that do not fit. */
import { describe, expect, it } from "vitest"
import { additionalEvents, dispatchedEvents, relayedEvents } from "../../../../src/domain/event/events.ts"
import {
  shownSubscription,
  subscribed,
  subscribes,
  subscriptionChange,
  subscriptionWarnings
} from "../../../../src/domain/event/subscription.ts"
import { fc, forAll } from "../../../support/properties.ts"

const named = ["daemon:connect", "daemon:disconnect", "agent:status", "agent:approve_request", "*"]

describe("a subscription", () => {
  it("keeps the specification's names and * in events, and drops every other", () => {
    expect(subscribed({ events: named })).toEqual(named)
    expect(subscribed({ events: [...additionalEvents, "job:progress", "nonsense", "", "toString"] })).toEqual([])
  })

  it("keeps in additionalEvents what events has no name for", () => {
    expect(subscribed({ additionalEvents })).toEqual(additionalEvents)
    expect(subscribed({ additionalEvents: [...named, "job:progress"] })).toEqual([])
  })

  it("drops duplicates, keeps the order of the wish, and shows each list by itself", () => {
    const names = subscribed({
      events: ["*", "agent:status", "*"],
      additionalEvents: ["agent:stopped", "agent:stopped"]
    })
    expect(names).toEqual(["*", "agent:status", "agent:stopped"])
    expect(shownSubscription(names)).toEqual({ events: ["*", "agent:status"], additionalEvents: ["agent:stopped"] })
  })

  it("never holds anything outside the lists", () => {
    const names = fc.array(fc.oneof(fc.string(), fc.constantFrom(...dispatchedEvents, "*")))
    forAll(names, (events) => {
      const kept = subscribed({ events })
      expect(kept.every((name) => named.includes(name) && events.includes(name))).toBe(true)
      expect(new Set(kept).size).toBe(kept.length)
    })
  })

  it("changes one list and leaves the other", () => {
    expect(subscriptionChange({})).toBeUndefined()
    const { replaced, by } = subscriptionChange({ additionalEvents: ["job:completed"] })!
    expect([replaced, by]).toEqual([additionalEvents, ["job:completed"]])
    expect(subscriptionChange({ events: [] })!.replaced).toEqual(expect.arrayContaining(named))
  })

  it("with * gets every event of the specification, and those that the hub adds by name only", () => {
    const left = dispatchedEvents.filter((event) => !subscribes(["*"], event))
    expect(left).toEqual([
      "command:completed",
      "job:completed",
      "approval:requested",
      "approval:resolved",
      "daemon:identity_copied"
    ])
    for (const event of dispatchedEvents) expect(subscribes(["*", event], event)).toBe(true)
  })

  it("by name gets that event only", () => {
    for (const event of dispatchedEvents) expect(subscribes([event], event)).toBe(true)
    expect(subscribes(["agent:status"], "daemon:connect")).toBe(false)
    for (const event of relayedEvents) expect(subscribes(["agent:status"], event)).toBe(false)
  })
})

describe("the warnings of a subscription", () => {
  it.each([
    ["agent:waiting_approval", 'is sent to "*", or to who names it in additionalEvents'],
    ["webhook:test", 'is sent to "*", or to who names it in additionalEvents'],
    ["command:completed", "is asked for in additionalEvents"],
    ["job:progress", "is sent to live streams only"],
    ["agent:approve_request", "is reserved: nothing sends it"],
    ["monitor:long_generating", "is no event; did you mean monitor:no_progress"],
    ["daemon:conect", "is no event; did you mean daemon:connect"],
    ["nonsense", "is no event"]
  ])("say what %s is", (name, says) => expect(subscriptionWarnings([name, "*"], ["*"])).toEqual([`"${name}" ${says}.`]))

  it("are none where each name is subscribed to, and tell whoever subscribes to nothing what there is", () => {
    expect(subscriptionWarnings(["*", "agent:status"], ["*", "agent:status"])).toEqual([])
    expect(subscriptionWarnings([], ["job:completed"])).toEqual([])
    const [only] = subscriptionWarnings([], [])
    for (const name of [...additionalEvents, "daemon:connect", "*"]) expect(only).toContain(name)
    expect(only).not.toContain("agent:approve_request")
  })

  it("are 33 at most, each of a name that is cut", () => {
    const many = Array.from({ length: 1_000 }, (_, nth) => `${nth}${"x".repeat(1_000)}`)
    const warnings = subscriptionWarnings(many, [])
    expect(warnings).toHaveLength(33)
    expect(warnings[0]!.length).toBeLessThan(100)
  })
})
