/**
 * The months this node counts in: blocks in memory, what was served written in batches. Owns the map of months, the
 * shared asking for a block, and the flush; the verdict's words are quota.ts's. A block not used for a moment goes
 * back; a month not used for longer leaves memory.
 */
import { Clock, Deferred, Effect, type Exit } from "effect"
import { type Allowance, makeAllowance } from "../../src/domain/account/quota-block.ts"
import { newId } from "../../src/domain/ids.ts"
import { Overloaded, type StoreFailed } from "../../src/errors.ts"
import {
  quotaAccountsMax,
  quotaAskMillis,
  quotaBlockMax,
  quotaBlockShare,
  quotaFlushMillis,
  quotaFlushRowsMax,
  quotaHoldAloneMillis,
  quotaHoldMillis,
  quotaIdleMillis,
  quotaLeaseMillis,
  quotaRenewMillis,
  quotaSeenMillis,
  quotaWaitMillisMax
} from "../../src/limits.ts"
import { count } from "../../src/runtime/metrics.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import type { Usage } from "../../src/store/accounts/usage.ts"

type Store = Usage["Service"]

interface Months {
  readonly store: Store
  readonly nodeId: string
  /** Whether this node is the whole hub: nobody else writes to the months, or waits for their blocks. */
  readonly alone: boolean
  readonly now: () => number
  readonly steady: () => number
  readonly byName: Map<string, Allowance>
  /** The month opened last of each account: its name would be joined and hashed anew with every call. */
  readonly latest: Map<string, Allowance>
  /** When the store last answered for each, steady milliseconds. */
  readonly answeredAt: WeakMap<Allowance, number>
  readonly asking: Map<string, Deferred.Deferred<boolean, StoreFailed>>
}

const nameOf = (accountId: string, month: string): string => `${month} ${accountId}`
const busySeconds = 1

const find = (months: Months, accountId: string, month: string): Allowance | undefined => {
  const latest = months.latest.get(accountId)
  return latest?.month === month ? latest : months.byName.get(nameOf(accountId, month))
}

const forget = (months: Months, name: string, allowance: Allowance): void => {
  months.byName.delete(name)
  if (months.latest.get(allowance.accountId) === allowance) months.latest.delete(allowance.accountId)
}

const ask = Effect.fnUntraced(function* (months: Months, allowance: Allowance) {
  const { accountId, month, limit } = allowance
  const answer = yield* months.store.lease({
    nodeId: months.nodeId,
    accountId,
    month,
    limit,
    blockMax: quotaBlockMax,
    blockShare: quotaBlockShare,
    leaseMillis: quotaLeaseMillis
  })
  allowance.leases++
  allowance.left += answer.granted
  // what is being written may be counted in the answer already
  allowance.saved =
    allowance.writing === 0 ? answer.used : Math.max(allowance.saved, answer.used - Math.max(0, allowance.writing))
  allowance.elsewhere = answer.heldElsewhere
  months.answeredAt.set(allowance, months.steady())
  return allowance.left > 0
})

// What is free may all be held by other nodes: it is served or given back within moments, or runs out with its node.
const askUntilGiven = Effect.fnUntraced(function* (months: Months, allowance: Allowance) {
  const patience = months.steady() + quotaWaitMillisMax
  while (true) {
    if (yield* ask(months, allowance)) return true
    if (allowance.elsewhere === 0 || months.steady() >= patience) return false
    yield* Effect.sleep(quotaAskMillis)
  }
})

/** Asks the store for a block; all who ask meanwhile share the answer. True when something is left to serve. */
const lease = (months: Months, allowance: Allowance): Effect.Effect<boolean, StoreFailed> =>
  Effect.suspend(() => {
    const name = nameOf(allowance.accountId, allowance.month)
    const known = months.asking.get(name)
    if (known !== undefined) return Deferred.await(known)
    const answer = Deferred.makeUnsafe<boolean, StoreFailed>()
    months.asking.set(name, answer)
    const tell = (exit: Exit.Exit<boolean, StoreFailed>) =>
      Effect.suspend(() => {
        months.asking.delete(name)
        return Deferred.done(answer, exit)
      })
    // In a fiber of its own: a caller who hangs up must not take the answer away from the others.
    const asked = Effect.flatMap(Effect.exit(askUntilGiven(months, allowance)), tell)
    return Effect.andThen(Effect.forkDetach(asked, { startImmediately: true }), Deferred.await(answer))
  })

interface Written {
  readonly allowance: Allowance
  readonly used: number
  readonly givenBack: number
  readonly leases: number
}

const givesBack = (months: Months, allowance: Allowance): boolean =>
  months.now() - allowance.usedAt >= (months.alone ? quotaHoldAloneMillis : quotaHoldMillis)

// What is only held is written no oftener than its lease needs.
const isDue = (months: Months, allowance: Allowance, last: boolean): boolean => {
  if (allowance.unsaved !== 0) return true
  if (allowance.left === 0) return false
  const answeredAt = months.answeredAt.get(allowance) ?? -Infinity
  return last || givesBack(months, allowance) || months.steady() - answeredAt >= quotaRenewMillis
}

const closeBooks = (months: Months, allowance: Allowance, last: boolean): Written => {
  const used = allowance.unsaved
  const givenBack = last || givesBack(months, allowance) ? allowance.left : 0
  allowance.unsaved -= used
  allowance.writing = used
  allowance.writes++
  allowance.left -= givenBack
  return { allowance, used, givenBack, leases: allowance.leases }
}

const reopenBooks = ({ allowance, used, givenBack }: Written): void => {
  allowance.unsaved += used
  allowance.writing = 0
  allowance.writes++
  allowance.left += givenBack
}

const booked = ({ allowance, used }: Written): void => {
  allowance.saved += used
  allowance.writing = 0
  allowance.writes++
}

const writeSome = Effect.fnUntraced(function* (months: Months, batch: ReadonlyArray<Written>) {
  const rows = batch.map(({ allowance, used, givenBack }) => ({
    accountId: allowance.accountId,
    month: allowance.month,
    used,
    givenBack
  }))
  const answer = yield* Effect.result(
    months.store.settle({ nodeId: months.nodeId, leaseMillis: quotaLeaseMillis, rows })
  )
  if (answer._tag === "Failure") {
    for (const written of batch) reopenBooks(written)
    yield* Effect.logError("usage could not be written; the next flush writes it", answer.failure.cause)
    return
  }
  count(
    "hub_quota_written_total",
    "",
    rows.reduce((sum, { used }) => sum + Math.max(0, used), 0)
  )
  for (const written of batch) booked(written)
  const leasesThen = new Map(batch.map(({ allowance, leases }) => [allowance, leases]))
  for (const row of answer.success) {
    const allowance = find(months, row.accountId, row.month)
    // A block leased while this was written is not in its answer.
    if (allowance !== undefined) allowance.saved = Math.max(allowance.saved, row.used)
    if (allowance === undefined || allowance.leases !== leasesThen.get(allowance)) continue
    allowance.saved = row.used
    months.answeredAt.set(allowance, months.steady())
    // Our block ran out in the store: this node was away too long, and others may hold those calls now.
    if (!row.held) allowance.left = 0
  }
})

const flush = Effect.fnUntraced(function* (months: Months, last: boolean) {
  const now = months.now()
  const due: Array<Written> = []
  for (const [name, allowance] of months.byName) {
    if (isDue(months, allowance, last)) due.push(closeBooks(months, allowance, last))
    else if (allowance.left === 0 && now - allowance.usedAt >= quotaIdleMillis && !months.asking.has(name))
      forget(months, name, allowance)
  }
  for (let at = 0; at < due.length; at += quotaFlushRowsMax) {
    yield* writeSome(months, due.slice(at, at + quotaFlushRowsMax))
  }
})

/** The months of one node. */
export interface QuotaLedger {
  /** The month of an account, if it is in memory. */
  readonly find: (accountId: string, month: string) => Allowance | undefined
  /** The same, made when it is missing. Overloaded past the bound of months in memory. */
  readonly open: (accountId: string, month: string, limit: number) => Effect.Effect<Allowance, Overloaded>
  /** Whether what all nodes have written of it is known: said by the store a moment ago, or on one node at any time. */
  readonly isFresh: (allowance: Allowance) => boolean
  /** Asks for a block. True when something is left to serve. */
  readonly lease: (allowance: Allowance) => Effect.Effect<boolean, StoreFailed>
  /** Writes what was served. Never fails: what could not be written is written by the next. */
  readonly flush: Effect.Effect<void>
}

/**
 * A ledger over the store, flushing until the scope closes, and once more then. `alone`: no other node writes to it.
 */
export const makeLedger = Effect.fnUntraced(function* (store: Store, alone: boolean) {
  const clock = yield* Clock.Clock
  const months: Months = {
    store,
    nodeId: newId("session"),
    alone,
    now: () => clock.currentTimeMillisUnsafe(),
    steady: () => monotonicMillis(clock),
    byName: new Map(),
    latest: new Map(),
    answeredAt: new WeakMap(),
    asking: new Map()
  }
  yield* Effect.addFinalizer(() => flush(months, true))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(quotaFlushMillis), flush(months, false))))
  const ledger: QuotaLedger = {
    find: (accountId, month) => find(months, accountId, month),
    open: (accountId, month, limit) =>
      Effect.suspend(() => {
        const name = nameOf(accountId, month)
        const known = months.byName.get(name)
        if (known !== undefined) {
          known.limit = limit
          return Effect.succeed(known)
        }
        if (months.byName.size >= quotaAccountsMax) return Effect.fail(new Overloaded({ retryAfter: busySeconds }))
        const fresh = makeAllowance(accountId, month, limit, months.now())
        months.byName.set(name, fresh)
        months.latest.set(accountId, fresh)
        return Effect.succeed(fresh)
      }),
    isFresh: (allowance) => {
      const at = months.answeredAt.get(allowance)
      return at !== undefined && (alone || months.steady() - at < quotaSeenMillis)
    },
    lease: (allowance) => lease(months, allowance),
    flush: flush(months, false)
  }
  return ledger
})
