/**
 * The quota accounts of this node by calendar month: leased blocks in memory, and batched writes of the usage. Owns the
 * map of months, the single flight per lease request, and the flush. An idle block is returned to the store, and an
 * idle month leaves memory. quota.ts makes the decisions.
 */
import { Clock, Effect } from "effect"
import { type Allowance, makeAllowance } from "../../src/domain/account/quota-block.ts"
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
import { NodeId } from "../../src/runtime/node-id.ts"
import { flushEvery } from "../../src/runtime/repeat-every.ts"
import { type SingleFlight, singleFlight } from "../../src/runtime/single-flight.ts"
import type { Usage } from "../../src/store/accounts/usage.ts"

type Store = Usage["Service"]

interface Months {
  readonly store: Store
  readonly nodeId: string
  /** Whether the hub has one node only, so that no other node writes usage or waits for blocks. */
  readonly alone: boolean
  readonly now: () => number
  readonly monotonic: () => number
  readonly byName: Map<string, Allowance>
  /** The newest month per account: saves a string join and a hash per call. */
  readonly latest: Map<string, Allowance>
  /** Monotonic time of the last answer of the store. */
  readonly answeredAt: WeakMap<Allowance, number>
  readonly leasing: SingleFlight<boolean, StoreFailed>
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
  // the answer may include the usage of a running write
  allowance.saved =
    allowance.writing === 0 ? answer.used : Math.max(allowance.saved, answer.used - Math.max(0, allowance.writing))
  allowance.elsewhere = answer.heldElsewhere
  months.answeredAt.set(allowance, months.monotonic())
  return allowance.left > 0
})

// Other nodes may hold all free calls. They use them, return them or lose their lease within a short time.
const askUntilGiven = Effect.fnUntraced(function* (months: Months, allowance: Allowance) {
  const patience = months.monotonic() + quotaWaitMillisMax
  while (true) {
    if (yield* ask(months, allowance)) return true
    if (allowance.elsewhere === 0 || months.monotonic() >= patience) return false
    yield* Effect.sleep(quotaAskMillis)
  }
})

/** Leases a block from the store, once for all concurrent callers. True: the block has calls left. */
const lease = (months: Months, allowance: Allowance): Effect.Effect<boolean, StoreFailed> =>
  months.leasing.ask(nameOf(allowance.accountId, allowance.month), askUntilGiven(months, allowance))

interface Written {
  readonly allowance: Allowance
  readonly used: number
  readonly givenBack: number
  readonly left: number
  readonly leases: number
}

const givesBack = (months: Months, allowance: Allowance): boolean =>
  months.now() - allowance.usedAt >= (months.alone ? quotaHoldAloneMillis : quotaHoldMillis)

// An unused block is written only to renew its lease.
const isDue = (months: Months, allowance: Allowance, last: boolean): boolean => {
  if (allowance.unsaved !== 0) return true
  if (allowance.left === 0) return false
  const answeredAt = months.answeredAt.get(allowance) ?? -Infinity
  return last || givesBack(months, allowance) || months.monotonic() - answeredAt >= quotaRenewMillis
}

const closeBooks = (months: Months, allowance: Allowance, last: boolean): Written => {
  const used = allowance.unsaved
  const givenBack = last || givesBack(months, allowance) ? allowance.left : 0
  allowance.unsaved -= used
  allowance.writing = used
  allowance.readMeanwhile = 0
  allowance.writes++
  allowance.left -= givenBack
  return { allowance, used, givenBack, left: allowance.left, leases: allowance.leases }
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
  const written = new Map(batch.map((one) => [one.allowance, one]))
  for (const row of answer.success) {
    const allowance = find(months, row.accountId, row.month)
    // the answer does not include a block that was leased during the write
    if (allowance !== undefined) allowance.saved = Math.max(allowance.saved, row.used)
    const then = allowance && written.get(allowance)
    if (allowance === undefined || allowance.leases !== then?.leases) continue
    allowance.saved = Math.max(row.used, allowance.readMeanwhile)
    months.answeredAt.set(allowance, months.monotonic())
    // the lease has expired, and other nodes may hold these calls now
    if (row.held === null) allowance.left = 0
    // more than was known, where the answer to a request for a block was lost
    else if (!months.leasing.has(nameOf(row.accountId, row.month)))
      allowance.left = Math.max(0, allowance.left + row.held - then.left)
  }
})

const flush = Effect.fnUntraced(function* (months: Months, last: boolean) {
  const now = months.now()
  const due: Array<Written> = []
  for (const [name, allowance] of months.byName) {
    if (isDue(months, allowance, last)) due.push(closeBooks(months, allowance, last))
    else if (allowance.left === 0 && now - allowance.usedAt >= quotaIdleMillis && !months.leasing.has(name))
      forget(months, name, allowance)
  }
  for (let at = 0; at < due.length; at += quotaFlushRowsMax) {
    yield* writeSome(months, due.slice(at, at + quotaFlushRowsMax))
  }
})

/** The months of one node. */
export interface QuotaLedger {
  /** The month of an account in memory. */
  readonly find: (accountId: string, month: string) => Allowance | undefined
  /** The month of an account, made when it is missing. Overloaded: the bound on months in memory is reached. */
  readonly open: (accountId: string, month: string, limit: number) => Effect.Effect<Allowance, Overloaded>
  /** Whether the usage of all nodes is known: always on a single node, otherwise after a recent answer of the store. */
  readonly isFresh: (allowance: Allowance) => boolean
  /** Leases a block. True: the block has calls left. */
  readonly lease: (allowance: Allowance) => Effect.Effect<boolean, StoreFailed>
  /** Writes the usage. Never fails: the next flush retries. */
  readonly flush: Effect.Effect<void>
}

/** Makes a ledger that flushes until the scope closes, and once at its end. `alone`: the hub has one node only. */
export const makeLedger = Effect.fnUntraced(function* (store: Store, alone: boolean) {
  const clock = yield* Clock.Clock
  const months: Months = {
    store,
    nodeId: yield* NodeId,
    alone,
    now: () => clock.currentTimeMillisUnsafe(),
    monotonic: () => monotonicMillis(clock),
    byName: new Map(),
    latest: new Map(),
    answeredAt: new WeakMap(),
    leasing: singleFlight()
  }
  yield* flushEvery(quotaFlushMillis, "a flush of the usage failed", flush(months, false), flush(months, true))
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
      return at !== undefined && (alone || months.monotonic() - at < quotaSeenMillis)
    },
    lease: (allowance) => lease(months, allowance),
    flush: flush(months, false)
  }
  return ledger
})
