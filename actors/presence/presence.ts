/**
 * The presence of a daemon as a pure state machine. Owns three rules: the grace period, one `daemon:connect` and one
 * `daemon:disconnect` per online period, and fencing (events of an older connection have no effect). roster.ts applies
 * the actions.
 */
import type { DisconnectReason } from "../events/daemon-events.ts"

/** Why the hub closes a connection: an order of the owner, or a disabled account. */
export type Order = "disconnected" | "revoked" | "disabled"

/** The state. `since`: start of the online period. `epoch`: the newest connection. */
export type Presence =
  | { readonly at: "away" }
  | { readonly at: "here"; readonly epoch: number; readonly since: number }
  | { readonly at: "grace"; readonly epoch: number; readonly since: number }

/** The events. */
export type PresenceEvent =
  | { readonly event: "joined"; readonly epoch: number; readonly now: number }
  /** A connection ended: `clean` by close code 1000 or 1001, `lost`, or `ordered` (already handled). */
  | { readonly event: "left"; readonly epoch: number; readonly how: "clean" | "lost" | "ordered"; readonly now: number }
  /** The hub must close the connection. */
  | { readonly event: "ordered"; readonly reason: Order; readonly now: number }
  | { readonly event: "graceEnded"; readonly now: number }
  /** A restarted hub found the daemon recorded as online. */
  | { readonly event: "recovered"; readonly epoch: number; readonly since: number }

/** The actions, in order. */
export type PresenceAction =
  | { readonly do: "announceConnect" }
  /** `disabled`: a disabled account gets no events. */
  | { readonly do: "announceDisconnect"; readonly reason: DisconnectReason | "disabled"; readonly connectedMs: number }
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

/** The initial state. */
export const away: Presence = { at: "away" }

const stay = (presence: Presence): PresenceTurn => ({ presence, actions: [] })

const goAway = (
  presence: Exclude<Presence, { at: "away" }>,
  reason: DisconnectReason | "disabled",
  now: number,
  before: ReadonlyArray<PresenceAction>
): PresenceTurn => ({
  presence: away,
  actions: [...before, { do: "announceDisconnect", reason, connectedMs: Math.max(0, now - presence.since) }]
})

const join = (presence: Presence, epoch: number, now: number): PresenceTurn => {
  switch (presence.at) {
    case "away":
      return { presence: { at: "here", epoch, since: now }, actions: [{ do: "announceConnect" }] }
    case "grace":
      return { presence: { at: "here", epoch, since: presence.since }, actions: [{ do: "stopGrace" }] }
    case "here":
      return {
        presence: { at: "here", epoch, since: presence.since },
        actions: [{ do: "replace", epoch: presence.epoch }]
      }
  }
}

const leave = (presence: Presence, event: Extract<PresenceEvent, { event: "left" }>): PresenceTurn => {
  if (presence.at !== "here" || presence.epoch !== event.epoch) return stay(presence)
  if (event.how === "clean") return goAway(presence, "closed", event.now, [])
  return { presence: { ...presence, at: "grace" }, actions: [{ do: "startGrace" }] }
}

/** Applies one event. */
export const step = (presence: Presence, event: PresenceEvent): PresenceTurn => {
  switch (event.event) {
    case "joined":
      return presence.at !== "away" && event.epoch <= presence.epoch
        ? stay(presence)
        : join(presence, event.epoch, event.now)
    case "left":
      return leave(presence, event)
    case "ordered":
      if (presence.at === "away") return stay(presence)
      return goAway(presence, event.reason, event.now, [
        presence.at === "grace" ? { do: "stopGrace" } : { do: "sendAway", epoch: presence.epoch, reason: event.reason }
      ])
    case "graceEnded":
      return presence.at === "grace" ? goAway(presence, "timeout", event.now, []) : stay(presence)
    case "recovered":
      if (presence.at !== "away") return stay(presence)
      return {
        presence: { at: "grace", epoch: event.epoch, since: event.since },
        actions: [{ do: "startGrace" }]
      }
  }
}
