/**
 * From an event to deliveries and live streams. Owns the port; live-dispatcher.ts implements it. An event is committed
 * before anything is sent. One that no webhook wants costs no write, except of the agents' state that it announces.
 */
import { Context, type Effect } from "effect"
import type { ToldStatus } from "../../src/domain/daemon/agent-status.ts"
import type { Tags } from "../../src/domain/daemon/tags.ts"
import type { EventName } from "../../src/domain/event/events.ts"
import type { StoreFailed } from "../../src/errors.ts"
import type { NewDelivery } from "../../src/store/webhooks/deliveries.ts"

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

/** An event whose deliveries another write commits, together with what the event tells of. */
export interface PreparedEvent {
  /** The deliveries that there is room for. */
  readonly deliveries: ReadonlyArray<NewDelivery>
  /**
   * Tells the outcome of that write, once. `inserted`: the ids of deliveries that it inserted, of this event or others.
   * Undefined: the event did not happen.
   */
  readonly committed: (inserted: ReadonlySet<string> | undefined) => void
}

/** The dispatcher. */
export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Ends when the deliveries are committed, or at once when no webhook wants the event. False: its account is
     * disabled, and nothing was done: its daemon may send it again.
     */
    readonly dispatch: (hubEvent: HubEvent) => Effect.Effect<boolean, StoreFailed>
    /**
     * Handles an event at once if it is known that no webhook wants it: nothing is written, nothing is awaited, and no
     * fiber is started. False: nothing was done, dispatch it.
     */
    readonly dispatchUnwanted: (hubEvent: HubEvent) => boolean
    /** Prepares an event that another write commits; that of a disabled account has no deliveries and is not told. */
    readonly prepare: (hubEvent: HubEvent) => Effect.Effect<PreparedEvent, StoreFailed>
  }
>()("hub/Dispatcher") {}
