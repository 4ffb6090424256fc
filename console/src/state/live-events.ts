/**
 * The account's events as they happen: one stream for all views. Owns its life, which is that of the sign-in, and how
 * the end of an outage is noticed.
 */
import type { Streamed } from "@hub/client"
import { useEffect, useRef } from "preact/hooks"
import { follow, type StreamState } from "./follow-stream.ts"
import { client, session } from "./session.ts"
import { Store, useStore } from "./store.ts"

/** An event of the account. */
export type HubEvent = Streamed<"events.stream">

/** How the stream stands. */
export const liveState = new Store<StreamState>("connecting")

type Listener = (event: HubEvent | "gap") => void
const listeners = new Set<Listener>()

const tell = (event: HubEvent | "gap"): void => {
  for (const listener of [...listeners]) listener(event)
}

/** What of jobs is told is told to those only who name it. */
const named = ["*", "job:progress", "job:completed"] as const

let stop: (() => void) | undefined

const begin = (): void => {
  stop = follow<HubEvent>({
    open: (options) => client.events.stream({ event: [...named] }, options),
    item: (item) => {
      if (item.type === "event") tell(item.data)
      if (item.type === "gap") tell("gap")
    },
    state: (state) => liveState.set(state),
    failed: () => undefined
  })
}

/** Follows the events of whichever owner is signed in, from now on. */
export const followEvents = (): void => {
  let token: string | undefined
  const changed = (): void => {
    if (session.value?.token === token) return
    token = session.value?.token
    stop?.()
    stop = undefined
    if (token !== undefined) begin()
  }
  session.listen(changed)
  changed()
}

/** Calls with each event, with `gap` where some were missed, until what it returns is called. */
export const listenToEvents = (listener: Listener): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Calls with each event while the view is there; with `gap` where some were missed. */
export const useEvents = (listener: Listener): void => {
  const latest = useRef(listener)
  latest.current = listener
  useEffect(() => {
    const own: Listener = (event) => latest.current(event)
    return listenToEvents(own)
  }, [])
}

/** Calls `back` when the stream stands again that was lost. */
export const useAfterOutage = (back: () => void): void => {
  const live = useStore(liveState)
  const wasLost = useRef(false)
  useEffect(() => {
    if (live === "open" && wasLost.current) back()
    if (live === "open" || live === "lost") wasLost.current = live === "lost"
  }, [live])
}
