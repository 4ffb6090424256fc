/**
 * The place of a test among the requests under way of its webhook. Owns who waits for one; the subscriber gives it
 * (decide.ts), and where this node holds none, nothing of it is under way here.
 */
import { Effect } from "effect"
import { Overloaded } from "../../src/errors.ts"
import { attemptMillisMax } from "../../src/limits/delivery.ts"
import type { SubscriberMessage } from "./messages.ts"

/** The places. */
export interface Places {
  /**
   * Does a test's work once there is a place; fails when none becomes free while an attempt may last. One a webhook at
   * a time.
   */
  readonly within: <A, E>(webhookId: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E | Overloaded>
  /** The subscriber gave the place, or there is no subscriber any more. */
  readonly given: (webhookId: string) => void
  /** A subscriber begins: it is told of the test that is under way. */
  readonly begun: (webhookId: string) => void
}

const retryAfter = Math.ceil(attemptMillisMax / 1_000)

/** Makes the places; `tell` answers false where this node has no subscriber of that webhook. */
export const makePlaces = (
  tell: (webhookId: string, message: SubscriberMessage) => boolean,
  now: () => number
): Places => {
  const tests = new Map<string, (() => void) | undefined>()

  const given = (webhookId: string): void => {
    const go = tests.get(webhookId)
    if (go === undefined) return
    tests.set(webhookId, undefined)
    go()
  }

  const wait = (webhookId: string): Effect.Effect<void> =>
    Effect.callback((resume) => {
      tests.set(webhookId, () => resume(Effect.void))
      if (!tell(webhookId, { type: "test", now: now() })) given(webhookId)
    })

  const leave = (webhookId: string): void => {
    tests.delete(webhookId)
    tell(webhookId, { type: "tested", now: now() })
  }

  return {
    within: (webhookId, work) =>
      wait(webhookId).pipe(
        Effect.timeoutOrElse({
          duration: attemptMillisMax,
          orElse: () => Effect.fail(new Overloaded({ retryAfter }))
        }),
        Effect.andThen(work),
        Effect.ensuring(Effect.sync(() => leave(webhookId)))
      ),
    given,
    begun: (webhookId) => {
      if (tests.has(webhookId)) tell(webhookId, { type: "test", now: now() })
    }
  }
}
