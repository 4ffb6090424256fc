/** The push message of a question: its text, its headers, and what the answer of a push service means. Pure. */
import { pushLifeSecondsMax, pushSubjectCharsMax, pushTitleCharsMax } from "../../limits/push.ts"
import type { ApprovalView } from "../approval/approval.ts"
import { cutToChars } from "../text/truncate.ts"
import type { AttemptResult } from "../webhook/delivery.ts"
import { type VapidSigner, vapidAuthorization } from "./vapid.ts"

/** What a push message can answer; `always` is a matter for the inbox. */
export type PushDecision = "approve" | "reject"

/** The token of each decision that a message offers. */
export type AnswerTokens = Readonly<Partial<Record<PushDecision, string>>>

/** What can be answered unseen. A choice among several answers is no matter of yes or no, and can be rejected only. */
const offeredDecisions = ({ options }: Pick<ApprovalView, "options">): ReadonlyArray<PushDecision> => {
  const choices = options?.filter(({ kind }) => kind === "allow_once").length ?? 1
  return choices === 1 ? ["approve", "reject"] : ["reject"]
}

/** What messages say of a question, and what they offer. */
export interface Asked extends Pick<ApprovalView, "approvalId" | "title" | "subject" | "expiresAt"> {
  readonly decisions: ReadonlyArray<PushDecision>
}

/** Cut, and copied: the question itself may be as long as a report, and it waits until its account may tell of more. */
export const askedOf = ({ approvalId, title, subject, options, expiresAt }: ApprovalView): Asked =>
  structuredClone({
    approvalId,
    title: cutToChars(title, pushTitleCharsMax),
    ...(subject !== undefined && {
      subject: {
        action: cutToChars(subject.action, pushSubjectCharsMax),
        resource: cutToChars(subject.resource, pushSubjectCharsMax)
      }
    }),
    ...(expiresAt !== undefined && { expiresAt }),
    decisions: offeredDecisions({ options })
  })

/** The id, the title and the tokens; what the question is about only where its person wants to be shown it. */
export const approvalMessage = (
  { approvalId, title, subject }: Asked,
  showsSubject: boolean,
  answers: AnswerTokens
): string => JSON.stringify({ approvalId, title, answers, ...(showsSubject && { subject }) })

/** Stands for who runs the hub, where its address is not known. */
const unknownSubject = "https://hub.invalid"

/** What a push service is told of a message (RFC 8030): how long it may keep it, and that it is urgent. */
export const messageHeaders = (
  signer: VapidSigner,
  endpoint: string,
  publicUrl: string | undefined,
  { expiresAt }: Pick<Asked, "expiresAt">,
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

/** Whether the push service may take the same message a little later. */
export const mayBeTakenLater = ({ statusCode, error }: Pick<AttemptResult, "statusCode" | "error">): boolean =>
  statusCode === undefined ? error !== "blocked_address" : statusCode === 429 || statusCode >= 500
