/** Acknowledgements of events: gathered for a tick, then one frame. Owns that turn. */
import { acksWaitingMax } from "../../src/limits.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import type { DaemonAction, DaemonState } from "./state.ts"

const nothing: ReadonlyArray<DaemonAction> = []

/** An event is committed: its id goes out with the others of this tick. */
export const acknowledge = (state: DaemonState, id: string): ReadonlyArray<DaemonAction> => {
  state.acks.push(id)
  if (state.acks.length >= acksWaitingMax) return flush(state)
  return state.acks.length === 1 ? [{ do: "flushSoon" }] : nothing
}

/** Sends what is acknowledged. */
export const flush = (state: DaemonState): ReadonlyArray<DaemonAction> => {
  if (state.acks.length === 0) return nothing
  const ids = state.acks
  state.acks = []
  return [{ do: "send", text: encodeFrame({ type: "event_ack", data: { ids } }) }]
}
