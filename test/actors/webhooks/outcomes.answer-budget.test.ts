/** Answers to attempts that another follows: counted as pending, and given up before any delivery is. */
import { describe, expect, it } from "vitest"
import { AccountVolume } from "../../../actors/limits/volume-budgets.ts"
import type { Recording } from "../../../actors/webhooks/outcomes.ts"
import { recordWithinBudget } from "../../../actors/webhooks/outcomes.ts"
import type { OutcomeRow } from "../../../src/store/webhooks/deliveries.ts"

const failed: OutcomeRow = {
  deliveryId: "d",
  webhookId: "w",
  attempts: 1,
  state: "retry",
  dueAt: 0,
  at: 0,
  statusCode: 500,
  error: undefined,
  body: "é".repeat(30),
  truncated: false,
  durationMs: 1
}

/** An account that may have so many bytes of answers. */
const world = (bytes: number) => {
  const account = new AccountVolume("a")
  const recorded: Array<Recording> = []
  const told: Array<boolean> = []
  const held = { of: () => account, besides: (one: AccountVolume, more: number) => one.total.bytes + more <= bytes }
  const record = recordWithinBudget(held, (recording) => void recorded.push(recording))
  const settle = (members: Partial<OutcomeRow> = {}) =>
    record("a", { outcome: { ...failed, ...members }, health: undefined, done: (stored) => void told.push(stored) })
  return { account, recorded, told, settle }
}

describe("the answer to an attempt that another follows", () => {
  it("counts by its bytes as pending, from before it is recorded on", () => {
    const { account, recorded, told, settle } = world(100)
    settle()
    expect([account.total, account.of("w")]).toEqual(Array(2).fill({ number: 0, bytes: 60 }))
    recorded[0]!.done(true)
    expect([account.total, told]).toEqual([{ number: 0, bytes: 60 }, [true]])
  })

  it("no longer counts when it could not be recorded", () => {
    const { account, recorded, told, settle } = world(100)
    settle()
    recorded[0]!.done(false)
    expect([account.total, told]).toEqual([{ number: 0, bytes: 0 }, [false]])
  })

  it("is recorded without its body, as cut, where there is no room, and all else of it as it was", () => {
    const { account, recorded, settle } = world(100)
    settle()
    settle({ deliveryId: "e" })
    expect(recorded[1]!.outcome).toEqual({ ...failed, deliveryId: "e", body: "", truncated: true })
    expect(account.total.bytes).toBe(60)
  })

  it.each(["succeeded", "failed"] as const)("counts nothing where the delivery %s with it", (state) => {
    const { account, recorded, settle } = world(0)
    settle({ state })
    expect([recorded[0]!.outcome.body, account.total.bytes]).toEqual([failed.body, 0])
  })

  it("counts nothing without a body", () => {
    const { account, recorded, settle } = world(0)
    settle({ body: "" })
    expect([recorded[0]!.outcome.truncated, account.total.bytes]).toEqual([false, 0])
  })
})
