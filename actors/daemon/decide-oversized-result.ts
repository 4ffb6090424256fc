/**
 * What becomes of a result that is larger than any may be: its command fails, with a word that says why. Owns the
 * finding of its id at the two ends of a text that nobody parses.
 */
import { close } from "../../src/protocol/close.ts"
import { end } from "./decide-end.ts"
import { recordResult } from "./decide-stored-command.ts"
import type { Pending } from "./pending-commands.ts"
import type { DaemonAction, DaemonMessage, DaemonState } from "./state.ts"

const words = { success: false, error: "The daemon's answer is larger than a result may be.", code: "RESULT_TOO_LARGE" }

const failed = (pending: Pending, durationMs: number): DaemonAction => ({
  do: "settle",
  pending,
  answer: { commandId: pending.id, result: undefined, durationMs, ...words }
})

/** Only an id that was asked for counts: a quote within a text has a backslash before it. */
const idsIn = (edges: string): ReadonlyArray<string> =>
  [...edges.matchAll(/"id"\s*:\s*"(\w{1,64})"/gu)].map((match) => match[1]!)

/** The turn of a frame that is larger than any may be. */
export const decideOversized = (
  state: DaemonState,
  { edges, now }: Extract<DaemonMessage, { tell: "oversized" }>
): ReadonlyArray<DaemonAction> => {
  state.heardAt = now
  for (const id of idsIn(edges)) {
    const pending = state.pending.take(id)
    if (pending !== undefined) return [failed(pending, Math.max(0, now - pending.acceptedAt))]
    if (state.kept.has(id)) return recordResult(state, { id, ...words }) ?? []
    if (state.abandoned.delete(id)) return [{ do: "ignore", why: "late result" }]
  }
  return end(state, close.frameInvalid, "lost")
}

/** The connection was cut off because of such a frame: when one command alone waited, it was its result. */
export const tooLargeByItself = (state: DaemonState): ReadonlyArray<DaemonAction> => {
  if (state.pending.size !== 1) return []
  const pending = state.pending.takeOldest()
  return pending === undefined ? [] : [failed(pending, Math.max(0, state.heardAt - pending.acceptedAt))]
}
