/** The payloads of `approval:requested` and `approval:resolved`. Owns their shapes and bounds. Pure. */
import { subjectCharsMax } from "../../limits/approvals.ts"
import { eventTextCharsMax, modalMessageBytesMax } from "../../limits/delivery.ts"
import type { StatusEvent } from "../../protocol/frames.ts"
import type { Answered } from "../approval/answered.ts"
import type { ApprovalView } from "../approval/approval.ts"
import { cutToBytes, cutToChars } from "../text/truncate.ts"
import type { EventPayload } from "./event-payload.ts"
import { daemonType } from "./events.ts"

const cut = (text: string): string => cutToChars(text, eventTextCharsMax)

/** A question that an agent waits on from now on. */
export const requestedPayload = (approval: ApprovalView, now: number): EventPayload => {
  const { daemonId, approvalId, sessionId, promptId, providerType, workspaceName, title, subject } = approval
  return {
    daemonId,
    daemonType,
    approvalId,
    targetSessionId: cut(sessionId),
    promptId: cut(promptId),
    providerType: cut(providerType),
    ...(workspaceName !== undefined && { workspaceName: cut(workspaceName) }),
    title: cutToBytes(title, modalMessageBytesMax),
    ...(subject !== undefined && {
      subject: { action: cut(subject.action), resource: cutToChars(subject.resource, subjectCharsMax) }
    }),
    requestedAt: approval.requestedAt,
    ...(approval.expiresAt !== undefined && { expiresAt: approval.expiresAt }),
    timestamp: now
  }
}

const answer = ({ by, decision, rule }: Answered) => ({
  by: by.kind,
  ...(decision !== undefined && { decision: cut(decision) }),
  ...(rule !== undefined && { rule: cut(rule) })
})

/** A question that waits no more. */
export const resolvedPayload = (approval: ApprovalView, answered: Answered, now: number): EventPayload => {
  const { daemonId, approvalId, sessionId, promptId, providerType } = approval
  return {
    daemonId,
    daemonType,
    approvalId,
    targetSessionId: cut(sessionId),
    promptId: cut(promptId),
    providerType: cut(providerType),
    ...answer(answered),
    count: 1,
    timestamp: now
  }
}

/** Questions that a policy decided before they were shown: the last of those alike, and how many. */
export const decidedPayload = (daemonId: string, given: StatusEvent, now: number): EventPayload => {
  const { targetSessionId, promptId, providerType, rule, decision, count = 1 } = given
  return {
    daemonId,
    daemonType,
    ...(targetSessionId !== undefined && { targetSessionId: cut(targetSessionId) }),
    ...(promptId !== undefined && { promptId: cut(promptId) }),
    ...(providerType !== undefined && { providerType: cut(providerType) }),
    ...answer({
      by: { kind: "policy" },
      ...(decision !== undefined && { decision }),
      ...(rule !== undefined && { rule })
    }),
    count,
    timestamp: now
  }
}
