/** Something that the owner does: at most once at a time, with a password where the hub wants one. */
import { useCallback, useRef, useState } from "preact/hooks"
import { failureWords } from "./failure-words.ts"
import { withRecentLogin } from "./recent-login.ts"

/** How an action stands. */
export interface Action {
  readonly busy: boolean
  readonly failure: string | undefined
  /** Runs it; gives undefined where it failed, which `failure` then says. */
  readonly run: <A>(action: () => Promise<A>) => Promise<A | undefined>
  /** What a form does with it when it is sent. */
  readonly submit: (action: () => Promise<unknown>) => (event: SubmitEvent) => void
  readonly clear: () => void
}

/** One action of a view. */
export const useAction = (): Action => {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string | undefined>(undefined)
  const running = useRef(false)
  const run = useCallback(async <A>(action: () => Promise<A>): Promise<A | undefined> => {
    if (running.current) return undefined
    running.current = true
    setBusy(true)
    setFailure(undefined)
    try {
      return await withRecentLogin(action)
    } catch (error) {
      setFailure(failureWords(error))
      return undefined
    } finally {
      running.current = false
      setBusy(false)
    }
  }, [])
  const submit: Action["submit"] = (action) => (event) => {
    event.preventDefault()
    void run(action)
  }
  const clear = useCallback(() => setFailure(undefined), [])
  return { busy, failure, run, submit, clear }
}
