/** State that changes often and is drawn seldom: many changes cost one drawing. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { drawMillis } from "../limits.ts"

/** The value as drawn, and how to change it. */
export const useThrottledState = <A>(first: A): readonly [value: A, change: (to: (before: A) => A) => void] => {
  const [value, setValue] = useState(first)
  const newest = useRef(first)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const change = useCallback((to: (before: A) => A) => {
    newest.current = to(newest.current)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      setValue(() => newest.current)
    }, drawMillis)
  }, [])
  return [value, change]
}
