/** Which words of a daemon mean an event. */
import { describe, expect, it } from "vitest"
import { relayedEvent, relayedEvents } from "../../../../src/domain/event/events.ts"

describe("a word of a daemon", () => {
  it("means itself when it is a relayed event", () => {
    for (const event of relayedEvents) expect(relayedEvent(event)).toBe(event)
  })

  it("monitor:long_generating means monitor:no_progress", () =>
    expect(relayedEvent("monitor:long_generating")).toBe("monitor:no_progress"))

  it("means nothing when it is reserved, the hub's own, unknown, or a name every object has", () => {
    for (const word of ["agent:approve_request", "agent:status", "daemon:connect", "webhook:test", "x", "__proto__"])
      expect(relayedEvent(word)).toBeUndefined()
    expect(relayedEvent("constructor")).toBeUndefined()
  })
})
