/**
 * How many months of accounts a node counts in and writes at once, how large a block is, and how long it is waited for
 * and held.
 */
import { Effect, Exit, Fiber, Latch, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { makeLedger } from "../../../actors/limits/quota-ledger.ts"
import { takeOne } from "../../../src/domain/account/quota-block.ts"
import { StoreFailed } from "../../../src/errors.ts"
import {
  quotaAccountsMax,
  quotaAskMillis,
  quotaBlockMax,
  quotaFlushMillis,
  quotaFlushRowsMax,
  quotaHoldAloneMillis,
  quotaHoldMillis,
  quotaIdleMillis,
  quotaRenewMillis,
  quotaWaitMillisMax
} from "../../../src/limits.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import type { LeaseAsk, Usage } from "../../../src/store/accounts/usage.ts"
import { it, itWith } from "../../support/effect-test.ts"

const onNode = itWith(Layer.succeed(NodeId, "node_a"))

const month = "2026-01"

/** A store that grants what is asked for, and remembers how it was asked and what was written. */
const granting = () => {
  const asks: Array<LeaseAsk> = []
  const written: Array<number> = []
  const held = new Map<string, number>()
  const hold = (accountId: string, more: number): number => {
    held.set(accountId, (held.get(accountId) ?? 0) + more)
    return held.get(accountId)!
  }
  const store: Usage["Service"] = {
    lease: (ask) =>
      Effect.sync(() => {
        asks.push(ask)
        hold(ask.accountId, ask.blockMax)
        return { granted: ask.blockMax, used: 0, heldElsewhere: 0 }
      }),
    settle: ({ rows }) =>
      Effect.sync(() => {
        written.push(rows.length)
        return rows.map(({ accountId, used, givenBack }) => ({
          accountId,
          month,
          used,
          held: hold(accountId, -used - givenBack)
        }))
      }),
    used: () => Effect.succeed(0),
    expire: Effect.succeed(0)
  }
  return { store, asks, written }
}

describe("the months a node counts in", () => {
  onNode(`are ${quotaAccountsMax}; one more is overload, those it has go on`, function* () {
    const { open } = yield* makeLedger(granting().store, false)
    for (let nth = 0; nth < quotaAccountsMax; nth++) yield* open(`acc_${nth}`, month, 1_000)
    expect(yield* Effect.flip(open("one more", month, 1_000))).toMatchObject({ _tag: "Overloaded" })
    expect((yield* open("acc_0", month, 1_000)).accountId).toBe("acc_0")
  })

  onNode(`are written ${quotaFlushRowsMax} in a statement, and the rest in the next`, function* () {
    const { store, written } = granting()
    const { open, lease } = yield* makeLedger(store, false)
    for (let nth = 0; nth <= quotaFlushRowsMax; nth++) {
      const allowance = yield* open(`acc_${nth}`, month, 1_000)
      yield* lease(allowance)
      takeOne(allowance, 0)
    }
    yield* TestClock.adjust(quotaFlushMillis)
    expect(written).toEqual([quotaFlushRowsMax, 1])
  })

  onNode(`have blocks of ${quotaBlockMax} calls at most`, function* () {
    const { store, asks } = granting()
    const { open, lease } = yield* makeLedger(store, false)
    const allowance = yield* open("acc", month, 1_000_000)
    yield* lease(allowance)
    let served = 0
    while (takeOne(allowance, 0)) served++
    expect(served).toBe(quotaBlockMax)
    yield* lease(allowance)
    expect(asks.map(({ blockMax }) => blockMax)).toEqual([quotaBlockMax, quotaBlockMax])
  })

  onNode("keep the calls of a write that the end of the node comes upon", function* () {
    const { store } = granting()
    const mayEnd = Latch.makeUnsafe(false)
    let [used, givenBack] = [0, 0]
    const slow: Usage["Service"] = {
      ...store,
      settle: (settlement) =>
        Effect.gen(function* () {
          yield* mayEnd.await
          for (const row of settlement.rows) {
            used += row.used
            givenBack += row.givenBack
          }
          return yield* store.settle(settlement)
        })
    }
    const scope = yield* Scope.make()
    const { open, lease } = yield* Scope.provide(makeLedger(slow, false), scope)
    const allowance = yield* open("acc", month, 1_000)
    yield* lease(allowance)
    takeOne(allowance, 0)
    yield* TestClock.adjust(quotaFlushMillis)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    mayEnd.openUnsafe()
    yield* Fiber.join(closing)
    expect([used, givenBack]).toEqual([1, quotaBlockMax - 1])
  })
})

describe("a block", () => {
  onNode(
    `that other nodes hold is waited for ${quotaWaitMillisMax / 1_000} s, and asked for ${1_000 / quotaAskMillis} times a second`,
    function* () {
      const { store } = granting()
      let asks = 0
      const elsewhere = Effect.sync(() => {
        asks++
        return { granted: 0, used: 0, heldElsewhere: 5 }
      })
      const { open, lease } = yield* makeLedger({ ...store, lease: () => elsewhere }, false)
      const waits = yield* Effect.forkChild(lease(yield* open("acc", month, 1_000)), { startImmediately: true })
      yield* TestClock.adjust(quotaWaitMillisMax - 1)
      expect(waits.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(waits)).toBe(false)
      expect(asks).toBe(quotaWaitMillisMax / quotaAskMillis + 1)
    }
  )

  onNode("that was granted by an answer that was lost is used all the same, once the store says so", function* () {
    const { store } = granting()
    const lost = new StoreFailed({ operation: "lease calls", cause: "the answer is lost" })
    let answers = 0
    const unheard: Usage["Service"] = {
      ...store,
      lease: (ask) => Effect.tap(store.lease(ask), () => (answers++ === 0 ? Effect.fail(lost) : Effect.void))
    }
    const { open, lease } = yield* makeLedger(unheard, false)
    const allowance = yield* open("acc", month, 1_000)
    expect(yield* Effect.flip(lease(allowance))).toBe(lost)
    yield* lease(allowance)
    takeOne(allowance, 0)
    expect(allowance.left).toBe(quotaBlockMax - 1)
    yield* TestClock.adjust(quotaFlushMillis)
    expect(allowance.left).toBe(2 * quotaBlockMax - 1)
  })

  it.effect.each([
    { nodes: "among other nodes", alone: false, holds: quotaHoldMillis },
    { nodes: "on the only node", alone: true, holds: quotaHoldAloneMillis }
  ])(
    `goes back when it was not used for ${quotaHoldMillis / 1_000} s, on the only node ${quotaHoldAloneMillis / 1_000} s, and its month leaves memory after ${quotaIdleMillis / 1_000} s: $nodes`,
    ({ alone, holds }) =>
      Effect.gen(function* () {
        const { store } = granting()
        const givenBack: Array<number> = []
        const counted: Usage["Service"] = {
          ...store,
          settle: (settlement) => {
            givenBack.push(...settlement.rows.map((row) => row.givenBack))
            return store.settle(settlement)
          }
        }
        const { open, lease, find } = yield* makeLedger(counted, alone)
        const allowance = yield* open("acc", month, 1_000)
        yield* lease(allowance)
        yield* TestClock.adjust(holds - 1)
        expect(givenBack.every((calls) => calls === 0)).toBe(true)
        yield* TestClock.adjust(quotaFlushMillis)
        expect(givenBack.at(-1)).toBe(quotaBlockMax)
        // renewed as often as its lease needs, and no oftener
        expect(givenBack.length - 1).toBe(Math.ceil(holds / (quotaRenewMillis + quotaFlushMillis)) - 1)
        yield* TestClock.adjust(quotaIdleMillis - holds - quotaFlushMillis)
        expect(find("acc", month)).toBe(allowance)
        yield* TestClock.adjust(quotaFlushMillis)
        expect(find("acc", month)).toBeUndefined()
      }).pipe(Effect.provideService(NodeId, "node_a"), Effect.scoped)
  )
})
