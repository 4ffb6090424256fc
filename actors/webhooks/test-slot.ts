/**
 * The slot of a test among the requests under way of its webhook. Owns the tests that wait for one. The subscriber
 * grants it (decide.ts); without a subscriber on this node nothing of the webhook is under way here.
 */
import { Effect } from "effect"
import { Overloaded } from "../../src/errors.ts"
import { attemptMillisMax } from "../../src/limits/delivery.ts"
import type { SubscriberMessage } from "./messages.ts"

/** The slots of tests, one per webhook. */
export interface TestSlots {
  /**
   * Does a test's work once there is a slot; fails when none becomes free while an attempt may last. One per webhook
   * at a time.
   */
  readonly within: <A, E>(webhookId: string, work: Effect.Effect<A, E>) => Effect.Effect<A, E | Overloaded>
  /** The subscriber grants a slot. Ends when the test has ended. */
  readonly occupy: (webhookId: string) => Effect.Effect<void>
  /** The subscriber ended: nothing stands in the way of the test. */
  readonly grant: (webhookId: string) => void
  /** Whether a test waits or is under way. */
  readonly has: (webhookId: string) => boolean
}

interface Test {
  /** Lets a waiting test begin. */
  begin: (() => void) | undefined
  /** Tells the subscriber that the test has ended. */
  free: (() => void) | undefined
}

const retryAfter = Math.ceil(attemptMillisMax / 1_000)

/** Makes the slots; `tell` answers false where this node has no subscriber of that webhook. */
export const makeTestSlots = (
  tell: (webhookId: string, message: SubscriberMessage) => boolean,
  now: () => number
): TestSlots => {
  const tests = new Map<string, Test>()

  const grant = (webhookId: string): void => {
    const test = tests.get(webhookId)
    const begin = test?.begin
    if (test === undefined || begin === undefined) return
    test.begin = undefined
    begin()
  }

  const wait = (webhookId: string): Effect.Effect<void> =>
    Effect.callback((resume) => {
      tests.set(webhookId, { begin: () => resume(Effect.void), free: undefined })
      if (!tell(webhookId, { type: "test", now: now() })) grant(webhookId)
    })

  const end = (webhookId: string): void => {
    const test = tests.get(webhookId)
    tests.delete(webhookId)
    test?.free?.()
  }

  return {
    within: (webhookId, work) =>
      wait(webhookId).pipe(
        Effect.timeoutOrElse({
          duration: attemptMillisMax,
          orElse: () => Effect.fail(new Overloaded({ retryAfter }))
        }),
        Effect.andThen(work),
        Effect.ensuring(Effect.sync(() => end(webhookId)))
      ),
    occupy: (webhookId) =>
      Effect.callback((resume) => {
        const test = tests.get(webhookId)
        if (test === undefined) return resume(Effect.void)
        const free = (): void => resume(Effect.void)
        test.free = free
        grant(webhookId)
        return Effect.sync(() => {
          test.free = undefined
        })
      }),
    grant,
    has: (webhookId) => tests.has(webhookId)
  }
}
