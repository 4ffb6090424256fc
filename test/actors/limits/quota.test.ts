/**
 * The count that GET /usage shows: it never runs backwards, whatever is being written, leased or counted elsewhere
 * meanwhile.
 */
import { Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { Quota } from "../../../actors/limits/quota.ts"
import type { Plan } from "../../../src/domain/account/plans.ts"
import { quotaFlushMillis } from "../../../src/limits.ts"
import { toEffect } from "../../../src/runtime/maybe-sync.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { Usage } from "../../../src/store/accounts/usage.ts"
import { it } from "../../support/effect-test.ts"
import { fc, modelRuns } from "../../support/properties.ts"

/** A store whose writes wait: to be committed first, then to be answered. */
const slowStore = () => {
  let [total, held] = [0, 0]
  const commit = Latch.makeUnsafe(true)
  const answer = Latch.makeUnsafe(true)
  const store: Usage["Service"] = {
    lease: () =>
      Effect.sync(() => {
        held += 3
        return { granted: 3, used: total, heldElsewhere: 0 }
      }),
    settle: ({ rows }) =>
      Effect.gen(function* () {
        yield* commit.await
        for (const { used, givenBack } of rows) {
          total += used
          held -= used + givenBack
        }
        const settled = rows.map(({ accountId, month }) => ({ accountId, month, used: total, held }))
        yield* answer.await
        return settled
      }),
    used: () => Effect.sync(() => total),
    expire: Effect.succeed(0)
  }
  return { store, commit, answer, others: () => void total++ }
}

/** An older answer of a write, after a newer read. */
const overtaken: ReadonlyArray<(typeof steps)[number]> = ["hold answers", "take", "flush", "other node", "answer"]
const steps = ["take", "take", "other node", "flush", "hold commits", "commit", "hold answers", "answer"] as const

it.effect.each<Plan>(["pro", "enterprise"])(
  "the count that is shown never runs backwards, and holds every call of this node: %s",
  (plan) =>
    Effect.forEach(
      [overtaken, ...fc.sample(fc.array(fc.constantFrom(...steps), { maxLength: 40 }), modelRuns(60))],
      (taken) => {
        const { store, commit, answer, others } = slowStore()
        const walk = Effect.gen(function* () {
          const quota = yield* Quota
          let [own, elsewhere, shown] = [0, 0, 0]
          for (const step of taken) {
            if (step === "take") {
              yield* toEffect(quota.take("acc", plan))
              own++
            } else if (step === "other node") {
              others()
              elsewhere++
            } else if (step === "flush") yield* TestClock.adjust(quotaFlushMillis)
            else if (step === "hold commits") commit.closeUnsafe()
            else if (step === "commit") commit.openUnsafe()
            else if (step === "hold answers") answer.closeUnsafe()
            else answer.openUnsafe()
            yield* Effect.yieldNow
            const { used } = yield* quota.seen("acc", plan)
            expect(used, taken.join()).toBeGreaterThanOrEqual(Math.max(shown, own))
            expect(used, taken.join()).toBeLessThanOrEqual(own + elsewhere)
            shown = used
          }
          commit.openUnsafe()
          answer.openUnsafe()
        })
        return Effect.provide(
          walk,
          Layer.fresh(Quota.layer.pipe(Layer.provide(Layer.merge(Layer.succeed(Usage, store), NodeId.layer()))))
        )
      },
      { discard: true }
    )
)
