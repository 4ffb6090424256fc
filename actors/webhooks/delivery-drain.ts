/**
 * Drains the deliveries of a node. Owns the order: attempts under way, their outcomes, the subscribers, their leases;
 * each step within its share of the time. Starts no attempt itself.
 */
import { Effect, Latch } from "effect"
import type { DrainDeadline } from "../../src/runtime/drain-deadline.ts"
import type { Outcomes } from "./outcomes.ts"

/** Attempts may take this share of a drain; the rest is for recording them. */
const attemptsShare = 0.85

/** The attempts under way, counted. */
export class AttemptCounter {
  private size = 0
  private readonly idle = Latch.makeUnsafe(true)

  /** An attempt begins. */
  readonly begun = (): void => {
    if (this.size++ === 0) this.idle.closeUnsafe()
  }

  /** An attempt has ended, by whatever exit. */
  readonly ended = (): void => {
    if (--this.size === 0) this.idle.openUnsafe()
  }

  /** How many there are. */
  readonly count = (): number => this.size

  /** Ends when there is none. */
  readonly none = this.idle.await
}

/** What ends, and how. */
export interface DeliveryDrain {
  readonly ending: DrainDeadline["Service"]
  readonly outcomes: Outcomes["Service"]
  readonly attempts: AttemptCounter
  /** Ends the subscribers and waits for that. Each hands its lease to `releasing`. */
  readonly endSubscribers: Effect.Effect<unknown>
  readonly releasing: { readonly empty: Effect.Effect<void>; readonly waiting: () => number }
}

/**
 * Ends when attempts are recorded and leases released, or when the time of the drain is over. An attempt that is still
 * under way after its share is interrupted: its delivery stays pending, and the next holder of the lease tries again.
 */
export const drainDeliveries = (drain: DeliveryDrain): Effect.Effect<void> => {
  const { ending, outcomes, attempts, endSubscribers, releasing } = drain
  return ending
    .step("attempts", attempts.none, { share: attemptsShare, remains: attempts.count })
    .pipe(
      Effect.andThen(ending.step("outcomes of deliveries", outcomes.empty)),
      Effect.andThen(ending.step("subscribers", endSubscribers)),
      Effect.andThen(ending.step("leases", releasing.empty, { remains: releasing.waiting })),
      Effect.asVoid
    )
}
