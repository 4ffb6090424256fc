/**
 * The turn of a `status_event`: which session it is about, and that one which must name its session and does not is not
 * sent. Owns that judgement; what is sent of it is events/daemon-events.ts's.
 */
import { relayedEvent } from "../../src/domain/event/events.ts"
import { maySend, sessionOfEvent } from "../../src/domain/event/session-of-event.ts"
import type { StatusEvent } from "../../src/protocol/frames.ts"
import type { SchemaViolation } from "../../src/protocol/tolerant.ts"
import { acknowledge } from "./acks.ts"
import { noteMisfits } from "./problems.ts"
import type { DaemonAction, DaemonState } from "./state.ts"

const at = "status_event.targetSessionId"
const unnamed: SchemaViolation = {
  member: at,
  at,
  reason: "is missing, and no session is known that it may mean",
  times: 1
}

export const decideEvent = (state: DaemonState, event: StatusEvent, now: number): ReadonlyArray<DaemonAction> => {
  const word = relayedEvent(event.event)
  if (word === undefined) return [{ do: "event", event, session: undefined }]
  const session = sessionOfEvent(state.snapshot, state.memory, word, event, now)
  if (maySend(word, session)) return [{ do: "event", event, session }]
  const notes = noteMisfits(state, [unnamed])
  // no better the next time: acknowledged, so that it is not sent for ever
  return [...notes, { do: "ignore", why: "event" }, ...(event.id === undefined ? [] : acknowledge(state, event.id))]
}
