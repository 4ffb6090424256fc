/**
 * Whether a daemon is online, as a pure rule: connections come and go, `daemon:connect` is said once per time online
 * and `daemon:disconnect` once at its end. Owns the grace and the fence (what an older connection still says counts for
 * nothing); roster.ts lives by it.
 */
import type { DisconnectReason } from "../events/daemon-events.ts"

/** Why a daemon is sent away: by its owner, or because its account is disabled. */
export type Order = "disconnected" | "revoked" | "disabled"

/** Where a daemon is. `since`: when this time online began; `epoch`: its newest connection. */
export type Presence =
  | { readonly at: "away" }
  | { readonly at: "here"; readonly epoch: number; readonly since: number }
  | { readonly at: "grace"; readonly epoch: number; readonly since: number }

/** What happens to it. */
export type PresenceEvent =
  | { readonly event: "joined"; readonly epoch: number; readonly now: number }
  /** A connection ended: meant (1000, 1001), by accident, or by an order that has been dealt with. */
  | { readonly event: "left"; readonly epoch: number; readonly how: "clean" | "lost" | "ordered"; readonly now: number }
  /** It is sent away. */
  | { readonly event: "ordered"; readonly reason: Order; readonly now: number }
  | { readonly event: "graceEnded"; readonly now: number }
  /** The hub restarted and finds it recorded as online. */
  | { readonly event: "recovered"; readonly epoch: number; readonly since: number }

/** What follows from it, in order. */
export type PresenceAction =
  | { readonly do: "announceConnect" }
  /** `disabled`: nobody is told, as of everything else that happens to such an account. */
  | { readonly do: "announceDisconnect"; readonly reason: DisconnectReason | "disabled"; readonly connectedMs: number }
  /** The older connection ends with 4409. */
  | { readonly do: "replace"; readonly epoch: number }
  /** The connection ends with 4404, 4403 or 4423. */
  | { readonly do: "sendAway"; readonly epoch: number; readonly reason: Order }
  | { readonly do: "startGrace" }
  | { readonly do: "stopGrace" }

/** A step. */
export interface PresenceTurn {
  readonly presence: Presence
  readonly actions: ReadonlyArray<PresenceAction>
}

/** Nowhere. */
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

/** What becomes of a daemon's presence. */
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
