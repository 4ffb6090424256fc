/** What is shown of a question, whatever its daemon takes for its times, and which of many were asked first. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { approvalCursor, readApprovalCursor } from "../../../../http/routes/paging.ts"
import {
  type ApprovalView,
  type Asking,
  approvalsOf,
  approvalView,
  oldestOf
} from "../../../../src/domain/approval/approval.ts"
import type { Snapshot } from "../../../../src/domain/daemon/snapshot.ts"
import { newId } from "../../../../src/domain/ids.ts"
import { fc, forAll } from "../../../support/properties.ts"

const viewAt = (time: number) => {
  const activeModal = { promptId: "p", message: "Run it?", buttons: [], askedAt: time, expiresAt: time }
  const session = { id: "s", providerType: "x", kind: "cli", transport: "acp", status: "waiting", activeModal }
  const snapshot: Partial<Snapshot> = { daemonId: newId("daemon"), sessions: [session] }
  return approvalView(snapshot as Snapshot, session as Asking)
}

it.each([
  [-1e300, 0],
  [-1, 0],
  [1_790_000_000_000.7, 1_790_000_000_000],
  // nanoseconds
  [1_790_000_000_000_000_000, 999_999_999_999_999],
  [1e300, 999_999_999_999_999]
])("shows the time %s as %s, behind which a page of the inbox can begin", (given, shown) => {
  const view = viewAt(given)
  expect([view.requestedAt, view.expiresAt]).toEqual([shown, shown])
  const read = Effect.runSync(readApprovalCursor(approvalCursor(view)))
  expect(read).toEqual({ at: shown, id: view.approvalId })
})

it("makes the views of a report once, however often its daemon says the same and the inbox is read", () => {
  const activeModal = { promptId: "p", message: "Run it?", buttons: [], askedAt: 1 }
  const session = { id: "s", providerType: "x", kind: "cli", transport: "acp", status: "waiting", activeModal }
  const sessions = [session, { ...session, id: "idle", activeModal: undefined }] as Snapshot["sessions"]
  const seen = (lastSeenAt: number, online = true) =>
    ({ daemonId: "dmn_1", online, sessions, lastSeenAt }) as unknown as Snapshot
  const views = approvalsOf(seen(1))
  expect(views).toMatchObject([{ sessionId: "s", promptId: "p" }])
  expect(approvalsOf(seen(2))).toBe(views)
  expect(approvalsOf(seen(3, false))).toEqual([])
})

it("finds those that were asked first, in order, however many there are and however they come", () => {
  const times = fc.array(fc.nat(9), { maxLength: 60 })
  forAll(times, fc.integer({ min: 1, max: 8 }), (asked, count) => {
    const all = asked.map((requestedAt, at) => ({ requestedAt, approvalId: String(at * 7).padStart(3, "0") }))
    const order = (one: (typeof all)[0]) => one.requestedAt * 1_000 + Number(one.approvalId)
    const found = oldestOf(all as unknown as ReadonlyArray<ApprovalView>, count)
    expect(found).toEqual([...all].sort((one, other) => order(one) - order(other)).slice(0, count))
  })
})
