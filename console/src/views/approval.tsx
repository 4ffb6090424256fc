/**
 * The answer to what an agent asks: bound to the question that was read, so that no other is answered by it. Where the
 * inbox has the agent's own answers, these are offered, also by their numbers.
 */
import type { Input } from "@hub/client"
import { useEffect, useRef, useState } from "preact/hooks"
import { useKeys } from "../components/keyboard.ts"
import { Failure } from "../components/notices.tsx"
import { answersSettleMillis } from "../limits.ts"
import { useAction } from "../state/action.ts"
import { inbox, type PendingApproval, readInboxSoon } from "../state/approvals.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { visible } from "../visible.ts"

type Answer = Input<"shortcuts.approve">["action"]

/** What is asked. */
export interface Question {
  readonly promptId: string | undefined
  readonly text: string
  readonly buttons: ReadonlyArray<string>
}

/** The question as the inbox has it, also once it has left that. */
const useOfInbox = (target: string, { promptId }: Question): PendingApproval | undefined => {
  const { approvals } = useStore(inbox)
  const known = useRef<PendingApproval | undefined>(undefined)
  known.current =
    approvals.find(
      (one) =>
        `${one.daemonId}:session:${one.sessionId}` === target && (promptId === undefined || one.promptId === promptId)
    ) ?? known.current
  return known.current
}

/** Whether this has been so for a moment: a click meant for what stood there before is none for what does now. */
export const useSettled = (so: unknown, first: unknown = so): boolean => {
  const [settled, settle] = useState(first)
  useEffect(() => {
    const timer = setTimeout(() => settle(so), answersSettleMillis)
    return () => clearTimeout(timer)
  }, [so])
  return settled === so
}

interface OptionsProps {
  readonly approval: PendingApproval
  readonly disabled: boolean
  readonly choose: (optionId: string) => void
  readonly reject: () => void
}

/** The agent's own answers; where none of them rejects, that is one more. */
const Options = ({ approval: { options = [] }, disabled, choose, reject }: OptionsProps) => {
  useKeys((key) => {
    const option = /^[1-9]$/u.test(key) ? options[Number(key) - 1] : undefined
    if (option !== undefined && !disabled) choose(option.optionId)
  })
  const classOf = (kind: string) => (kind.startsWith("reject") ? "danger" : kind === "allow_once" ? undefined : "quiet")
  return (
    <div class="actions">
      {options.map(({ optionId, name, kind }, at) => (
        <button
          key={optionId}
          type="button"
          class={classOf(kind)}
          disabled={disabled}
          aria-keyshortcuts={at < 9 ? String(at + 1) : undefined}
          onClick={() => choose(optionId)}
        >
          {visible(name)}
        </button>
      ))}
      {!options.some(({ kind }) => kind.startsWith("reject")) && (
        <button type="button" class="danger" disabled={disabled} onClick={reject}>
          Reject
        </button>
      )}
    </div>
  )
}

/** The question and its answers. */
export const Approval = ({ target, question }: { readonly target: string; readonly question: Question }) => {
  const { promptId, text, buttons } = question
  const approval = useOfInbox(target, question)
  const hasOptions = approval?.options !== undefined && approval.options.length > 0
  const { busy, failure, run } = useAction()
  const disabled = !useSettled(hasOptions) || busy
  const answer = (action: Answer) => () =>
    void run(async () => {
      const named = promptId === undefined ? {} : { promptId }
      const done = await client.shortcuts.approve({ ideId: target, action, ...named })
      if (!done.success) throw new Error(done.error)
    })
  const choose = (optionId: string) =>
    void run(async () => {
      const { approvalId, promptId } = approval!
      const done = await client.approvals.resolve({ approvalId, optionId, promptId }).finally(readInboxSoon)
      if (!done.success) throw new Error(done.error)
    })
  return (
    <section class="note warn question" aria-label="The agent asks">
      <p>
        <strong>The agent asks</strong>
      </p>
      <p class="said">{visible(text)}</p>
      {hasOptions ? (
        <p class="soft">Its answers are also at the keys from 1 on.</p>
      ) : (
        buttons.length > 0 && <p class="soft">It offers: {visible(buttons.join(", "))}</p>
      )}
      <Failure text={failure} />
      {hasOptions ? (
        <Options approval={approval} disabled={disabled} choose={choose} reject={answer("reject")} />
      ) : (
        <div class="actions">
          <button type="button" disabled={disabled} onClick={answer("approve")}>
            Approve
          </button>
          <button type="button" class="quiet" disabled={disabled} onClick={answer("always")}>
            Always
          </button>
          <button type="button" class="danger" disabled={disabled} onClick={answer("reject")}>
            Reject
          </button>
        </div>
      )}
    </section>
  )
}
