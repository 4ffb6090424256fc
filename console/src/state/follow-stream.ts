/**
 * Follows a stream of the hub while the page is seen. Owns the pause of a hidden page: a browser has six connections
 * to a hub for all its tabs, and a stream takes one.
 */
import type { StreamItem, StreamOptions } from "@hub/client"

/** How a stream stands. */
export type StreamState = "connecting" | "open" | "lost" | "ended"

/** What a stream is followed with. */
export interface Follower<Data> {
  readonly open: (options: StreamOptions) => AsyncIterable<StreamItem<Data>>
  readonly item: (item: StreamItem<Data>) => void
  readonly state: (state: StreamState) => void
  readonly failed: (error: unknown) => void
}

/** Follows until the returned function is called, the stream ends or it fails. */
export const follow = <Data>({ open, item, state, failed }: Follower<Data>): (() => void) => {
  let place: string | undefined
  let begun = false
  let over = false
  let controller: AbortController | undefined

  const run = async (): Promise<void> => {
    const own = new AbortController()
    controller = own
    const isOwn = () => controller === own && !own.signal.aborted
    state("connecting")
    // what came while nothing was followed is known only behind a place
    if (begun && place === undefined) item({ type: "gap", after: null, reason: "not_followed" })
    begun = true
    try {
      const lostMillisMax = Number.POSITIVE_INFINITY
      const options = { signal: own.signal, lostMillisMax, onState: (next: "open" | "lost") => isOwn() && state(next) }
      for await (const one of open(place === undefined ? options : { ...options, lastEventId: place })) {
        if (!isOwn()) return
        if (one.type === "event" && one.id !== undefined) place = one.id
        if (one.type === "end") {
          over = true
          state("ended")
        }
        item(one)
      }
    } catch (error) {
      if (!isOwn()) return
      over = true
      state("ended")
      failed(error)
    }
  }

  const stop = (): void => {
    controller?.abort()
    controller = undefined
  }
  const seen = (): void => {
    if (document.visibilityState === "hidden") stop()
    else if (controller === undefined && !over) void run()
  }
  document.addEventListener("visibilitychange", seen)
  seen()
  return () => {
    over = true
    document.removeEventListener("visibilitychange", seen)
    stop()
  }
}
