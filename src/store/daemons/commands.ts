/**
 * Commands that outlive their call. Owns the rows of `commands`: inserted before a frame is sent, ended once, together
 * with the deliveries that tell of it, and removed a day later. commands-statements.ts has the statements.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { CommandEnd, CommandState, StoredCommand } from "../../domain/command/stored-command.ts"
import type { TerminalOutcome } from "../../domain/command/terminal-outcome.ts"
import type { Selector } from "../../domain/daemon/selector.ts"
import { isId } from "../../domain/ids.ts"
import type { PagePosition } from "../../domain/page-cursor.ts"
import type { StoreFailed } from "../../errors.ts"
import { prunedRowsMax } from "../../limits/store.ts"
import type { CommandType } from "../../protocol/frames.ts"
import * as query from "../sql/query.ts"
import type { NewDelivery } from "../webhooks/deliveries.ts"
import { deliveryColumns } from "../webhooks/inserted-deliveries.ts"
import * as text from "./commands-statements.ts"
import { selectorValues } from "./selector-condition.ts"

/** A command that begins. */
export interface NewCommand {
  readonly commandId: string
  readonly accountId: string
  readonly daemonId: string
  readonly type: CommandType
  readonly durable: boolean
  readonly cancellable: boolean
  /** The connection that it is sent on. */
  readonly epoch: number
  readonly createdAt: number
  readonly deadlineAt: number
  /** What is kept of what it runs. */
  readonly said?: string
}

/** A command that ends. */
export interface EndedCommand extends CommandEnd {
  readonly commandId: string
  readonly daemonId: string
  readonly at: number
  /** The deliveries of `command:completed`, which is told at its first end only. */
  readonly deliveries: ReadonlyArray<NewDelivery>
}

/** What an end needs to know of its command. */
export type Standing = Pick<StoredCommand, "commandId" | "accountId" | "daemonId" | "type" | "state" | "createdAt">

/** A command without an end, of a daemon that is asked for. */
export interface PendingCommand {
  readonly commandId: string
  readonly daemonId: string
  readonly epoch: number
  readonly durable: boolean
  readonly cancelAsked: boolean
}

/** Which commands of an account. */
export interface CommandsAsked {
  readonly accountId: string
  readonly types: ReadonlyArray<CommandType>
  readonly daemonId: string | undefined
  readonly state: CommandState | undefined
  /** After this one, in a list that begins with the newest. */
  readonly after: PagePosition | undefined
  readonly limit: number
  /** Only those of daemons that are meant. */
  readonly selector?: Selector | undefined
}

/** A page. `lookedTo`: it has fewer than were asked for, and older ones were not looked at. */
export interface CommandsFound {
  readonly commands: ReadonlyArray<StoredCommand>
  readonly lookedTo: PagePosition | undefined
}

/** The store of commands. */
export class Commands extends Context.Service<
  Commands,
  {
    /** Inserts them, as far as their daemons exist. Returns the ids of those that it inserted. */
    readonly insert: (rows: ReadonlyArray<NewCommand>) => Effect.Effect<ReadonlySet<string>, StoreFailed>
    /** Removes one whose frame was not sent. */
    readonly withdraw: (commandId: string) => Effect.Effect<void, StoreFailed>
    /** How these stand; unknown ones are missing. */
    readonly standings: (commandIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Standing>, StoreFailed>
    /**
     * Ends commands, each given once, as far as the rule of states allows. `first`: those that had no end before, whose
     * deliveries were inserted as far as their webhooks are active.
     */
    readonly end: (
      ends: ReadonlyArray<EndedCommand>,
      maxAttempts: number
    ) => Effect.Effect<{ first: ReadonlySet<string>; deliveryIds: ReadonlySet<string> }, StoreFailed>
    /** The commands without an end of these daemons. */
    readonly pendingOf: (daemonIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<PendingCommand>, StoreFailed>
    /** Some whose deadline is before this time and that have no end. */
    readonly due: (
      before: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Pick<StoredCommand, "commandId" | "daemonId">>, StoreFailed>
    /** Some that were asked to end, of daemons that a node holds, and have not: those that follow an id, in order. */
    readonly cancelled: (
      node: string,
      after: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Pick<StoredCommand, "commandId" | "daemonId">>, StoreFailed>
    /** Notes that a caller asked for its end, unless it has one. */
    readonly askCancel: (accountId: string, commandId: string, now: number) => Effect.Effect<void, StoreFailed>
    /** A command of this account. */
    readonly find: (accountId: string, commandId: string) => Effect.Effect<StoredCommand | undefined, StoreFailed>
    /** Its result as JSON, if it has one. */
    readonly result: (accountId: string, commandId: string) => Effect.Effect<string | undefined, StoreFailed>
    /** A page of an account's, newest first. */
    readonly list: (asked: CommandsAsked) => Effect.Effect<CommandsFound, StoreFailed>
    /** Removes what ended before this time; returns the number of rows, of at most so many. */
    readonly prune: (before: number) => Effect.Effect<number, StoreFailed>
  }
>()("hub/Commands") {
  static readonly layer = Layer.effect(Commands)(Effect.suspend(() => make))
}

/** How a terminal command ended, in its row. */
export interface OutcomeRow {
  readonly exitCode: number | null
  readonly head: string | null
  readonly tail: string | null
}

type Plain = Omit<StoredCommand, "outcome" | "said">
type Row = OutcomeRow & query.Nullable<Plain> & { readonly said: string | null }

/** The outcome of a row. */
export const outcomeOf = ({ exitCode, head, tail }: OutcomeRow): { readonly outcome?: TerminalOutcome } =>
  exitCode === null && head === null
    ? {}
    : { outcome: { exitCode, ...(head !== null && { output: { head, tail: tail ?? "" } }) } }

const commandOf = ({ exitCode, head, tail, said, ...row }: Row): StoredCommand => ({
  ...query.withoutNulls<Plain>(row),
  ...outcomeOf({ exitCode, head, tail }),
  ...(said !== null && { said })
})

const column = <A, B>(rows: ReadonlyArray<A>, of: (row: A) => B): ReadonlyArray<B> => rows.map(of)

const newValues = (rows: ReadonlyArray<NewCommand>): ReadonlyArray<ReadonlyArray<unknown>> => [
  column(rows, ({ commandId }) => commandId),
  column(rows, ({ accountId }) => accountId),
  column(rows, ({ daemonId }) => daemonId),
  column(rows, ({ type }) => type),
  column(rows, ({ durable }) => durable),
  column(rows, ({ cancellable }) => cancellable),
  column(rows, ({ epoch }) => epoch),
  column(rows, ({ createdAt }) => createdAt),
  column(rows, ({ deadlineAt }) => deadlineAt),
  column(rows, ({ said }) => said ?? null)
]

const endValues = (ends: ReadonlyArray<EndedCommand>): ReadonlyArray<ReadonlyArray<unknown>> => [
  column(ends, ({ commandId }) => commandId),
  column(ends, ({ daemonId }) => daemonId),
  column(ends, ({ state }) => state),
  column(ends, ({ at }) => at),
  column(ends, ({ result }) => result ?? null),
  column(ends, ({ omitted }) => omitted ?? null),
  column(ends, ({ error }) => error ?? null),
  column(ends, ({ code }) => code ?? null),
  column(ends, ({ outcome }) => outcome?.exitCode ?? null),
  column(ends, ({ outcome }) => outcome?.output?.head ?? null),
  column(ends, ({ outcome }) => outcome?.output?.tail ?? null)
]

interface EndRow {
  readonly id: string | null
  readonly first: boolean
  readonly deliveryId: string | null
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return Commands.of({
    insert: (rows) =>
      Effect.map(
        query.many("store commands", sql.unsafe<{ id: string }>(text.insertText, newValues(rows))),
        (inserted) => new Set(inserted.map(({ id }) => id))
      ),
    withdraw: (commandId) => query.run("withdraw a command", sql.unsafe(text.withdrawText, [commandId])),
    standings: (commandIds) =>
      query.many("read how commands stand", sql.unsafe<Standing>(text.standingsText, [commandIds])),
    end: (ends, maxAttempts) =>
      Effect.map(
        query.many(
          "end commands",
          sql.unsafe<EndRow>(text.endText, [
            ...endValues(ends),
            maxAttempts,
            ...deliveryColumns(ends, ({ commandId }) => commandId)
          ])
        ),
        (rows) => ({
          first: new Set(rows.flatMap(({ id, first }) => (id !== null && first ? [id] : []))),
          deliveryIds: new Set(rows.flatMap(({ deliveryId }) => deliveryId ?? []))
        })
      ),
    pendingOf: (daemonIds) =>
      query.many("read pending commands", sql.unsafe<PendingCommand>(text.pendingText, [daemonIds])),
    due: (before, limit) => query.many("read commands past their deadline", sql.unsafe(text.dueText, [before, limit])),
    cancelled: (node, after, limit) =>
      query.many("read commands to be cancelled", sql.unsafe(text.cancelledText, [node, after, limit])),
    askCancel: (accountId, commandId, now) =>
      query.run("cancel a command", sql.unsafe(text.askCancelText, [accountId, commandId, now])),
    find: (accountId, commandId) =>
      isId("command", commandId)
        ? query.one("read a command", sql.unsafe<Row>(text.findText, [accountId, commandId]), commandOf)
        : Effect.succeed(undefined),
    result: (accountId, commandId) =>
      Effect.map(
        query.many(
          "read a command's result",
          sql.unsafe<{ result: string | null }>(text.resultText, [accountId, commandId])
        ),
        ([row]) => row?.result ?? undefined
      ),
    list: Effect.fnUntraced(function* ({ accountId, types, daemonId, state, after, limit, selector }) {
      const { listed, selected, lastLooked } = daemonId === undefined ? text.ofAccount : text.ofDaemon
      const inOrder = [accountId, daemonId ?? null, after?.at ?? null, after?.id ?? null]
      const filter = [types, state ?? null, limit, ...(selector === undefined ? [] : selectorValues(selector))]
      const rows = sql.unsafe<Row>(selector === undefined ? listed : selected, [...inOrder, ...filter])
      const commands = yield* query.many("list commands", rows, commandOf)
      if (commands.length === limit) return { commands, lookedTo: undefined }
      const last = sql.unsafe<PagePosition>(lastLooked, inOrder)
      const [lookedTo] = yield* query.many("find where commands were looked to", last)
      return { commands, lookedTo }
    }),
    prune: (before) => query.affected("remove old commands", sql.unsafe(text.pruneText, [before, prunedRowsMax]))
  })
})
