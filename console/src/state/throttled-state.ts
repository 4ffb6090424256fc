/** What happens often and is done seldom: many changes cost one drawing, many events one reading. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { drawMillis } from "../limits.ts"

/** Does something a little later, once for all who ask meanwhile. */
export const useGathered = (act: () => void, millis: number): (() => void) => {
  const latest = useRef(act)
  latest.current = act
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, millis)
  }, [millis])
}

/** The value as drawn, and how to change it. */
export const useThrottledState = <A>(first: A): readonly [value: A, change: (to: (before: A) => A) => void] => {
  const [value, setValue] = useState(first)
  const newest = useRef(first)
  const drawSoon = useGathered(() => setValue(() => newest.current), drawMillis)
  const change = useCallback(
    (to: (before: A) => A) => {
      newest.current = to(newest.current)
      drawSoon()
    },
    [drawSoon]
  )
  return [value, change]
}
