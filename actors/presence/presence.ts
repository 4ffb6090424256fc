/**
 * The presence of a daemon on the node that holds it, as a pure state machine. Owns two rules: the grace period, and
 * fencing (events of an older connection have no effect). That a time online is announced once when it begins and once
 * when it ends is the store's rule; roster.ts applies the actions. Owns too how a connection closes by an order.
 */
import { type CloseRule, close, disabledClose } from "../../src/protocol/close.ts"
import type { DisconnectReason } from "../events/daemon-events.ts"

/** Why the hub closes a connection: an order of the owner, or a disabled account. */
export type Order = "disconnected" | "revoked" | "disabled"

const closeCodeOf = (reason: Order): number => {
  if (reason === "disabled") return close.accountDisabled.code
  return (reason === "revoked" ? close.tokenRevoked : close.disconnected).code
}

/** Its code and reason. A daemon of a disabled account is told its own time to come back. */
export const closeOf = (reason: Order, daemonId: string): CloseRule => {
  if (reason === "disabled") return disabledClose(daemonId)
  return reason === "revoked" ? close.tokenRevoked : close.disconnected
}

/**
 * The state. `since`: start of the online period. `epoch`: the newest connection. `code`: its close code; undefined
 * where none is known, as of a connection of a dead node.
 */
export type Presence =
  | { readonly at: "away" }
  | { readonly at: "here"; readonly epoch: number; readonly since: number }
  | { readonly at: "grace"; readonly epoch: number; readonly since: number; readonly code?: number | undefined }

export type PresenceEvent =
  /** This node holds the daemon at this connection, which is not accepted yet, or is of a dead node. */
  | { readonly event: "claimed"; readonly epoch: number; readonly since: number }
  | { readonly event: "joined"; readonly epoch: number }
  /** A connection ended: `clean` by close code 1000 or 1001, `lost`, or `ordered` (already handled). */
  | {
      readonly event: "left"
      readonly epoch: number
      readonly how: "clean" | "lost" | "ordered"
      readonly code: number
      readonly now: number
    }
  /** The hub must close the connection. */
  | { readonly event: "ordered"; readonly reason: Order; readonly now: number }
  | { readonly event: "graceEnded"; readonly now: number }

/** Why a time online ended; `code`: the close code of its last connection, where one is known. */
interface TimeOnlineEnd {
  readonly reason: DisconnectReason | "disabled"
  readonly code: number | undefined
}

/** The actions, in order. */
export type PresenceAction =
  /** Ends the time online. `disabled`: a disabled account gets no events. */
  | ({ readonly do: "release"; readonly connectedMs: number } & TimeOnlineEnd)
  /** Closes the older connection with 4409. */
  | { readonly do: "replace"; readonly epoch: number }
  /** Closes the connection with 4404, 4403 or 4423. */
  | { readonly do: "sendAway"; readonly epoch: number; readonly reason: Order }
  | { readonly do: "startGrace" }
  | { readonly do: "stopGrace" }

/** The result of one event. */
export interface PresenceTurn {
  readonly presence: Presence
  readonly actions: ReadonlyArray<PresenceAction>
}

export const away: Presence = { at: "away" }

const stay = (presence: Presence): PresenceTurn => ({ presence, actions: [] })

const goAway = (
  presence: Exclude<Presence, { at: "away" }>,
  end: TimeOnlineEnd,
  now: number,
  before: ReadonlyArray<PresenceAction>
): PresenceTurn => ({
  presence: away,
  actions: [...before, { do: "release", ...end, connectedMs: Math.max(0, now - presence.since) }]
})

const claim = (presence: Presence, epoch: number, since: number): PresenceTurn => {
  if (presence.at !== "away" && epoch <= presence.epoch) return stay(presence)
  const claimed: Presence = { at: "grace", epoch, since }
  if (presence.at === "away") return { presence: claimed, actions: [{ do: "startGrace" }] }
  const before: PresenceAction = presence.at === "here" ? { do: "replace", epoch: presence.epoch } : { do: "stopGrace" }
  return { presence: claimed, actions: [before, { do: "startGrace" }] }
}

const leave = (presence: Presence, event: Extract<PresenceEvent, { event: "left" }>): PresenceTurn => {
  if (presence.at !== "here" || presence.epoch !== event.epoch) return stay(presence)
  const { code } = event
  if (event.how === "clean") return goAway(presence, { reason: "closed", code }, event.now, [])
  return { presence: { ...presence, at: "grace", code }, actions: [{ do: "startGrace" }] }
}

const goByOrder = (presence: Presence, reason: Order, now: number): PresenceTurn => {
  if (presence.at === "away") return stay(presence)
  if (presence.at === "grace") return goAway(presence, { reason, code: presence.code }, now, [{ do: "stopGrace" }])
  return goAway(presence, { reason, code: closeCodeOf(reason) }, now, [
    { do: "sendAway", epoch: presence.epoch, reason }
  ])
}

export const step = (presence: Presence, event: PresenceEvent): PresenceTurn => {
  switch (event.event) {
    case "claimed":
      return claim(presence, event.epoch, event.since)
    case "joined":
      return presence.at === "grace" && presence.epoch === event.epoch
        ? { presence: { at: "here", epoch: presence.epoch, since: presence.since }, actions: [{ do: "stopGrace" }] }
        : stay(presence)
    case "left":
      return leave(presence, event)
    case "ordered":
      return goByOrder(presence, event.reason, event.now)
    case "graceEnded":
      return presence.at === "grace"
        ? goAway(presence, { reason: "timeout", code: presence.code }, event.now, [])
        : stay(presence)
  }
}
