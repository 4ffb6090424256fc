/** The push message of a question: its text, its headers, and what the answer of a push service means. Pure. */
import { pushLifeSecondsMax, pushSubjectCharsMax, pushTitleCharsMax } from "../../limits/push.ts"
import type { ApprovalView } from "../approval/approval.ts"
import { cutToChars } from "../text/truncate.ts"
import type { AttemptResult } from "../webhook/delivery.ts"
import { type VapidSigner, vapidAuthorization } from "./vapid.ts"

/** The id and the title; what the question is about only where its person wants to be shown it. */
export const approvalMessage = ({ approvalId, title, subject }: ApprovalView, showsSubject: boolean): string =>
  JSON.stringify({
    approvalId,
    title: cutToChars(title, pushTitleCharsMax),
    ...(showsSubject &&
      subject !== undefined && {
        subject: {
          action: cutToChars(subject.action, pushSubjectCharsMax),
          resource: cutToChars(subject.resource, pushSubjectCharsMax)
        }
      })
  })

/** Stands for who runs the hub, where its address is not known. */
const unknownSubject = "https://hub.invalid"

/** What a push service is told of a message (RFC 8030): how long it may keep it, and that it is urgent. */
export const messageHeaders = (
  signer: VapidSigner,
  endpoint: string,
  publicUrl: string | undefined,
  { expiresAt }: ApprovalView,
  now: number
): Record<string, string> => {
  const left = expiresAt === undefined ? pushLifeSecondsMax : Math.ceil((expiresAt - now) / 1_000)
  const subject = publicUrl?.startsWith("https:") === true ? publicUrl : unknownSubject
  return {
    authorization: vapidAuthorization(signer, endpoint, subject, now),
    "content-encoding": "aes128gcm",
    "content-type": "application/octet-stream",
    ttl: String(Math.max(0, Math.min(left, pushLifeSecondsMax))),
    urgency: "high"
  }
}

/** Whether the push service says that it knows the browser no more. */
export const isGone = ({ statusCode }: Pick<AttemptResult, "statusCode">): boolean =>
  statusCode === 404 || statusCode === 410
