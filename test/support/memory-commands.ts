/** A store of stored commands in a map. Owns what it holds and applies the rule of states; knows no database. */
import { Effect } from "effect"
import { mayBecome, type StoredCommand } from "../../src/domain/command/stored-command.ts"
import type { Commands, EndedCommand, NewCommand } from "../../src/store/daemons/commands.ts"

/** One of it. */
export interface FakeCommand extends StoredCommand {
  readonly epoch: number
  readonly durable: boolean
  readonly result: string | undefined
}

/** By id. */
export type FakeCommands = Map<string, FakeCommand>

const nothing = { cancelAt: undefined, finishedAt: undefined, omitted: undefined, error: undefined, code: undefined }

const begin = (rows: FakeCommands, row: NewCommand): string => {
  rows.set(row.commandId, { ...nothing, ...row, state: "pending", result: undefined })
  return row.commandId
}

const endOne = (rows: FakeCommands, ended: EndedCommand, first: Set<string>, deliveryIds: Set<string>): void => {
  const { commandId, daemonId, at, state, result, omitted, error, code, deliveries } = ended
  const row = rows.get(commandId)
  if (row?.daemonId !== daemonId || !mayBecome(row.state, state)) return
  if (row.state === "pending") {
    first.add(commandId)
    for (const { id } of deliveries) deliveryIds.add(id)
  }
  rows.set(commandId, { ...row, state, result, omitted, error, code, finishedAt: at })
}

/** The store. */
export const fakeCommands = (rows: FakeCommands = new Map()): Commands["Service"] => {
  const pending = () => [...rows.values()].filter(({ state }) => state === "pending")
  const own = (accountId: string, commandId: string): FakeCommand | undefined => {
    const row = rows.get(commandId)
    return row?.accountId === accountId ? row : undefined
  }
  return {
    insert: (given) => Effect.sync(() => new Set(given.map((row) => begin(rows, row)))),
    withdraw: (commandId) => Effect.sync(() => void rows.delete(commandId)),
    standings: (ids) => Effect.sync(() => ids.flatMap((id) => rows.get(id) ?? [])),
    end: (ends) =>
      Effect.sync(() => {
        const first = new Set<string>()
        const deliveryIds = new Set<string>()
        for (const one of ends) endOne(rows, one, first, deliveryIds)
        return { first, deliveryIds }
      }),
    pendingOf: (daemonIds) =>
      Effect.sync(() =>
        pending()
          .filter(({ daemonId }) => daemonIds.includes(daemonId))
          .map((row) => ({ ...row, cancelAsked: row.cancelAt !== undefined }))
      ),
    due: (before, limit) =>
      Effect.sync(() =>
        pending()
          .filter((row) => row.deadlineAt < before)
          .slice(0, limit)
      ),
    cancelled: () => Effect.succeed([]),
    askCancel: (accountId, commandId, now) =>
      Effect.sync(() => {
        const row = own(accountId, commandId)
        if (row?.state === "pending") rows.set(commandId, { ...row, cancelAt: now })
      }),
    find: (accountId, commandId) => Effect.sync(() => own(accountId, commandId)),
    result: (accountId, commandId) => Effect.sync(() => own(accountId, commandId)?.result),
    list: ({ accountId, limit }) =>
      Effect.sync(() => [...rows.values()].filter((row) => row.accountId === accountId).slice(0, limit)),
    prune: () => Effect.succeed(0)
  }
}
