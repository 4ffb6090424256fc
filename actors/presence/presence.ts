/**
 * The presence of a daemon on the node that holds it, as a pure state machine. Owns two rules: the grace period, and
 * fencing (events of an older connection have no effect). That a time online is announced once when it begins and once
 * when it ends is the store's rule; roster.ts applies the actions.
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
  /** This node holds the daemon at this connection, which is not accepted yet, or is of a dead node. */
  | { readonly event: "claimed"; readonly epoch: number; readonly since: number }
  | { readonly event: "joined"; readonly epoch: number }
  /** A connection ended: `clean` by close code 1000 or 1001, `lost`, or `ordered` (already handled). */
  | { readonly event: "left"; readonly epoch: number; readonly how: "clean" | "lost" | "ordered"; readonly now: number }
  /** The hub must close the connection. */
  | { readonly event: "ordered"; readonly reason: Order; readonly now: number }
  | { readonly event: "graceEnded"; readonly now: number }

/** The actions, in order. */
export type PresenceAction =
  /** Ends the time online. `disabled`: a disabled account gets no events. */
  | { readonly do: "release"; readonly reason: DisconnectReason | "disabled"; readonly connectedMs: number }
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
  actions: [...before, { do: "release", reason, connectedMs: Math.max(0, now - presence.since) }]
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
  if (event.how === "clean") return goAway(presence, "closed", event.now, [])
  return { presence: { ...presence, at: "grace" }, actions: [{ do: "startGrace" }] }
}

/** Applies one event. */
export const step = (presence: Presence, event: PresenceEvent): PresenceTurn => {
  switch (event.event) {
    case "claimed":
      return claim(presence, event.epoch, event.since)
    case "joined":
      return presence.at === "grace" && presence.epoch === event.epoch
        ? { presence: { ...presence, at: "here" }, actions: [{ do: "stopGrace" }] }
        : stay(presence)
    case "left":
      return leave(presence, event)
    case "ordered":
      if (presence.at === "away") return stay(presence)
      return goAway(presence, event.reason, event.now, [
        presence.at === "grace" ? { do: "stopGrace" } : { do: "sendAway", epoch: presence.epoch, reason: event.reason }
      ])
    case "graceEnded":
      return presence.at === "grace" ? goAway(presence, "timeout", event.now, []) : stay(presence)
  }
}
