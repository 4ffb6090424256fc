/** One session: what is said and done in it as it happens, the message box, the answer to what the agent asks. */
import { Refused } from "@hub/client"
import type { VNode } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { Badge } from "../components/badge.tsx"
import { Empty, Failure, Reading } from "../components/notices.tsx"
import { Page } from "../components/page.tsx"
import { linkTo } from "../routing.ts"
import { useAction } from "../state/action.ts"
import { nameOf } from "../state/daemon-list.ts"
import { failureWords } from "../state/failure-words.ts"
import { useFetched } from "../state/fetched.ts"
import { follow, type StreamState } from "../state/follow-stream.ts"
import { may, me } from "../state/membership.ts"
import { client } from "../state/session.ts"
import { afterGap, afterLogEvent, type Entry, emptyLog, openQuestion, type SessionLog } from "../state/session-log.ts"
import { useStore } from "../state/store.ts"
import { useThrottledState } from "../state/throttled-state.ts"
import { Approval } from "./approval.tsx"
import { ChatWithoutLog } from "./chat-without-log.tsx"
import { SessionEntry } from "./session-entry.tsx"

interface Where {
  readonly daemonId: string
  readonly sessionId: string
}

const endWords: Readonly<Record<string, string>> = {
  log_ended: "The session is over: its daemon has no log of it any more.",
  daemon_offline: "The daemon is offline.",
  daemon_revoked: "The daemon was revoked.",
  unsupported: "The daemon keeps no log any more."
}

/** Follows the log of a session from its oldest event on. */
const useSessionLog = ({ daemonId, sessionId }: Where) => {
  const [log, change] = useThrottledState<SessionLog>(emptyLog)
  const [state, setState] = useState<StreamState>("connecting")
  const [failure, setFailure] = useState<unknown>(undefined)
  const [end, setEnd] = useState<string | undefined>(undefined)
  useEffect(
    () =>
      follow({
        open: (options) => client.sessions.stream({ daemonId, sessionId, after: "0" }, options),
        item: (item) => {
          if (item.type === "event") change((before) => afterLogEvent(before, item.data))
          if (item.type === "gap" && item.reason !== "not_followed") {
            change((before) => afterGap(before, item.reason, Date.now()))
          }
          if (item.type === "end") setEnd(endWords[item.reason] ?? `The stream ended: ${item.reason}.`)
        },
        state: setState,
        failed: setFailure
      }),
    [daemonId, sessionId, change]
  )
  return { log, state, failure, end }
}

/** Keeps the newest entry in sight of who reads there. */
const useNewestInSight = (log: SessionLog): void => {
  const wasAtEnd = useRef(true)
  useEffect(() => {
    const page = document.documentElement
    const seen = () => {
      wasAtEnd.current = page.scrollHeight - page.scrollTop - page.clientHeight < 160
    }
    addEventListener("scroll", seen, { passive: true })
    return () => removeEventListener("scroll", seen)
  }, [])
  useEffect(() => {
    if (log.entries.length > 0 && wasAtEnd.current) scrollTo(0, document.documentElement.scrollHeight)
  }, [log])
}

interface SayProps {
  readonly target: string
  readonly busyAgent: boolean
  readonly said: () => void
}

const Say = ({ target, busyAgent, said }: SayProps) => {
  const [message, setMessage] = useState("")
  const { busy, failure, submit } = useAction()
  const send = submit(async () => {
    const answer = await client.shortcuts.send({ ideId: target, message })
    if (!answer.success) throw new Error(answer.error)
    setMessage("")
    said()
  })
  return (
    <form class="say" onSubmit={send}>
      <Failure text={failure} />
      <div class="inline wide">
        <textarea
          aria-label="Message"
          placeholder="Write to the agent"
          rows={2}
          required
          value={message}
          onInput={(event) => setMessage(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
            event.preventDefault()
            event.currentTarget.form?.requestSubmit()
          }}
        />
        <button type="submit" disabled={busy || busyAgent}>
          Send
        </button>
      </div>
    </form>
  )
}

/** Says whole things only: an agent's words come in pieces not to be read out one by one. */
const announcement = ({ entries, status }: SessionLog): string => {
  const last = entries.at(-1)
  if (last?.kind === "question" && last.answer === undefined) return `The agent asks: ${last.text}`
  if (last?.kind === "error") return last.text
  if (last?.kind === "message" && last.whole && status === "idle" && last.role !== "user") return last.text
  return ""
}

// an entry that is the same is not drawn again, however many there are
const drawn = new WeakMap<Entry, VNode>()
const entryOf = (entry: Entry): VNode => {
  const known = drawn.get(entry)
  if (known !== undefined) return known
  const made = <SessionEntry key={entry.key} entry={entry} />
  drawn.set(entry, made)
  return made
}

const lastQuestion = (): void => [...document.querySelectorAll(".question")].at(-1)?.scrollIntoView({ block: "center" })

/** The entries; the question that waits is asked below them. */
const Log = ({ log, question }: { readonly log: SessionLog; readonly question: Entry | undefined }) => (
  <>
    {log.cut && <p class="soft">The beginning is left out.</p>}
    <ol class="log" aria-label="What happened">
      {log.entries.filter((entry) => entry !== question).map(entryOf)}
    </ol>
    <p class="hidden" role="log" aria-live="polite">
      {announcement(log)}
    </p>
  </>
)

const lacksLog = (failure: unknown): boolean => failure instanceof Refused && failure.reason === "DAEMON_LACKS_FEATURE"

/** The view. */
export const SessionView = ({ daemonId, sessionId }: Where) => {
  const { log, state, failure, end } = useSessionLog({ daemonId, sessionId })
  const [turn, setTurn] = useState(0)
  useNewestInSight(log)
  const daemon = useFetched((signal) => client.daemons.status({ daemonId }, { signal }), [daemonId])
  const own = daemon.value?.sessions.find(({ id }) => id === sessionId)
  const target = `${daemonId}:session:${sessionId}`
  const question = openQuestion(log)
  const mayCommand = may(useStore(me), "operator")
  const live = state !== "ended" || lacksLog(failure)
  return (
    <Page
      title={own?.providerName ?? own?.providerType ?? "Session"}
      above={
        <>
          <a href={linkTo("daemons")}>Daemons</a> /{" "}
          <a href={linkTo("daemons", daemonId)}>{daemon.value === undefined ? daemonId : nameOf(daemon.value)}</a>
        </>
      }
      beside={
        <>
          {log.status !== undefined && <Badge state={log.status} />}
          <span class="soft" role="status">
            {state === "lost" ? "Reconnecting…" : ""}
          </span>
        </>
      }
      actions={
        log.entries.some(({ kind }) => kind === "question") && (
          <button type="button" class="quiet" onClick={lastQuestion}>
            Last question
          </button>
        )
      }
    >
      {lacksLog(failure) ? (
        <ChatWithoutLog target={target} turn={turn} />
      ) : (
        <Failure text={failure === undefined ? undefined : failureWords(failure)} />
      )}
      {failure === undefined && log.entries.length === 0 && state === "connecting" && <Reading />}
      {failure === undefined && log.entries.length === 0 && state === "open" && <Empty>Nothing was said yet.</Empty>}
      <Log log={log} question={question} />
      {end !== undefined && <p class="note">{end}</p>}
      {question !== undefined && mayCommand && <Approval key={question.key} target={target} question={question} />}
      {live && mayCommand && (
        <Say target={target} busyAgent={log.status === "generating"} said={() => setTurn((count) => count + 1)} />
      )}
    </Page>
  )
}
