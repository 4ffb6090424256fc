/** When the request log of a node is written, and what a store that is away costs it. */
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { RequestLog } from "../../../actors/request-log/request-log.ts"
import type { LoggedRequest } from "../../../src/domain/account/logged-request.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { requestLogFlushMillis, requestLogSweepMillis } from "../../../src/limits/request-log.ts"
import { prunedRowsMax } from "../../../src/limits/store.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { LoggedRequests } from "../../../src/store/accounts/logged-requests.ts"
import { it } from "../../support/effect-test.ts"

const details = () => ({
  keyId: undefined,
  ownerId: undefined,
  requestId: "req_1",
  method: "GET",
  operation: "account.me",
  route: "/api/v1/me",
  path: "/api/v1/me",
  status: 200,
  reason: undefined,
  code: undefined,
  durationMicros: 5
})

const world = () =>
  Effect.gen(function* () {
    const written: Array<ReadonlyArray<LoggedRequest>> = []
    const trimmed: Array<ReadonlyArray<string>> = []
    const store = { away: false, old: 0 }
    const layer = RequestLog.layer.pipe(
      Layer.provide(
        Layer.succeed(LoggedRequests, {
          insert: (rows) =>
            Effect.suspend(() => {
              if (store.away) return Effect.fail(new StoreFailed({ operation: "store", cause: "away" }))
              written.push(rows)
              return Effect.void
            }),
          list: () => Effect.die("not asked"),
          trim: (accounts) => Effect.sync(() => trimmed.push(accounts)),
          prune: () =>
            Effect.sync(() => {
              const removed = Math.min(store.old, prunedRowsMax)
              store.old -= removed
              return removed
            })
        })
      )
    )
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(layer, scope)
    const log = yield* Effect.provide(RequestLog, context)
    const answer = (accountId: string, number = 1) => {
      for (let nth = 0; nth < number; nth++) {
        if (log.admits(accountId, false)) log.add(accountId, { at: nth, details })
      }
    }
    return { answer, written, trimmed, store, end: Scope.close(scope, Exit.void) }
  })

describe("the request log of a node", () => {
  it.effect("is written each second, with what is missing told by the last row of an account", function* () {
    const { answer, written } = yield* world()
    const before = counted("hub_request_log_omitted_total")
    answer("a", 100)
    answer("b")
    yield* TestClock.adjust(requestLogFlushMillis - 1)
    expect(written).toEqual([])
    yield* TestClock.adjust(1)
    const rows = written.flat()
    expect(rows.filter(({ accountId }) => accountId === "b")).toMatchObject([{ omitted: 0, path: "/api/v1/me" }])
    expect(rows.filter(({ omitted }) => omitted > 0)).toEqual([
      rows.filter(({ accountId }) => accountId === "a").at(-1)
    ])
    expect(rows.length + rows.reduce((sum, { omitted }) => sum + omitted, 0)).toBe(101)
    expect(counted("hub_request_log_omitted_total") - before).toBe(101 - rows.length)
    yield* TestClock.adjust(10 * requestLogFlushMillis)
    expect(written).toHaveLength(1)
  })

  it.effect("counts what a store that is away does not take, and tells it once that is back", function* () {
    const { answer, written, store } = yield* world()
    store.away = true
    answer("a", 3)
    yield* TestClock.adjust(5 * requestLogFlushMillis)
    store.away = false
    answer("a", 2)
    yield* TestClock.adjust(requestLogFlushMillis)
    expect(written.flat().map(({ omitted }) => omitted)).toEqual([0, 3])
  })

  it.effect("is written once more when the hub closes", function* () {
    const { answer, written, end } = yield* world()
    answer("a")
    yield* end
    expect(written.flat()).toHaveLength(1)
  })

  it.effect("has the rows of accounts that were written shortened each minute, and old rows removed", function* () {
    const { answer, trimmed, store } = yield* world()
    store.old = 2 * prunedRowsMax + 1
    answer("a")
    answer("b")
    yield* TestClock.adjust(requestLogSweepMillis)
    yield* TestClock.adjust(requestLogSweepMillis)
    expect(trimmed).toEqual([["a", "b"], []])
    expect(store.old).toBe(0)
  })
})
