/** What agents wait on, over all machines: read, answered, and made a rule of. The keys a and r answer the first. */
import { useEffect } from "preact/hooks"
import { useKeys } from "../components/keyboard.ts"
import { Failure } from "../components/notices.tsx"
import { Page } from "../components/page.tsx"
import { RelativeTime } from "../components/relative-time.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { inbox, type PendingApproval, readFirst, readInboxSoon, readMore } from "../state/approvals.ts"
import { may, me } from "../state/membership.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { visible } from "../visible.ts"
import { useSettled } from "./approval.tsx"

type Decision = "approve" | "reject"

const ruleLink = ({ subject }: PendingApproval): string | undefined =>
  subject === undefined || subject.resource === ""
    ? undefined
    : `${linkTo("policies")}?rule=${encodeURIComponent(`allow ${subject.action} ${subject.resource}`)}`

const Question = ({ approval, at }: { readonly approval: PendingApproval; readonly at: number }) => {
  const { approvalId, promptId, title, subject, providerType, workspaceName, requestedAt, expiresAt } = approval
  const { busy, failure, run } = useAction()
  // another one may have stood here a moment ago
  const disabled = !useSettled(at, null) || busy
  const answer = (decision: Decision) =>
    run(async () => {
      const done = await client.approvals.resolve({ approvalId, decision, promptId }).finally(readInboxSoon)
      if (!done.success) throw new Error(done.error)
    })
  const pressed = (key: string): void => {
    if (key === "a") void answer("approve")
    if (key === "r") void answer("reject")
  }
  const who = useStore(me)
  const mayAnswer = may(who, "operator")
  useKeys(at === 0 && mayAnswer && !disabled ? pressed : undefined)
  const rule = may(who, "admin") ? ruleLink(approval) : undefined
  return (
    <li class="note warn question">
      <p>
        <strong class="break">{visible(title)}</strong>
      </p>
      {subject !== undefined && subject.resource !== title && (
        <p class="said">
          {subject.action}: {visible(subject.resource)}
        </p>
      )}
      <p class="soft">
        <a href={linkTo("daemons", approval.daemonId, "sessions", approval.sessionId)}>{visible(providerType)}</a>
        {workspaceName !== undefined && ` in ${visible(workspaceName)}`} · <RelativeTime at={requestedAt} />
        {expiresAt !== undefined && (
          <>
            {" "}
            · rejected <RelativeTime at={expiresAt} />
          </>
        )}
      </p>
      <Failure text={failure} />
      <div class="actions">
        {mayAnswer && (
          <>
            <button type="button" disabled={disabled} onClick={() => void answer("approve")}>
              Approve
            </button>
            <button type="button" class="danger" disabled={disabled} onClick={() => void answer("reject")}>
              Reject
            </button>
          </>
        )}
        {rule !== undefined && <a href={rule}>Make a rule…</a>}
      </div>
    </li>
  )
}

/** The view. */
export const InboxView = () => {
  const { approvals, total, hasMore } = useStore(inbox)
  const mayAnswer = may(useStore(me), "operator")
  useEffect(() => readFirst, [])
  return (
    <Page title="Approvals">
      <p class="soft">
        {total === 0
          ? "No agent waits for an answer."
          : mayAnswer
            ? "The first answer counts, from wherever it comes. The keys a and r approve and reject the first."
            : "Your role may read these, and answer none."}
      </p>
      <ul class="list" aria-label="Approvals">
        {approvals.map((approval, at) => (
          <Question key={approval.approvalId} approval={approval} at={at} />
        ))}
      </ul>
      {hasMore && (
        <button type="button" class="quiet" onClick={readMore}>
          Show more
        </button>
      )}
    </Page>
  )
}
