/** The chat of a daemon that keeps no log: read when asked for, with the question that waits. */
import { useEffect } from "preact/hooks"
import { Empty, Failure, Reading } from "../components/notices.tsx"
import { useFetched } from "../state/fetched.ts"
import { may, me } from "../state/membership.ts"
import { client } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { Approval, type Question } from "./approval.tsx"

const text = (value: unknown): string => (typeof value === "string" ? value : "")

interface Said {
  readonly role: string
  readonly text: string
}

/** A daemon's chat is passed on as it is: what does not fit is left out. */
const saidIn = (messages: unknown): ReadonlyArray<Said> =>
  (Array.isArray(messages) ? messages : []).map((message) => {
    const one = (message ?? {}) as Readonly<Record<string, unknown>>
    return { role: text(one["role"]), text: text(one["text"]) || text(one["content"]) }
  })

const read = async (target: string, signal: AbortSignal) => {
  const [status, chat] = await Promise.all([
    client.shortcuts.status({ ideId: target }, { signal }),
    client.shortcuts.read({ ideId: target }, { signal })
  ])
  if (!chat.success) throw new Error(chat.error)
  const { activeModal: modal } = status
  const question: Question | undefined =
    modal === undefined ? undefined : { promptId: modal.promptId, text: modal.message, buttons: modal.buttons }
  return { said: saidIn(chat.messages), question }
}

/** The chat; `turn`: another number where something was said. */
export const ChatWithoutLog = ({ target, turn }: { readonly target: string; readonly turn: number }) => {
  const { value, failure, reload } = useFetched((signal) => read(target, signal), [target])
  useEffect(() => {
    if (turn > 0) reload()
  }, [turn, reload])
  const mayAnswer = may(useStore(me), "operator")
  return (
    <>
      <div class="note">
        <span>This daemon keeps no log, so the chat is not live.</span>
        <button type="button" class="quiet" onClick={reload}>
          Read it again
        </button>
      </div>
      <Failure text={failure} again={reload} />
      {value === undefined && failure === undefined && <Reading />}
      {value?.said.length === 0 && <Empty>Nothing was said yet.</Empty>}
      <ol class="log" aria-label="Chat">
        {value?.said.map((one, at) => (
          // messages have no name of their own
          <li key={at} class={one.role === "user" ? "entry you" : "entry"}>
            <small class="soft">{one.role === "user" ? "You" : "Agent"}</small>
            <p class="said">{one.text}</p>
          </li>
        ))}
      </ol>
      {value?.question !== undefined && mayAnswer && <Approval target={target} question={value.question} />}
    </>
  )
}
