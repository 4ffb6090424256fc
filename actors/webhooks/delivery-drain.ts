/**
 * The end of a node's deliveries. Owns its order: attempts under way, their outcomes, the leases; each step within its
 * share of the time. Starts and ends no attempt itself.
 */
import { Effect } from "effect"
import type { DrainDeadline } from "../../src/runtime/drain-deadline.ts"
import type { Outcomes } from "./outcomes.ts"

/** Attempts may take this share of a drain; the rest is for recording them. */
const attemptsShare = 0.85

/** The attempts under way, counted. */
export class Underway {
  private size = 0
  private quiet: (() => void) | undefined

  /** One more, or one fewer. */
  readonly change = (change: 1 | -1): void => {
    this.size += change
    if (this.size === 0) this.quiet?.()
  }

  /** How many there are. */
  readonly count = (): number => this.size

  /** Ends when there is none. */
  readonly calm = Effect.callback<void>((resume) => {
    this.quiet = () => resume(Effect.void)
    if (this.size === 0) this.quiet()
  })
}

/** What is to end. */
export interface Drained {
  readonly ending: DrainDeadline["Service"]
  readonly outcomes: Outcomes["Service"]
  readonly underway: Underway
  /** Ends the subscribers, which gives their leases into the line of those to release. */
  readonly leave: () => void
  readonly releasing: { readonly empty: Effect.Effect<void>; readonly waiting: () => number }
}

/** Ends when attempts are recorded and leases given back, or when the time of the drain is over. */
export const drained = ({ ending, outcomes, underway, leave, releasing }: Drained): Effect.Effect<void> =>
  ending
    .step("attempts", underway.calm, { share: attemptsShare, remains: underway.count })
    .pipe(
      Effect.andThen(ending.step("outcomes of deliveries", outcomes.empty)),
      Effect.andThen(Effect.sync(leave)),
      Effect.andThen(ending.step("leases", releasing.empty, { remains: releasing.waiting })),
      Effect.asVoid
    )
