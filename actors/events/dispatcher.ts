/**
 * From an event to deliveries and live streams. Owns the port; live-dispatcher.ts implements it. An event is committed
 * before anything is sent. One that no webhook wants costs no write, except of the agents' state that it announces.
 */
import { Context, type Effect } from "effect"
import type { HubEvent } from "../../src/domain/event/hub-event.ts"
import type { StoreFailed } from "../../src/errors.ts"
import type { NewDelivery } from "../../src/store/webhooks/deliveries.ts"

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
