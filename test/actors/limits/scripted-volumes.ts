/** What a node holds of one account, over a scripted store, for tests. Asserts nothing. */
import { Effect, Layer } from "effect"
import { VolumeBudgets } from "../../../actors/limits/volume-budgets.ts"
import { Bus, type Topics } from "../../../src/bus/bus.ts"
import type { Plan } from "../../../src/domain/account/plans.ts"
import { noVolume, type Volume } from "../../../src/domain/account/volume.ts"
import type { StoreFailed } from "../../../src/errors.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { type Counted, Volumes } from "../../../src/store/accounts/volumes.ts"

/** One of it. */
export const one = { number: 1, bytes: 0 }

/** A store with one account; it counts at once unless there is something to wait for. */
export interface Scripted {
  plan: Plan
  held: Volume
  counts: Array<string>
  wait: Effect.Effect<void, StoreFailed>
}

/** Nothing yet. */
export const scripted = (): Scripted => ({ plan: "free", held: noVolume, counts: [], wait: Effect.void })

/** A node over it. */
export const node = (store = scripted()) =>
  Effect.gen(function* () {
    const count = (accountId: string): Effect.Effect<Counted, StoreFailed> =>
      Effect.suspend(() => {
        store.counts.push(accountId)
        return Effect.map(store.wait, () => ({
          plan: store.plan,
          parts: new Map([["outcomes", store.held]]),
          oldest: undefined
        }))
      })
    const heard: Array<(message: Topics["account_changed"]) => void> = []
    const layer = VolumeBudgets.layer.pipe(
      Layer.provide(
        Layer.mergeAll(
          Timers.layer,
          Layer.succeed(Volumes, { pending: count, outcomes: count, commands: count }),
          Layer.succeed(Bus, {
            publish: () => undefined,
            subscribe: (_, hear) =>
              Effect.sync(() => {
                heard.push(hear as (typeof heard)[number])
              }),
            gaps: () => Effect.void
          })
        )
      )
    )
    const { outcomes, pending } = yield* Effect.provide(VolumeBudgets, yield* Layer.build(layer))
    const account = outcomes.of("acc")
    /** Adds one if there is room. */
    const add = (): boolean => {
      if (outcomes.beyond(account, one, "outcomes") !== undefined) return false
      account.begin("outcomes", one)
      account.end("outcomes", one, one)
      store.held = { number: store.held.number + 1, bytes: 0 }
      return true
    }
    const addMany = (most: number) =>
      Effect.gen(function* () {
        for (let nth = 0; nth < most; nth++) {
          const added = add()
          yield* Effect.yieldNow
          if (!added) return nth
        }
        return most
      })
    return {
      store,
      outcomes,
      pending,
      account,
      add,
      addMany,
      changed: () => {
        for (const hear of heard) hear({ accountId: "acc" })
      }
    }
  })

/** Whatever can happen without time has. */
export const settled = Effect.gen(function* () {
  for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
})
