/**
 * What a daemon actor does about what it is told: the whole judgement of a connection after `auth_ok`. Owns the turn
 * of each message; does nothing itself. Turns change the state in place.
 */
import { iceRenewMillis, iceRetryMillis } from "../../src/limits.ts"
import { close, isCleanClose } from "../../src/protocol/close.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import { policiesCapability, selfUpdateCapability } from "../../src/protocol/frames.ts"
import type { Turn } from "../runtime/actor.ts"
import {
  abandonCommand,
  acceptCommand,
  cancelCommand,
  expireCommand,
  refuseCommand,
  resultRecorded,
  settleOversized,
  tooLargeByItself
} from "./decide-command.ts"
import { end, endClosed } from "./decide-end.ts"
import { acknowledge, flush } from "./decide-event.ts"
import { decideDueReport, decideFrame } from "./decide-frame.ts"
import { decideLarge, decideLooked } from "./decide-large-frame.ts"
import { decideLogAsked } from "./decide-log.ts"
import { noteMisfits } from "./problems.ts"
import type { DaemonAction, DaemonMessage, DaemonState } from "./state.ts"

const nothing: ReadonlyArray<DaemonAction> = []

/** The turn of one message. */
export const decide = (state: DaemonState, message: DaemonMessage): Turn<DaemonState, DaemonAction> => {
  if (state.over) return { state, actions: afterwards(message) }
  const isConfirming = !state.isConfirmed && confirms(state, message)
  const told = during(state, message)
  const actions = isConfirming ? [...confirmed(state), ...told] : told
  return { state, actions: state.leaving === "due" ? andGo(state, message, actions) : actions }
}

/** Past its slot it goes with the last command that waits for it. */
const andGo = (
  state: DaemonState,
  message: DaemonMessage,
  actions: ReadonlyArray<DaemonAction>
): ReadonlyArray<DaemonAction> => {
  const now = "now" in message ? message.now : state.heardAt
  if (state.over || state.commands.holdsConnection(now)) return actions
  return [...actions, ...end(state, close.restarting, "moving")]
}

/** Whether it shows that the daemon holds the connection: a frame, or the pong to a ping from `auth_ok` on. */
const confirms = ({ epoch }: DaemonState, message: DaemonMessage): boolean => {
  switch (message.type) {
    case "frame":
    case "large":
    case "oversized":
      return true
    case "heard":
      return message.pong === pingOf(epoch)
    case "closed":
      return message.oversized
    default:
      return false
  }
}

const pingOf = (epoch: number): string => `epoch ${epoch}`

/**
 * The daemon holds it: only now what it did not name in `auth` is lost. A node that was stopped before its claim
 * accepts a connection that the daemon gave up meanwhile for another, where it was sent commands that its `auth` cannot
 * name.
 */
const confirmed = (state: DaemonState): ReadonlyArray<DaemonAction> => {
  state.isConfirmed = true
  return [{ do: "reconcile" }]
}

const ping = ({ epoch }: DaemonState): DaemonAction => ({ do: "ping", payload: pingOf(epoch) })

const leave: ReadonlyArray<DaemonAction> = [{ do: "leave" }]

/** What is told to a connection that is over: a command fails, the rest is void. The last message lets it leave. */
const afterwards = (message: DaemonMessage): ReadonlyArray<DaemonAction> =>
  message.type === "command" ? [refuseCommand(message.pending), ...leave] : leave

const during = (state: DaemonState, message: DaemonMessage): ReadonlyArray<DaemonAction> => {
  switch (message.type) {
    case "accepted":
      return [
        ...noteMisfits(state, [...(message.misfits ?? []), ...seenOnConnect(state)]),
        ...iceAfterWelcome(state, message.now),
        ping(state)
      ]
    case "heard":
      state.heardAt = message.now
      return nothing
    case "frame":
      return decideFrame(state, message)
    case "reportDue":
      return decideDueReport(state, message.now)
    case "large":
      return decideLarge(state, message)
    case "looked":
      return decideLooked(state, message)
    case "oversized":
      return settleOversized(state, message)
    case "command":
      return acceptCommand(state, message)
    case "abandon":
      return abandonCommand(state, message.id)
    case "expire":
      return expireCommand(state, message.id)
    case "cancel":
      return cancelCommand(state, message.id)
    case "recorded":
      return resultRecorded(state, message.id)
    case "log":
      return decideLogAsked(state, message.asked, message.now)
    case "undelivered":
      return end(state, close.notReading, "lost")
    case "ack":
      return acknowledge(state, message.id)
    case "flush":
      return flush(state)
    case "iceDue":
      return iceDue
    case "ice":
      return renew(state, message)
    case "reconnect":
      state.leaving = "told"
      return [{ do: "send", text: encodeFrame({ type: "reconnect", data: { afterMs: message.afterMs } }) }]
    case "update":
      return state.capabilities.has(selfUpdateCapability) ? [{ do: "send", text: message.text }] : nothing
    case "policy":
      if (!state.capabilities.has(policiesCapability) || state.policyVersion === message.version) return nothing
      state.policyVersion = message.version
      return [{ do: "send", text: message.text }]
    case "slotOver":
      state.leaving = "due"
      return nothing
    case "superseded":
      return state.tokenAt < message.tokenAt ? end(state, close.tokenRevoked, "lost") : nothing
    case "order":
      return end(state, message.rule, message.departure)
    case "closed":
      return [
        ...(message.oversized ? tooLargeByItself(state) : nothing),
        ...endClosed(state, message.code, state.leaving ? "moving" : isCleanClose(message.code) ? "clean" : "lost")
      ]
  }
}

/** What the roster saw as it came, which is shown like what did not fit. */
const seenOnConnect = ({ snapshot }: DaemonState) =>
  (snapshot.problems ?? []).map((problem) => ({ ...problem, member: problem.at, times: 1 }))

/** Asks for a fresh set, and again later should none come of it. */
const iceDue: ReadonlyArray<DaemonAction> = [{ do: "iceLater", millis: iceRetryMillis }, { do: "renewIce" }]

/** A set that has expired already: the welcome did not wait for it. */
const iceAfterWelcome = ({ iceExpiresAt }: DaemonState, now: number): ReadonlyArray<DaemonAction> =>
  iceExpiresAt <= now ? iceDue : [{ do: "iceLater", millis: untilRenewal(iceExpiresAt, now) }]

const renew = (
  state: DaemonState,
  { set, now }: Extract<DaemonMessage, { type: "ice" }>
): ReadonlyArray<DaemonAction> => {
  // the same set once more (a cache gave it): not fresh, so the next try stays due
  if (set.expiresAt <= state.iceExpiresAt) return nothing
  const { iceServers, turn, expiresAt } = set
  // its source may be away for a moment: what the daemon has is good, and there is time for another try
  if (!turn && state.hasTurnServers && state.iceExpiresAt - iceRetryMillis > now) return nothing
  const later: DaemonAction = { do: "iceLater", millis: untilRenewal(expiresAt, now) }
  const worthTelling = turn || state.hasTurnServers
  state.iceExpiresAt = expiresAt
  state.hasTurnServers = turn
  // STUN alone carries no credential that could end
  if (!worthTelling) return [later]
  return [{ do: "send", text: encodeFrame({ type: "ice_servers", data: { iceServers, turn, expiresAt } }) }, later]
}

/** How long a set serves before the next is due. */
const untilRenewal = (expiresAt: number, now: number): number =>
  Math.max(iceRetryMillis, expiresAt - iceRenewMillis - now)
