/**
 * The request log of this node: collects requests as they are answered, and writes them once a second. Owns when that
 * happens and what becomes of a failed write; a request never waits for it. request-shares.ts owns which are kept, the
 * store the rows.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { LoggedRequest } from "../../src/domain/account/logged-request.ts"
import { newId } from "../../src/domain/ids.ts"
import type { StoreFailed } from "../../src/errors.ts"
import {
  loggedAccountsMax,
  loggedRequestMillis,
  requestLogFlushMillis,
  requestLogSweepMillis
} from "../../src/limits/request-log.ts"
import { count } from "../../src/runtime/metrics.ts"
import { flushEvery, repeatEvery } from "../../src/runtime/repeat-every.ts"
import { LoggedRequests } from "../../src/store/accounts/logged-requests.ts"
import { whileFull } from "../../src/store/sql/pruning.ts"
import { type AccountBatch, RequestShares } from "./request-shares.ts"

/** A request that was answered. What takes time to make of it is made when it is written. */
export interface AnsweredRequest {
  readonly at: number
  readonly details: () => Omit<LoggedRequest, "id" | "accountId" | "at" | "omitted">
}

export class RequestLog extends Context.Service<
  RequestLog,
  {
    /** Whether one more request of an account has room until the next write; otherwise it is counted. */
    readonly admits: (accountId: string, failed: boolean) => boolean
    /** Adds one that was admitted. */
    readonly add: (accountId: string, request: AnsweredRequest) => void
    /** Writes now what was collected. */
    readonly flush: Effect.Effect<void>
    /** Removes now what is neither new nor young enough. */
    readonly sweep: Effect.Effect<void, StoreFailed>
  }
>()("hub/RequestLog") {
  static readonly layer = Layer.effect(RequestLog)(Effect.suspend(() => make))
}

const rowsOf = ({ accountId, kept, omitted }: AccountBatch<AnsweredRequest>): ReadonlyArray<LoggedRequest> =>
  kept.map(({ at, details }, nth) => ({
    id: newId("loggedRequest"),
    accountId,
    at,
    ...details(),
    omitted: nth === kept.length - 1 ? omitted : 0
  }))

const make = Effect.gen(function* () {
  const store = yield* LoggedRequests
  const shares = new RequestShares<AnsweredRequest>()
  /** Accounts that were written since the last sweep. */
  const written = new Set<string>()

  const flush = Effect.suspend(() => {
    const taken = shares.take()
    if (taken.length === 0) return Effect.void
    const told = Effect.sync(() => {
      for (const { accountId, omitted } of taken) {
        if (omitted > 0) count("hub_request_log_omitted_total", "", omitted)
        if (written.size < loggedAccountsMax) written.add(accountId)
      }
    })
    return Effect.catch(Effect.andThen(store.insert(taken.flatMap(rowsOf)), told), (failure) => {
      for (const { accountId, kept, omitted } of taken) shares.omit(accountId, kept.length + omitted)
      return Effect.logWarning("the request log was not written", failure.cause)
    })
  })

  const sweep = Effect.gen(function* () {
    const accounts = [...written]
    written.clear()
    yield* store.trim(accounts)
    const before = (yield* Clock.currentTimeMillis) - loggedRequestMillis
    yield* whileFull(store.prune(before))
  })

  yield* flushEvery(requestLogFlushMillis, "the request log was not written", flush)
  yield* repeatEvery(requestLogSweepMillis, "the request log was not shortened", sweep)

  return RequestLog.of({
    admits: (accountId, failed) => shares.admits(accountId, failed),
    add: (accountId, request) => shares.add(accountId, request),
    flush,
    sweep
  })
})
