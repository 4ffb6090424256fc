/** What a view reads from the hub. Owns that the newest reading wins and that a view that is left reads no more. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { failureWords } from "./failure-words.ts"
import { useAfterOutage } from "./live-events.ts"

/** A reading and how it stands. */
export interface Fetched<A> {
  readonly value: A | undefined
  readonly failure: string | undefined
  readonly reload: () => void
  /** Puts a value in its place that is known without asking. */
  readonly set: (change: (before: A) => A) => void
}

/**
 * Reads when the view appears, when a dependency changes, after an outage, and on `reload`; what was read stays, and
 * `join` says what comes of it and a later reading.
 */
export const useFetched = <A>(
  load: (signal: AbortSignal) => Promise<A>,
  dependencies: ReadonlyArray<unknown>,
  join: (before: A, next: A) => A = (_, next) => next
) => {
  const [value, setValue] = useState<A | undefined>(undefined)
  const [failure, setFailure] = useState<string | undefined>(undefined)
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const joining = useRef(join)
  joining.current = join
  // the caller says what the reading depends on
  useEffect(() => setValue(undefined), dependencies)
  useEffect(() => {
    const controller = new AbortController()
    latest.current(controller.signal).then(
      (next) => {
        if (controller.signal.aborted) return
        setValue((before) => (before === undefined ? next : joining.current(before, next)))
        setFailure(undefined)
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setFailure(failureWords(error))
      }
    )
    return () => controller.abort()
  }, [...dependencies, turn])
  const reload = useCallback(() => setTurn((before) => before + 1), [])
  useAfterOutage(reload)
  const set = useCallback(
    (change: (before: A) => A) => setValue((before) => (before === undefined ? before : change(before))),
    []
  )
  const fetched: Fetched<A> = { value, failure, reload, set }
  return fetched
}
