/** An event of the hub on its way to webhooks and live streams. Owns the shape. */
import type { ToldStatus } from "../daemon/agent-status.ts"
import type { Tags } from "../daemon/tags.ts"
import type { EventName } from "./events.ts"

/** One event of one account. The payload is already an allow-list copy. */
export interface HubEvent {
  readonly accountId: string
  /** The daemon it happened on; live streams filter by it. */
  readonly daemonId?: string
  /** Of the daemon as it is, or was at its end; absent: as this node or the store knows them. */
  readonly tags?: Tags
  readonly event: EventName
  readonly payload: Readonly<Record<string, unknown>>
  /** When the hub took it, epoch milliseconds; the delivery body's `timestamp`. */
  readonly timestamp: number
  /**
   * What receivers know of the daemon's agents from this event on: recorded with it, also where no webhook wants it.
   */
  readonly told?: ToldStatus & { readonly at: number }
  /** An event that its daemon numbered: the same (daemon, id) is dispatched once, however often it comes. */
  readonly dedupe?: { readonly daemonId: string; readonly id: string }
}
