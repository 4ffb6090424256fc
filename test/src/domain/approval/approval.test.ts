/** What is shown of a question, whatever its daemon takes for its times. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { approvalCursor, readApprovalCursor } from "../../../../http/routes/paging.ts"
import { type Asking, approvalView } from "../../../../src/domain/approval/approval.ts"
import type { Snapshot } from "../../../../src/domain/daemon/snapshot.ts"
import { newId } from "../../../../src/domain/ids.ts"

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
