/** What is counted together in the audit log, and its bounds. */
import { describe, expect, it } from "vitest"
import { AuditCounts } from "../../../actors/audit-log/audit-counts.ts"
import { type AuditEvent, auditActions } from "../../../src/domain/account/audit-event.ts"
import { auditAccountsMax, auditCountedPerAccountMax, auditWaitingMax } from "../../../src/limits/audit.ts"
import { given } from "../../support/given.ts"

type CountedEvent = Omit<AuditEvent, "id" | "count">

describe("events that are counted", () => {
  const event = (more: Partial<CountedEvent> = {}): CountedEvent => ({
    accountId: "acc_1",
    at: 1,
    actor: { kind: "key", id: "key_1" },
    action: "command.sent",
    object: "dmn_1",
    detail: "terminal_exec",
    outcome: "done",
    reason: undefined,
    address: "192.0.2.1",
    node: "node_1",
    requestId: "req_1",
    ...more
  })
  const add = (counts: AuditCounts, { at, action, outcome, object, detail, reason, ...origin }: CountedEvent) =>
    counts.add(origin, { action, outcome, object, detail, reason }, at)
  const make = () => {
    let made = 0
    return new AuditCounts(() => `aud_${++made}`)
  }

  given(make)("are one row where they are alike, with the time and request of the first", (counts) => {
    add(counts, event())
    add(counts, event({ at: 2, requestId: "req_2" }))
    add(counts, event({ address: "192.0.2.2" }))
    expect(counts.unwritten()).toEqual([
      { ...event(), id: "aud_1", count: 2 },
      { ...event({ address: "192.0.2.2" }), id: "aud_2", count: 1 }
    ])
  })

  given(make)("are given again until they are written as they are, under the same id", (counts) => {
    add(counts, event())
    const before = counts.unwritten()
    add(counts, event())
    counts.written(before)
    expect(counts.unwritten()).toEqual([{ ...event(), id: "aud_1", count: 2 }])
    counts.written(counts.unwritten())
    expect(counts.unwritten()).toEqual([])
  })

  given(make)("begin a new row in the next minute, unless they are not written yet", (counts) => {
    add(counts, event())
    counts.forget()
    add(counts, event())
    expect(counts.unwritten()).toMatchObject([{ id: "aud_1", count: 2 }])
    counts.written(counts.unwritten())
    counts.forget()
    expect(counts.size).toBe(0)
    add(counts, event())
    expect(counts.unwritten()).toMatchObject([{ id: "aud_2", count: 1 }])
  })

  it("fill no more rows of an account than there are, whatever a flood tries; the rest is told by action and outcome", () => {
    const counts = make()
    const flood = 1_000
    for (let from = 0; from < flood; from++)
      for (const action of auditActions) add(counts, event({ action, address: `192.0.2.${from}`, outcome: "refused" }))
    expect(counts.size).toBeLessThanOrEqual(auditCountedPerAccountMax + auditActions.length)
    const all = counts.unwritten().reduce((sum, { count }) => sum + count, 0)
    expect(all).toBe(flood * auditActions.length)
    const rest = counts.unwritten().at(-1)!
    expect(rest).toMatchObject({ object: undefined, detail: undefined, address: undefined, actor: { kind: "key" } })
    expect(rest.actor.id).toBeUndefined()
  })

  given(make)("leave the rows of another account alone", (counts) => {
    for (let from = 0; from < 1_000; from++) add(counts, event({ address: String(from) }))
    expect(add(counts, event({ accountId: "acc_2" }))).toBe("begun")
    expect(counts.unwritten().at(-1)).toMatchObject({ accountId: "acc_2", address: "192.0.2.1", count: 1 })
  })

  given(make)("have an end: of accounts, and of rows in all", (accounts) => {
    for (let nth = 0; nth < auditAccountsMax; nth++)
      expect(add(accounts, event({ accountId: `a${nth}` }))).toBe("begun")
    expect(add(accounts, event({ accountId: "one more" }))).toBe("omitted")
    expect(add(accounts, event({ accountId: "a0" }))).toBe("counted")
    const rows = make()
    for (let nth = 0; nth < auditWaitingMax; nth++)
      expect(add(rows, event({ accountId: `a${nth % 1_000}`, object: `o${nth}` }))).toBe("begun")
    expect(add(rows, event({ accountId: "a0", object: "one more" }))).toBe("omitted")
    expect(rows.size).toBe(auditWaitingMax)
  })
})
