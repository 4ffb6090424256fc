/**
 * A subscriber against a model of its store: whatever the order of what happens, nothing is lost and nothing sent
 * twice.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SubscriberAction } from "../../../actors/webhooks/messages.ts"
import type { PendingDelivery } from "../../../src/store/webhooks/deliveries.ts"
import { modelRuns } from "../../support/model-runs.ts"
import { delivery, subject } from "../../support/subscriber.ts"

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
      modelRuns(1_000)
    )
  })
})
