/**
 * The volumes that plans bound, per account: pending deliveries, stored outcomes, stored commands. Owns when the store
 * counts them, one account at a time, and what is remembered. The writer reports what is refused.
 */
import { type Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { Bus } from "../../src/bus/bus.ts"
import { type Plan, type PlanLimits, planLimits } from "../../src/domain/account/plans.ts"
import { type Beyond, type Bound, HeldVolume, type Volume } from "../../src/domain/account/volume.ts"
import type { StoreFailed } from "../../src/errors.ts"
import {
  backlogShared,
  backlogSharesMax,
  besidesShare,
  volumeAccountsMax,
  volumeCountMillis,
  volumeCountPause,
  volumeShownMillis,
  volumeWaitersMax
} from "../../src/limits/volumes.ts"
import { entriesAtMost } from "../../src/runtime/entries-at-most.ts"
import { makeGroupCommit } from "../../src/runtime/group-commit.ts"
import { monotonicMillis } from "../../src/runtime/monotonic.ts"
import { failureLog, kindOf } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { type Count, Volumes } from "../../src/store/accounts/volumes.ts"

/** One account's, with what a node knows of its count. */
export class AccountVolume extends HeldVolume {
  readonly id: string
  plan: Plan | undefined
  /** Steady milliseconds from which on it may be counted again; undefined: never counted. */
  againAt: number | undefined
  /** Told when the count that is under way, or waits, has ended. */
  readonly waiting: Array<(exit: Exit.Exit<void, StoreFailed>) => void> = []
  /** In the line of those to count. */
  asked = false

  constructor(id: string) {
    super()
    this.id = id
  }
}

/** What accounts hold of one kind. */
export interface VolumeBudget {
  readonly of: (accountId: string) => AccountVolume
  /**
   * What keeps one more out; undefined: there is room. Has the store count where it is time. The last count
   * names the plan. Before the first one, `plan` does. With neither, there is room.
   */
  readonly beyond: (account: AccountVolume, volume: Volume, part: string, plan?: Plan) => Beyond | undefined
  /**
   * Whether there is room for so many bytes of what is kept only beside the rest: less than half of the bound is taken.
   * Has the store count where it is time.
   */
  readonly besides: (account: AccountVolume, bytes: number) => boolean
  /**
   * What is known of what an account holds, a minute old at most if it is asked for often; undefined: nothing yet.
   * Waits for nothing, and has the store count anew.
   */
  readonly known: (accountId: string) => Volume | undefined
  /** What an account holds, a few seconds old at most but while a count takes longer. */
  readonly seen: (accountId: string) => Effect.Effect<Volume, StoreFailed>
}

export class VolumeBudgets extends Context.Service<
  VolumeBudgets,
  {
    /** Pending deliveries, in parts by webhook. */
    readonly pending: VolumeBudget
    /** Outcomes under idempotency keys. */
    readonly outcomes: VolumeBudget
    /** Commands that outlive their call. */
    readonly commands: VolumeBudget
  }
>()("hub/VolumeBudgets") {
  static readonly layer = Layer.effect(VolumeBudgets)(Effect.suspend(() => make))
}

const pendingBound = ({ pendingDeliveries, pendingDeliveryBytes, webhooks }: PlanLimits): Bound => {
  const ownShare = (1 - backlogShared) / Math.min(webhooks, backlogSharesMax)
  return {
    number: pendingDeliveries,
    bytes: pendingDeliveryBytes,
    own: { number: pendingDeliveries * ownShare, bytes: pendingDeliveryBytes * ownShare }
  }
}
const outcomesBound = (limits: PlanLimits): Bound => ({ number: limits.keptOutcomes, bytes: limits.keptOutcomeBytes })

const commandsBound = (limits: PlanLimits): Bound => ({ number: limits.keptCommands, bytes: limits.keptCommandBytes })

interface VolumeRequest {
  readonly account: AccountVolume
  readonly count: Count
}

interface CountContext {
  readonly monotonic: () => number
  readonly run: ReturnType<typeof Effect.runForkWith<never>>
  readonly failures: { readonly add: (kind: string, cause: Cause.Cause<StoreFailed>) => void }
}

/** Counts what an account holds, and says when that may be done again. */
const countAccount = (monotonic: () => number, { account, count }: VolumeRequest): Effect.Effect<void, StoreFailed> =>
  Effect.suspend(() => {
    const began = monotonic()
    account.counting()
    const ended = Effect.sync(() => {
      const now = monotonic()
      account.againAt = now + Math.max(volumeCountMillis, (now - began) * volumeCountPause)
    })
    return Effect.ensuring(
      Effect.map(count(account.id), ({ plan, parts, oldest }) => {
        account.counted(parts)
        account.plan = plan ?? account.plan
        account.oldest = oldest
      }),
      ended
    )
  })

/** The queue of accounts to count: one at a time, so that counting never takes more than one connection. */
const makeCountQueue = ({ monotonic, run, failures }: CountContext) =>
  makeGroupCommit<VolumeRequest, StoreFailed>(run, {
    name: "volumes",
    rowsMax: 1,
    bytesMax: Number.POSITIVE_INFINITY,
    bytesOf: () => 1,
    waitingMax: volumeAccountsMax,
    write: ([asked]) => countAccount(monotonic, asked!),
    written: ([asked], exit) => {
      const { account } = asked!
      account.asked = false
      if (Exit.isFailure(exit)) failures.add(kindOf(exit.cause), exit.cause)
      for (const end of account.waiting.splice(0)) end(Exit.asVoid(exit))
    }
  })

interface HeldContext {
  readonly of: (accountId: string) => AccountVolume
  readonly bounds: Readonly<Record<Plan, Bound>>
  /** Queues an account to be counted. False: the queue is full. */
  readonly ask: (account: AccountVolume) => boolean
  readonly monotonic: () => number
}

const mayCount = ({ monotonic }: HeldContext, { againAt }: AccountVolume): boolean =>
  againAt === undefined || monotonic() >= againAt

const beyond =
  (context: HeldContext): VolumeBudget["beyond"] =>
  (account, volume, part, plan) => {
    const known = account.plan ?? plan
    const bound = known === undefined ? undefined : context.bounds[known]
    const over = bound === undefined ? undefined : account.beyond(bound, volume, part)
    // while nothing is known of its plan it is counted as early as one of the smallest
    const look = bound ?? context.bounds.free
    if (account.asked) return over
    if (account.hasGrown(look) || ((over !== undefined || account.isNearly(look)) && mayCount(context, account)))
      context.ask(account)
    return over
  }

const besides =
  (context: HeldContext): VolumeBudget["besides"] =>
  (account, bytes) => {
    const bound = context.bounds[account.plan ?? "free"]
    const room = account.total.bytes + bytes <= bound.bytes * besidesShare
    if (!account.asked && (account.hasGrown(bound) || (!room && mayCount(context, account)))) context.ask(account)
    return room
  }

const known =
  ({ of, ask, monotonic }: HeldContext): VolumeBudget["known"] =>
  (accountId) => {
    const account = of(accountId)
    const { againAt, asked, plan, total } = account
    const counted = plan !== undefined
    if (!asked && (againAt === undefined || monotonic() >= againAt + (counted ? volumeShownMillis : 0))) ask(account)
    return counted ? { ...total } : undefined
  }

const seen =
  (context: HeldContext): VolumeBudget["seen"] =>
  (accountId) =>
    Effect.suspend(() => {
      const account = context.of(accountId)
      const waits = account.waiting.length < volumeWaitersMax
      if (!waits || (!account.asked && !mayCount(context, account))) return Effect.succeed({ ...account.total })
      return Effect.map(
        Effect.callback<void, StoreFailed>((resume) => {
          account.waiting.push(resume)
          if (!context.ask(account)) resume(Effect.void)
        }),
        () => ({ ...account.total })
      )
    })

const make = Effect.gen(function* () {
  const volumes = yield* Volumes
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const { after } = yield* Timers
  const monotonic = (): number => monotonicMillis(clock)
  const queue = makeCountQueue({
    monotonic,
    run: Effect.runForkWith(yield* Effect.context<never>()),
    failures: yield* failureLog<Cause.Cause<StoreFailed>>(after, (cause, heldBack) =>
      Effect.logWarning("what an account holds could not be counted", { heldBack }, cause)
    )
  })

  const held = Effect.fnUntraced(function* (count: Count, boundOf: (limits: PlanLimits) => Bound) {
    const accounts = new LRUCache<string, AccountVolume>(entriesAtMost(volumeAccountsMax))
    const bounds = Object.fromEntries(
      Object.entries(planLimits).map(([plan, limits]) => [plan, boundOf(limits)])
    ) as Record<Plan, Bound>
    const of = (accountId: string): AccountVolume => {
      let account = accounts.get(accountId)
      if (account === undefined) {
        account = new AccountVolume(accountId)
        accounts.set(accountId, account)
      }
      return account
    }
    const ask = (account: AccountVolume): boolean => {
      if (account.asked) return true
      account.asked = queue.add({ account, count })
      return account.asked
    }
    // its plan may be another now
    yield* bus.subscribe("account_changed", ({ accountId }) => {
      const account = accounts.peek(accountId)
      if (account !== undefined) ask(account)
    })
    const context: HeldContext = { of, bounds, ask, monotonic }
    const kind: VolumeBudget = {
      of,
      beyond: beyond(context),
      besides: besides(context),
      known: known(context),
      seen: seen(context)
    }
    return kind
  })

  return VolumeBudgets.of({
    pending: yield* held(volumes.pending, pendingBound),
    outcomes: yield* held(volumes.outcomes, outcomesBound),
    commands: yield* held(volumes.commands, commandsBound)
  })
})
