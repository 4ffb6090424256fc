/**
 * The turn of a `status_event`: which session it is about, that one which must name its session and does not is not
 * sent, and its acknowledgement: those of a tick are gathered for one frame. Owns that judgement; what is sent of it is
 * events/daemon-events.ts's.
 */
import { decidedWord, relayedEvent } from "../../src/domain/event/events.ts"
import { maySend, sessionOfEvent } from "../../src/domain/event/session-of-event.ts"
import { acksWaitingMax } from "../../src/limits.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import type { StatusEvent } from "../../src/protocol/frames.ts"
import type { SchemaViolation } from "../../src/protocol/tolerant.ts"
import { noteMisfits } from "./problems.ts"
import { PromptAnswers } from "./prompt-answers.ts"
import type { DaemonAction, DaemonState } from "./state.ts"

const at = "status_event.targetSessionId"
const unnamed: SchemaViolation = {
  member: at,
  at,
  reason: "is missing, and no session is known that it may mean",
  times: 1
}

export const decideEvent = (state: DaemonState, event: StatusEvent, now: number): ReadonlyArray<DaemonAction> => {
  if (event.event === decidedWord) return decided(state, event)
  const word = relayedEvent(event.event)
  if (word === undefined) return [{ do: "event", event, session: undefined }]
  const session = sessionOfEvent(state.snapshot, state.memory, word, event, now)
  if (maySend(word, session)) return [{ do: "event", event, session }]
  const notes = noteMisfits(state, [unnamed])
  // no better the next time: acknowledged, so that it is not sent for ever
  return [...notes, { do: "ignore", why: "event" }, ...(event.id === undefined ? [] : acknowledge(state, event.id))]
}

/** A policy decided. Of a question that was shown the next report tells that it ended. */
const decided = (state: DaemonState, event: StatusEvent): ReadonlyArray<DaemonAction> => {
  const { promptId, decision, rule, id } = event
  const isShown = state.snapshot.sessions.some(({ activeModal }) => activeModal?.promptId === promptId)
  if (promptId === undefined || !isShown) return [{ do: "decided", event }]
  const by = { kind: "policy" as const }
  state.answers ??= new PromptAnswers()
  state.answers.decided(promptId, {
    by,
    ...(decision !== undefined && { decision }),
    ...(rule !== undefined && { rule })
  })
  return id === undefined ? [] : acknowledge(state, id)
}

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
