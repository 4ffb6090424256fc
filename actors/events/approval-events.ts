/**
 * The events of approvals, from the changes between two reports and from what daemons decide by policies. Owns their
 * payloads' way to the dispatcher, the word to other nodes, and the count of each rule in the audit log.
 */
import type { Bus } from "../../src/bus/bus.ts"
import type { Answered } from "../../src/domain/approval/answered.ts"
import { type Asking, approvalIdOf, approvalView } from "../../src/domain/approval/approval.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { requestedPayload, resolvedPayload } from "../../src/domain/event/approval-payload.ts"
import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import { decidedDetailCharsMax, decisionsCountedMax } from "../../src/limits/approvals.ts"
import type { AuditLog } from "../audit-log/audit-log.ts"
import type { PushSender } from "../push/push-sender.ts"

/** Questions that began, and those that ended, with how. */
export interface ApprovalChange {
  readonly requested: ReadonlyArray<Asking>
  readonly resolved: ReadonlyArray<{ readonly session: Asking; readonly answered: Answered }>
}

/** Tells of a change. */
export const tellApprovals = (
  { daemonId, accountId, ...snapshot }: Snapshot,
  { requested, resolved }: ApprovalChange,
  now: number,
  {
    publish,
    dispatch,
    push
  }: {
    readonly publish: Bus["Service"]["publish"]
    readonly dispatch: (event: HubEvent) => void
    readonly push: PushSender["Service"]["offer"]
  }
): void => {
  const whole = { daemonId, accountId, ...snapshot }
  const about = { accountId, daemonId, timestamp: now }
  for (const { session, answered } of resolved) {
    publish("approval_resolved", { approvalId: approvalIdOf(daemonId, session), answered })
    const payload = resolvedPayload(approvalView(whole, session), answered, now)
    dispatch({ ...about, event: "approval:resolved", payload })
  }
  for (const session of requested) {
    const approval = approvalView(whole, session)
    dispatch({ ...about, event: "approval:requested", payload: requestedPayload(approval, now) })
    push(whole, approval)
  }
}

/** Counts in the audit log what policies decided, by rule. */
export const makeNotedDecisions =
  ({ note, node }: Pick<AuditLog["Service"], "note" | "node">) =>
  (
    { accountId, daemonId }: Pick<Snapshot, "accountId" | "daemonId">,
    { by, rule, decision }: Answered,
    times: number
  ) => {
    if (by.kind !== "policy" || times === 0) return
    const origin = { actor: { kind: by.kind }, accountId, address: undefined, node, requestId: undefined }
    const detail = `${decision ?? "decided"} by ${rule ?? "default"}`.slice(0, decidedDetailCharsMax)
    const decided = { action: "approval.decided", outcome: "done", object: daemonId, detail } as const
    note(origin, decided, Math.min(times, decisionsCountedMax))
  }
