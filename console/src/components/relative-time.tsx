/** A point in time as people say it, with the exact one beside. Owns the words and that they stay true. */
import { useEffect, useState } from "preact/hooks"
import { clockMillis } from "../limits.ts"
import { agoWords } from "./time-words.ts"

/** `5 min ago`; `none` where there is no time. */
export const RelativeTime = ({
  at,
  none = "never"
}: {
  readonly at: number | null | undefined
  readonly none?: string
}) => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), clockMillis)
    return () => clearInterval(timer)
  }, [])
  if (at === null || at === undefined) return <span>{none}</span>
  const time = new Date(at)
  return (
    <time dateTime={time.toISOString()} title={time.toLocaleString()}>
      {agoWords(at, Math.max(now, Date.now()))}
    </time>
  )
}
