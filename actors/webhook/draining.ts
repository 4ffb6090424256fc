/** The end of a node's deliveries. Owns its order: attempts under way, their outcomes, the leases; each step within its share of the time. */
import { Effect } from "effect"
import type { Ending } from "../../src/ending.ts"
import type { Outcomes } from "./outcomes.ts"

/** Attempts may take this share of a drain; the rest is for recording them. */
const attemptsShare = 0.85

/** What is to end. */
export interface Drained {
  readonly ending: Ending["Service"]
  readonly outcomes: Outcomes["Service"]
  /** Attempts under way, and their end. */
  readonly underway: () => number
  readonly calm: Effect.Effect<void>
  /** Ends the subscribers, which gives their leases into the line of those to release. */
  readonly leave: () => void
  readonly releasing: { readonly empty: Effect.Effect<void>; readonly waiting: () => number }
}

/** Ends when attempts are recorded and leases given back, or when the time of the drain is over. */
export const drained = ({ ending, outcomes, underway, calm, leave, releasing }: Drained): Effect.Effect<void> =>
  ending
    .step("attempts", calm, { share: attemptsShare, remains: underway })
    .pipe(
      Effect.andThen(ending.step("outcomes of deliveries", outcomes.empty)),
      Effect.andThen(Effect.sync(leave)),
      Effect.andThen(ending.step("leases", releasing.empty, { remains: releasing.waiting })),
      Effect.asVoid
    )
