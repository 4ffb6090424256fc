/**
 * What nodes tell each other, as a port. Owns the closed list of topics and their messages; memory.ts serves one node,
 * layer.ts many. Delivery is at most once: whoever listens must be able to read the truth from the store instead.
 */
import { Context, type Effect, type Scope } from "effect"

/** The messages of each topic. Every message is plain JSON. */
export interface Topics {
  /** A key was revoked or changed: drop what is cached of it. */
  readonly key_changed: { readonly keyId: string }
  /** An account was changed (plan, disabled, override): drop what is cached of it. */
  readonly account_changed: { readonly accountId: string }
  /** An account is disabled: close the connections of all its daemons, which may come back once it is enabled. */
  readonly account_disabled: { readonly accountId: string }
  /** An account has more or fewer daemons or API keys: drop what is cached of how many. */
  readonly holdings_changed: { readonly accountId: string }
  /** An account is removed: close the connections of all its daemons. */
  readonly account_removed: { readonly accountId: string }
  /** A dashboard session was logged out. */
  readonly session_ended: { readonly sessionId: string }
  /**
   * Tokens of a daemon were revoked: drop what is cached of them. Its connection is still to be closed, but for one
   * whose token was made before `olderThan`, which is closed by this.
   */
  readonly token_revoked: { readonly daemonId: string; readonly olderThan?: number }
  /** A daemon's token was revoked, or its owner ordered a disconnect: close its connection. */
  readonly daemon_ordered: { readonly daemonId: string; readonly order: "disconnect" | "revoke" }
  /** The webhooks of an account changed, or it was disabled or enabled: read them again. */
  readonly webhooks_changed: { readonly accountId: string }
  /** Deliveries fell due for these webhooks. */
  readonly deliveries_due: { readonly webhookIds: ReadonlyArray<string> }
  /** An event for live streams (the payload is already an allow-list copy). */
  readonly event_happened: {
    readonly accountId: string
    readonly event: string
    readonly payload: unknown
    readonly timestamp: number
  }
  /** An administrator disabled or enabled TURN for somebody. */
  readonly turn_changed: {}
  /** A package changed: drop cached metadata of the type. */
  readonly package_changed: { readonly type: string }
}

/** A topic's name. */
export type Topic = keyof Topics

/** The port. */
export class Bus extends Context.Service<
  Bus,
  {
    /** Tells every node, this one included. Never fails and never waits: what cannot be sent is counted and logged. */
    readonly publish: <T extends Topic>(topic: T, message: Topics[T]) => void
    /** Hears a topic until the scope closes. The listener must not throw and must not block. */
    readonly subscribe: <T extends Topic>(
      topic: T,
      listener: (message: Topics[T]) => void
    ) => Effect.Effect<void, never, Scope.Scope>
    /**
     * Hears that messages may have been lost, until the scope closes: what is cached by their word must be dropped.
     * While the bus is away it is said once a second (`stands` false), so that no cache lives longer.
     */
    readonly gaps: (listener: (stands: boolean) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("hub/Bus") {}
