/** Queues by key: how many keys one account has, beside others. */
import { Effect } from "effect"
import { expect, it } from "vitest"
import { makeQueues } from "../../../actors/push/keyed-queues.ts"

it("leave keys to other accounts, whatever one has under its own, and take more once some of those are over", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const ends: Array<() => void> = []
        const work = () => Effect.callback<void>((resume) => void ends.push(() => resume(Effect.void)))
        const { offer } = yield* makeQueues({ keysMax: 16, waitingMax: 1, atOnce: 1 }, work)
        const wide = Array.from({ length: 16 }, (_, at) => offer(`a https://${at}.test`, at))
        expect(wide.filter((isTaken) => isTaken)).toHaveLength(3)
        expect(offer("b https://0.test", 0)).toBe(true)
        ends[0]!()
        expect(offer("a https://9.test", 9)).toBe(true)
      })
    )
  ))
