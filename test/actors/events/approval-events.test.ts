/** What policies decided, as the audit log counts it. */
import { expect, it, vi } from "vitest"
import { makeNotedDecisions } from "../../../actors/events/approval-events.ts"
import { decisionsCountedMax } from "../../../src/limits/approvals.ts"

it("notes decisions that are alike once, however many there were, and none where there was none", () => {
  const note = vi.fn()
  const noted = makeNotedDecisions({ note, node: "node_1" })
  const daemon = { accountId: "acc_1", daemonId: "dmn_1" }
  const answered = { by: { kind: "policy" as const }, decision: "reject", rule: "all/1" }
  for (const times of [0, 3, 1e9]) noted(daemon, answered, times)
  expect(note.mock.calls.map(([, { detail }, times]) => [detail, times])).toEqual([
    ["reject by all/1", 3],
    ["reject by all/1", decisionsCountedMax]
  ])
})
