/** Which health of a webhook is written at once and which waits. */
import { describe, expect, it } from "vitest"
import { HealthWrites } from "../../../actors/webhooks/outcomes.ts"
import type { HealthRow } from "../../../src/store/webhooks/deliveries.ts"

const row = (webhookId: string, at: number, failures = 0, failingSince?: number): HealthRow => ({
  webhookId,
  failures,
  failingSince,
  lastDeliveryAt: at,
  lastStatusCode: 200
})

describe("the health of a webhook", () => {
  it("is written with its first outcome; later ones that change only the time wait, and the last is written", () => {
    const writes = new HealthWrites()
    expect(writes.due([row("a", 1), row("b", 1), row("a", 2)])).toEqual([row("a", 2), row("b", 1)])
    expect(writes.waits).toBe(false)
    expect(writes.due([row("a", 3)])).toEqual([])
    expect(writes.due([row("a", 4)])).toEqual([])
    expect(writes.waits).toBe(true)
    expect(writes.turn()).toEqual([row("a", 4)])
    expect(writes.waits).toBe(false)
  })

  it("waits on after a turn that wrote it, and is written at once after one that had nothing of it", () => {
    const writes = new HealthWrites()
    writes.due([row("a", 1)])
    writes.due([row("a", 2)])
    writes.turn()
    expect(writes.due([row("a", 3)])).toEqual([])
    expect(writes.turn()).toEqual([row("a", 3)])
    expect(writes.turn()).toEqual([])
    expect(writes.due([row("a", 4)])).toEqual([row("a", 4)])
  })

  it("is written at once where failures change, and what waited is not written after it", () => {
    const writes = new HealthWrites()
    writes.due([row("a", 1)])
    writes.due([row("a", 2)])
    expect(writes.due([row("a", 3, 1)])).toEqual([row("a", 3, 1)])
    expect(writes.due([row("a", 4, 1, 4)])).toEqual([row("a", 4, 1, 4)])
    expect(writes.due([row("a", 5)])).toEqual([row("a", 5)])
    expect(writes.turn()).toEqual([])
  })
})
