/** Which events there are and who gets them. */

import { describe, expect, it } from "vitest"
import {
  dispatchedEvents,
  relayedEvent,
  relayedEvents,
  subscribed,
  subscribes
} from "../../../../src/domain/event/events.ts"
import { fc } from "../../../support/properties.ts"

describe("a subscription", () => {
  it("keeps the four names that may be subscribed to and *, and drops every other silently", () => {
    const wish = [
      "daemon:connect",
      "daemon:disconnect",
      "agent:status",
      "agent:approve_request",
      "command:completed",
      "*"
    ]
    expect(subscribed(wish)).toEqual(wish)
    expect(subscribed(["agent:stopped", "webhook:test", "monitor:no_progress", "nonsense", "", "toString"])).toEqual([])
  })

  it("drops duplicates and keeps the order of the wish", () => {
    expect(subscribed(["*", "agent:status", "*", "agent:status"])).toEqual(["*", "agent:status"])
  })

  it("never holds anything outside the allow-list", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom(...dispatchedEvents, "*"))), (wish) => {
        const allowed = [
          "daemon:connect",
          "daemon:disconnect",
          "agent:status",
          "agent:approve_request",
          "command:completed",
          "job:completed",
          "*"
        ]
        const kept = subscribed(wish)
        expect(kept.every((name) => allowed.includes(name) && wish.includes(name))).toBe(true)
        expect(new Set(kept).size).toBe(kept.length)
      })
    )
  })

  it("with * gets every dispatched event but those of which each must be named", () => {
    const left = dispatchedEvents.filter((event) => !subscribes(["*"], event))
    expect(left).toEqual(["command:completed", "job:completed"])
    for (const event of left) expect(subscribes(["*", event], event)).toBe(true)
  })

  it("by name gets that event only, and a relayed event never", () => {
    expect(subscribes(["agent:status"], "agent:status")).toBe(true)
    expect(subscribes(["agent:status"], "daemon:connect")).toBe(false)
    for (const event of relayedEvents) expect(subscribes([event, "agent:status"], event)).toBe(false)
  })
})

describe("a word of a daemon", () => {
  it("means itself when it is a relayed event", () => {
    for (const event of relayedEvents) expect(relayedEvent(event)).toBe(event)
  })

  it("monitor:long_generating means monitor:no_progress", () => {
    expect(relayedEvent("monitor:long_generating")).toBe("monitor:no_progress")
  })

  it("means nothing when it is reserved, the hub's own, unknown, or a name every object has", () => {
    for (const word of ["agent:approve_request", "agent:status", "daemon:connect", "webhook:test", "x", "__proto__"]) {
      expect(relayedEvent(word)).toBeUndefined()
    }
    expect(relayedEvent("constructor")).toBeUndefined()
  })
})
