/**
 * Commands that outlive their call, as their account sees them: started, read, listed, cancelled, through any node.
 * Owns the room of an account's plan and how a cancel finds its daemon; the row is the truth, and a message between
 * nodes only a hint.
 */

import { Context, Effect, Layer } from "effect"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import { type Plan, planLimits } from "../../src/domain/account/plans.ts"
import type { Command, CommandFailure } from "../../src/domain/command/command.ts"
import { shownCommand, shownOf } from "../../src/domain/command/shown-command.ts"
import type { StoredCommand } from "../../src/domain/command/stored-command.ts"
import { newId } from "../../src/domain/ids.ts"
import {
  CommandLimitReached,
  CommandNotCancellable,
  DaemonSocketLost,
  NotFound,
  type StoreFailed
} from "../../src/errors.ts"
import { commandKeepMillis, commandSweepMillis, commandSweepRows } from "../../src/limits/commands.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { commandsPart } from "../../src/store/accounts/volumes.ts"
import { Commands, type CommandsAsked, type CommandsFound } from "../../src/store/daemons/commands.ts"
import { type VolumeBudget, VolumeBudgets } from "../limits/volume-budgets.ts"
import { PresenceWriter } from "../presence/presence-writer.ts"
import { Roster } from "../presence/roster.ts"
import { Directory } from "./directory.ts"

/** A command that has been sent. */
export interface StartedCommand {
  readonly commandId: string
  readonly createdAt: number
  readonly deadlineAt: number
}

/** The commands of accounts. */
export class StoredCommands extends Context.Service<
  StoredCommands,
  {
    /**
     * Sends a command, and answers when its row is committed and its frame is on its way. Under an id that its caller
     * gives it is sent once, however often and from wherever it is started.
     */
    readonly start: (
      command: Command,
      plan: Plan,
      deadlineMs: number,
      commandId?: string
    ) => Effect.Effect<StartedCommand, CommandFailure | CommandLimitReached>
    /** A command of this account; of another it is as unknown as any. */
    readonly find: (accountId: string, commandId: string) => Effect.Effect<StoredCommand, NotFound | StoreFailed>
    /** Its result as JSON, if it has one. */
    readonly result: (command: StoredCommand) => Effect.Effect<string | undefined, StoreFailed>
    /** A page of an account's. */
    readonly list: (asked: CommandsAsked) => Effect.Effect<CommandsFound, StoreFailed>
    /** Asks for the end of a command. One that is over stays as it is. */
    readonly cancel: (
      command: StoredCommand
    ) => Effect.Effect<StoredCommand, NotFound | CommandNotCancellable | StoreFailed>
  }
>()("hub/StoredCommands") {
  static readonly layer = Layer.effect(StoredCommands)(Effect.suspend(() => make))
}

const oneMore = { number: 1, bytes: 0 }

/** Fails when the plan of an account keeps no further command. */
const checkRoom = (volumes: VolumeBudget, accountId: string, plan: Plan, now: number) => {
  const account = volumes.of(accountId)
  if (volumes.beyond(account, oneMore, commandsPart, plan) === undefined) return Effect.void
  const retryAfter = Math.max(1, Math.ceil(((account.oldest ?? now) + commandKeepMillis - now) / 1_000))
  return Effect.fail(new CommandLimitReached({ limit: planLimits[plan].keptCommands, plan, retryAfter }))
}

const make = Effect.gen(function* () {
  const store = yield* Commands
  const directory = yield* Directory
  const roster = yield* Roster
  const bus = yield* Bus
  const timers = yield* Timers
  const { node } = yield* PresenceWriter
  const { commands: volumes } = yield* VolumeBudgets
  const { auditCommands } = yield* Config
  const saidOf = ({ accountId, type, payload, payloadText }: Command): string | undefined => {
    const shown = shownOf(auditCommands, accountId)
    if (shown === "off") return undefined
    return shownCommand(shown, type, payloadText === undefined ? payload : JSON.parse(payloadText))
  }

  /** Tells the daemon, where it is connected to this node. */
  const tellDaemon = ({ daemonId, commandId }: Pick<StoredCommand, "daemonId" | "commandId">): void =>
    void roster.find(daemonId)?.daemon?.tell({ type: "cancel", id: commandId })
  yield* bus.subscribe("command_cancelled", tellDaemon)

  // A hint may be lost, and a daemon may move: as long as the row has no end, its node tells it again, however new the
  // row is. Its age would be the difference of the clocks of two nodes. Each look goes on where the one before ended,
  // and at the end from the beginning, so that no number of daemons that do not answer hides the others.
  let lastTold = ""
  const tellAgain = Effect.gen(function* () {
    const following = yield* store.cancelled(node, lastTold, commandSweepRows)
    const room = commandSweepRows - following.length
    const fromStart = room === 0 || lastTold === "" ? [] : yield* store.cancelled(node, "", room)
    const rows = [...following, ...fromStart.filter(({ commandId }) => commandId <= lastTold)]
    lastTold = rows.length < commandSweepRows ? "" : rows[rows.length - 1]!.commandId
    rows.forEach(tellDaemon)
  })
  yield* repeatEvery(commandSweepMillis, "commands to be cancelled could not be read", tellAgain)

  const find = (accountId: string, commandId: string) =>
    Effect.flatMap(store.find(accountId, commandId), (found) =>
      found === undefined ? Effect.fail(new NotFound()) : Effect.succeed(found)
    )

  return StoredCommands.of({
    start: (command, plan, deadlineMs, commandId = newId("command")) =>
      Effect.suspend(() => {
        const createdAt = timers.now()
        const said = saidOf(command)
        const start = { commandId, createdAt, deadlineMs, ...(said !== undefined && { said }) }
        const sent = directory.command({ ...command, start }).pipe(
          // whether its row was committed is not known: a read by its id tells
          Effect.catchTag("DaemonSocketLost", () => Effect.fail(new DaemonSocketLost({ commandId })))
        )
        const started = { commandId, createdAt, deadlineAt: createdAt + deadlineMs }
        return Effect.as(Effect.andThen(checkRoom(volumes, command.accountId, plan, createdAt), sent), started)
      }),
    find,
    result: ({ accountId, commandId }) => store.result(accountId, commandId),
    list: store.list,
    cancel: (command) =>
      Effect.suspend((): Effect.Effect<StoredCommand, NotFound | CommandNotCancellable | StoreFailed> => {
        const { accountId, commandId, daemonId, state, cancellable } = command
        if (state !== "pending") return Effect.succeed(command)
        if (!cancellable) return Effect.fail(new CommandNotCancellable())
        const noted = Effect.tap(store.askCancel(accountId, commandId, timers.now()), () =>
          Effect.sync(() => bus.publish("command_cancelled", { daemonId, commandId }))
        )
        return Effect.andThen(noted, find(accountId, commandId))
      })
  })
})
