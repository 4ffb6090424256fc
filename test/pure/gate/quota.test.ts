/** How many months of accounts a node counts in, how large a block it asks for, and how many it writes at once. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { makeLedger } from "../../../actors/ledger.ts"
import { takeOne } from "../../../src/domain/allowance.ts"
import { quotaAccountsMax, quotaBlockMax, quotaFlushMillis, quotaFlushRowsMax } from "../../../src/limits.ts"
import type { LeaseAsk, Usage } from "../../../src/store/usage.ts"

const month = "2026-01"

/** A store that grants what is asked for, and remembers how it was asked and what was written. */
const granting = () => {
  const asks: Array<LeaseAsk> = []
  const written: Array<number> = []
  const store: Usage["Service"] = {
    lease: (ask) =>
      Effect.sync(() => {
        asks.push(ask)
        return { granted: ask.blockMax, used: 0, heldElsewhere: 0 }
      }),
    settle: ({ rows }) =>
      Effect.sync(() => {
        written.push(rows.length)
        return rows.map(({ accountId, used }) => ({ accountId, month, used, held: true }))
      }),
    used: () => Effect.succeed(0),
    expire: Effect.succeed(0)
  }
  return { store, asks, written }
}

describe("the months a node counts in", () => {
  it.effect(`are ${quotaAccountsMax}; one more is overload, those it has go on`, () =>
    Effect.gen(function* () {
      const { open } = yield* makeLedger(granting().store)
      for (let nth = 0; nth < quotaAccountsMax; nth++) yield* open(`acc_${nth}`, month, 1_000)
      expect(yield* Effect.flip(open("one more", month, 1_000))).toMatchObject({ _tag: "Overloaded" })
      expect((yield* open("acc_0", month, 1_000)).accountId).toBe("acc_0")
    }).pipe(Effect.scoped)
  )

  it.effect(`are written ${quotaFlushRowsMax} in a statement, and the rest in the next`, () =>
    Effect.gen(function* () {
      const { store, written } = granting()
      const { open, lease } = yield* makeLedger(store)
      for (let nth = 0; nth <= quotaFlushRowsMax; nth++) {
        const allowance = yield* open(`acc_${nth}`, month, 1_000)
        yield* lease(allowance)
        takeOne(allowance, 0)
      }
      yield* TestClock.adjust(quotaFlushMillis)
      expect(written).toEqual([quotaFlushRowsMax, 1])
    }).pipe(Effect.scoped)
  )

  it.effect(`have blocks of ${quotaBlockMax} calls at most`, () =>
    Effect.gen(function* () {
      const { store, asks } = granting()
      const { open, lease } = yield* makeLedger(store)
      const allowance = yield* open("acc", month, 1_000_000)
      yield* lease(allowance)
      let served = 0
      while (takeOne(allowance, 0)) served++
      expect(served).toBe(quotaBlockMax)
      yield* lease(allowance)
      expect(asks.map(({ blockMax }) => blockMax)).toEqual([quotaBlockMax, quotaBlockMax])
    }).pipe(Effect.scoped)
  )
})
