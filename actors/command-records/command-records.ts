/**
 * The rows of commands that outlive their call, as the daemons of this node need them: begun before a frame is sent,
 * ended by a result, a lost connection or the deadline. Owns when each is written; the store owns the rows,
 * record-queue.ts the order of writes. A row past its deadline ends on any node, so that none is pending for ever.
 */
import { type Cause, Context, Effect, Exit, Layer, Schedule } from "effect"
import { Config } from "../../src/config.ts"
import type { Plan } from "../../src/domain/account/plans.ts"
import { noVolume } from "../../src/domain/account/volume.ts"
import type { CommandAnswer } from "../../src/domain/command/command.ts"
import { type CommandEnd, endOf } from "../../src/domain/command/stored-command.ts"
import { NotFound, type Overloaded, type StoreFailed } from "../../src/errors.ts"
import {
  commandGraceMillis,
  commandKeepMillis,
  commandSweepMillis,
  commandSweepRows,
  commandWriteTriesMax,
  reconnectedBatchMax
} from "../../src/limits/commands.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { failureLog, kindOf } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { commandsPart } from "../../src/store/accounts/volumes.ts"
import { Commands, type NewCommand, type PendingCommand } from "../../src/store/daemons/commands.ts"
import { whileFull } from "../../src/store/sql/pruning.ts"
import { makeQueryBatcher } from "../../src/store/sql/query-batcher.ts"
import { DaemonEvents } from "../events/daemon-events.ts"
import { type VolumeBudget, VolumeBudgets } from "../limits/volume-budgets.ts"
import { makeRecordQueue, type Written } from "./record-queue.ts"

/** A connection that its daemon has shown to hold. */
export interface Reconnected {
  readonly daemonId: string
  readonly epoch: number
  /** The commands that its daemon still has. */
  readonly named: ReadonlySet<string>
}

const lost: CommandEnd = { state: "lost" }
const timedOut: CommandEnd = { state: "timed_out" }
const oneMore = { number: 1, bytes: 0 }
const unwatched = (): void => undefined
/** How long a hub that ends waits for what is still to be written. */
const endMillisMax = 5_000

/** Reads the rows without an end of many daemons at once. */
const pendingBatcher = (store: Commands["Service"]) =>
  makeQueryBatcher<string, ReadonlyArray<PendingCommand>>({
    name: "read pending commands",
    queue: "pending commands",
    maxBatch: reconnectedBatchMax,
    run: (daemonIds) =>
      Effect.map(store.pendingOf(daemonIds), (rows) => {
        const byDaemon = new Map<string, Array<PendingCommand>>()
        for (const row of rows) {
          const some = byDaemon.get(row.daemonId)
          if (some === undefined) byDaemon.set(row.daemonId, [row])
          else some.push(row)
        }
        return daemonIds.map((daemonId) => byDaemon.get(daemonId) ?? [])
      })
  })

/** Inserts rows, those of many calls at once. */
const beginning = Effect.fnUntraced(function* (store: Commands["Service"], volumes: VolumeBudget) {
  const insert = yield* makeQueryBatcher<NewCommand, boolean>({
    name: "store commands",
    queue: "new commands",
    run: (rows) => Effect.map(store.insert(rows), (inserted) => rows.map(({ commandId }) => inserted.has(commandId)))
  })
  return (row: NewCommand): Effect.Effect<void, NotFound | Overloaded | StoreFailed> =>
    Effect.suspend(() => {
      const account = volumes.of(row.accountId)
      account.begin(commandsPart, oneMore)
      const counted = Effect.onExit(insert(row), (exit) =>
        Effect.sync(() => account.end(commandsPart, oneMore, Exit.isSuccess(exit) && exit.value ? oneMore : noVolume))
      )
      return Effect.flatMap(counted, (is) => (is ? Effect.void : Effect.fail(new NotFound())))
    })
})

type EndOne = (daemonId: string, commandId: string, written: Written) => void

/** One look through all rows: ends what is past its deadline, removes what was kept long enough. */
const sweeping = (store: Commands["Service"], now: () => number, endOne: EndOne) => {
  /** Says whether all were written. */
  const endAll = (due: ReadonlyArray<Pick<PendingCommand, "commandId" | "daemonId">>): Effect.Effect<boolean> =>
    Effect.callback((resume) => {
      let left = due.length
      let all = true
      if (left === 0) return resume(Effect.succeed(all))
      for (const { daemonId, commandId } of due) {
        endOne(daemonId, commandId, (committed) => {
          all &&= committed
          if (--left === 0) resume(Effect.succeed(all))
        })
      }
    })
  return Effect.gen(function* () {
    for (let more = true; more; ) {
      const due = yield* store.due(now() - commandGraceMillis, commandSweepRows)
      // what was not written would be found again at once
      more = (yield* endAll(due)) && due.length === commandSweepRows
    }
    yield* whileFull(Effect.suspend(() => store.prune(now() - commandKeepMillis)))
  })
}

const make = Effect.gen(function* () {
  const store = yield* Commands
  const events = yield* DaemonEvents
  const timers = yield* Timers
  const { commands: volumes } = yield* VolumeBudgets
  const { webhookRetriesSeconds } = yield* Config
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const failures = yield* failureLog<Cause.Cause<unknown>>(timers.after, (cause, heldBack) =>
    Effect.logError("the row of a command could not be written", { heldBack }, cause)
  )
  const line = makeRecordQueue({
    store,
    events,
    volumes,
    maxAttempts: webhookRetriesSeconds.length + 1,
    run,
    failed: (cause) => failures.add(kindOf(cause), cause)
  })
  const pendingOf = yield* pendingBatcher(store)

  const end = (daemonId: string, commandId: string, end: CommandEnd, written: Written = unwatched): void =>
    line.add({ is: "end", seen: { commandId, daemonId, end, at: timers.now() }, written })

  const reconnected = ({ daemonId, epoch, named }: Reconnected, cancel: (commandId: string) => void): void => {
    const read = Effect.retry(pendingOf(daemonId), {
      schedule: Schedule.spaced("1 second"),
      times: commandWriteTriesMax
    })
    const judged = Effect.map(read, (rows) => {
      for (const row of rows) {
        // one of this connection, or of a later one, was not known when the auth was written
        if (row.epoch < epoch && !named.has(row.commandId)) end(daemonId, row.commandId, lost)
        else if (row.cancelAsked) cancel(row.commandId)
      }
    })
    run(Effect.catchCause(judged, (cause) => Effect.sync(() => failures.add(kindOf(cause), cause))))
  }

  const sweep = sweeping(store, timers.now, (daemonId, commandId, written) =>
    end(daemonId, commandId, timedOut, written)
  )
  yield* repeatEvery(commandSweepMillis, "stored commands could not be looked through", sweep)
  yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(line.empty), endMillisMax))

  return {
    /** Commits the row of a command whose frame is sent right after. */
    begin: yield* beginning(store, volumes),
    /** Its frame was not sent. */
    withdraw: ({ commandId }: NewCommand) =>
      Effect.catchCause(store.withdraw(commandId), (cause) => Effect.sync(() => failures.add(kindOf(cause), cause))),
    /** What a daemon answered. */
    record: (daemonId: string, answer: CommandAnswer, then: Written): void =>
      end(daemonId, answer.commandId, endOf(answer), then),
    /** Its result can never come. */
    lose: (daemonId: string, commandId: string): void => end(daemonId, commandId, lost),
    /** Makes the row of a call that timed out; its result may still come. */
    timedOut: (row: NewCommand, plan: Plan, then: Written): void => {
      const account = volumes.of(row.accountId)
      if (volumes.beyond(account, oneMore, commandsPart, plan) !== undefined) return then(false)
      account.begin(commandsPart, oneMore)
      line.add({
        is: "row",
        row,
        written: (committed) => {
          account.end(commandsPart, oneMore, committed ? oneMore : noVolume)
          then(committed)
        }
      })
    },
    /**
     * Ends the rows of earlier connections that the daemon does not have any more; `cancel` is told which of the others
     * a caller wants ended.
     */
    reconnected,
    /** One look through all rows, now: past their deadline, kept long enough. */
    sweep
  }
})

export class CommandRecords extends Context.Service<CommandRecords, Effect.Success<typeof make>>()(
  "hub/CommandRecords"
) {
  static readonly layer = Layer.effect(CommandRecords, make)
}
