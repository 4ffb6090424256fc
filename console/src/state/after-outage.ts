/** What a view does once the hub is there again after an outage. Owns how that is noticed: by the stream of events. */
import { useEffect, useRef } from "preact/hooks"
import { liveState } from "./live-events.ts"
import { useStore } from "./store.ts"

/** Calls `back` when the stream stands again that was lost. */
export const useAfterOutage = (back: () => void): void => {
  const live = useStore(liveState)
  const wasLost = useRef(false)
  useEffect(() => {
    if (live === "open" && wasLost.current) back()
    if (live === "open" || live === "lost") wasLost.current = live === "lost"
  }, [live])
}
