/** The answer to what an agent asks: bound to the question that was read, so that no other is answered by it. */
import type { Input } from "@hub/client"
import { Failure } from "../components/notices.tsx"
import { useAction } from "../state/action.ts"
import { client } from "../state/session.ts"
import { visible } from "../visible.ts"

type Answer = Input<"shortcuts.approve">["action"]

/** What is asked. */
export interface Question {
  readonly promptId: string | undefined
  readonly text: string
  readonly buttons: ReadonlyArray<string>
}

/** The question and its three answers. */
export const Approval = ({ target, question }: { readonly target: string; readonly question: Question }) => {
  const { promptId, text, buttons } = question
  const { busy, failure, run } = useAction()
  const answer = (action: Answer) => () =>
    run(async () => {
      const named = promptId === undefined ? {} : { promptId }
      const done = await client.shortcuts.approve({ ideId: target, action, ...named })
      if (!done.success) throw new Error(done.error)
    })
  return (
    <section class="note warn question" aria-label="The agent asks">
      <p>
        <strong>The agent asks</strong>
      </p>
      <p class="said">{visible(text)}</p>
      {buttons.length > 0 && <p class="soft">It offers: {visible(buttons.join(", "))}</p>}
      <Failure text={failure} />
      <div class="actions">
        <button type="button" disabled={busy} onClick={answer("approve")}>
          Approve
        </button>
        <button type="button" class="quiet" disabled={busy} onClick={answer("always")}>
          Always
        </button>
        <button type="button" class="danger" disabled={busy} onClick={answer("reject")}>
          Reject
        </button>
      </div>
    </section>
  )
}
