/**
 * The port for messages between nodes. Owns the closed list of topics and their messages. memory.ts serves one node,
 * layer.ts serves many. Delivery is at most once: every subscriber must be able to read the truth from the store.
 */
import { Context, type Effect, type Scope } from "effect"
import type { Answered } from "../domain/approval/answered.ts"
import type { OwnerTags, Tags } from "../domain/daemon/tags.ts"

/** The messages of each topic. Every message is plain JSON. */
export interface Topics {
  /** A key was revoked or changed: void its cache entries. */
  readonly key_changed: { readonly keyId: string }
  /** What a person granted to an app is over: its tokens are good for nothing more. */
  readonly grant_ended: { readonly grantId: string }
  /** An account was changed (plan, disabled, override): void its cache entries. */
  readonly account_changed: { readonly accountId: string }
  /** An account is disabled: close the connections of all its daemons, which may come back once it is enabled. */
  readonly account_disabled: { readonly accountId: string }
  /** An account has more or fewer daemons or API keys: void the cached counts. */
  readonly holdings_changed: { readonly accountId: string }
  /** An account is removed: close the connections of all its daemons. */
  readonly account_removed: { readonly accountId: string }
  /** The role of a person or a service account in an account was changed or ended: void their cache entries. */
  readonly member_changed: { readonly accountId: string; readonly member: string }
  /** A dashboard session was logged out. */
  readonly session_ended: { readonly sessionId: string }
  /**
   * Tokens of a daemon were revoked: void their cache entries. This message closes the connection only if its token was
   * made before `olderThan`; a separate order closes any other.
   */
  readonly token_revoked: { readonly daemonId: string; readonly olderThan?: number }
  /** A daemon's token was revoked, or its owner ordered a disconnect: close its connection. */
  readonly daemon_ordered: { readonly daemonId: string; readonly order: "disconnect" | "revoke" }
  /** The owner of a daemon gave it these tags. */
  readonly daemon_tagged: { readonly accountId: string; readonly daemonId: string; readonly ownerTags: OwnerTags }
  /** Daemons are to update to this release: tell those that are here. `url`: a path of this hub. */
  readonly daemon_update: {
    readonly daemonIds: ReadonlyArray<string>
    readonly version: string
    readonly url: string
    readonly sha256: string
  }
  /** A daemon says that it did not get this release to run: note it. */
  readonly update_failed: { readonly daemonId: string; readonly sha256: string; readonly reason: string }
  /** The policies of an account's versions changed: void what is cached of them. */
  readonly daemon_versions_changed: { readonly accountId: string }
  /** The policies of what an account's agents may do changed: tell its daemons. */
  readonly policies_changed: { readonly accountId: string }
  /** A question of an agent waits no more: say so to who answers it later. */
  readonly approval_resolved: { readonly approvalId: string; readonly answered: Answered }
  /** A daemon came back and says other tags of itself than before: judge anew who may see it. */
  readonly daemon_retagged: { readonly daemonId: string }
  /** A caller asked for the end of a command: tell its daemon. */
  readonly command_cancelled: { readonly daemonId: string; readonly commandId: string }
  /** A caller asked for the end of a job: tell its leader. */
  readonly job_cancelled: { readonly jobId: string }
  /** The webhooks of an account changed, or it was disabled or enabled: read them again. */
  readonly webhooks_changed: { readonly accountId: string }
  /** Deliveries fell due for these webhooks. */
  readonly deliveries_due: { readonly webhookIds: ReadonlyArray<string> }
  /** An event for live streams (the payload is already an allow-list copy). */
  readonly event_happened: {
    readonly accountId: string
    readonly event: string
    /** Of the daemon that it tells of. Absent: it tells of none, or a node of an earlier version said it. */
    readonly tags?: Tags
    readonly payload: unknown
    readonly timestamp: number
  }
  /** An administrator disabled or enabled TURN for an account or for all. */
  readonly turn_changed: {}
  /** A package changed: void the cached metadata of this type. */
  readonly package_changed: { readonly type: string }
}

export type Topic = keyof Topics

/** The message bus of the nodes. */
export class Bus extends Context.Service<
  Bus,
  {
    /**
     * Sends to every node, this one included. Never fails and never waits: what cannot be sent is counted and logged.
     */
    readonly publish: <T extends Topic>(topic: T, message: Topics[T]) => void
    /** Subscribes to a topic until the scope closes. The listener must not throw and must not block. */
    readonly subscribe: <T extends Topic>(
      topic: T,
      listener: (message: Topics[T]) => void
    ) => Effect.Effect<void, never, Scope.Scope>
    /**
     * Calls the listener when messages may have been lost, until the scope closes. Caches that messages of the bus void
     * must then be dropped. While the bus is down the listener is called once per second (`stands` false), which bounds
     * the life of any cache.
     */
    readonly gaps: (listener: (stands: boolean) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>()("hub/Bus") {}
