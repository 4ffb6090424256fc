/** What the stores of commands and of volumes do, on tables in memory. Owns these statements. */
import type { Volume } from "../../../src/domain/account/volume.ts"
import { mayBecome } from "../../../src/domain/command/stored-command.ts"
import { type Counted, commandsPart } from "../../../src/store/accounts/volumes.ts"
import type {
  CommandsAsked,
  CommandsFound,
  EndedCommand,
  NewCommand,
  PendingCommand,
  Standing
} from "../../../src/store/daemons/commands.ts"
import { byId, type CommandTable, type Tables } from "./tables.ts"

const nothing = {
  cancelAt: undefined,
  finishedAt: undefined,
  omitted: undefined,
  error: undefined,
  code: undefined,
  result: undefined
}

/** Inserts commands whose daemons exist. */
export const insertCommands = (tables: Tables, rows: ReadonlyArray<NewCommand>): ReadonlySet<string> => {
  const inserted = new Set<string>()
  for (const row of rows) {
    if (!tables.daemons.has(row.daemonId) || tables.commands.has(row.commandId)) continue
    tables.commands.set(row.commandId, { ...nothing, ...row, state: "pending" })
    inserted.add(row.commandId)
  }
  return inserted
}

/** Removes one without an end. */
export const withdraw = (tables: Tables, id: string): void => {
  if (tables.commands.get(id)?.state === "pending") tables.commands.delete(id)
}

/** How commands stand. */
export const commandStandings = (tables: Tables, ids: ReadonlyArray<string>): ReadonlyArray<Standing> =>
  [...new Set(ids)].flatMap((id) => {
    const row = tables.commands.get(id)
    if (row === undefined) return []
    const { commandId, accountId, daemonId, type, state, createdAt } = row
    return [{ commandId, accountId, daemonId, type, state, createdAt }]
  })

/** Ends commands. */
export const endCommands = (
  tables: Tables,
  ends: ReadonlyArray<EndedCommand>,
  maxAttempts: number
): { first: ReadonlySet<string>; deliveryIds: ReadonlySet<string> } => {
  const first = new Set<string>()
  const deliveryIds = new Set<string>()
  for (const { commandId, daemonId, at, state, result, omitted, error, code, deliveries } of ends) {
    const row = tables.commands.get(commandId)
    if (row?.daemonId !== daemonId || !mayBecome(row.state, state)) continue
    const after: CommandTable = { ...row, state, result, omitted, error, code, finishedAt: at }
    tables.commands.set(commandId, after)
    if (row.state !== "pending") continue
    first.add(commandId)
    for (const id of tables.insertDeliveries(deliveries, maxAttempts)) deliveryIds.add(id)
    tables.watch.firstEnd(after, deliveries)
  }
  return { first, deliveryIds }
}

const pendingCommands = (tables: Tables): ReadonlyArray<CommandTable> =>
  [...tables.commands.values()].filter(({ state }) => state === "pending")

/** The commands without an end of these daemons. */
export const pendingOfDaemons = (tables: Tables, ids: ReadonlyArray<string>): ReadonlyArray<PendingCommand> =>
  pendingCommands(tables)
    .filter(({ daemonId }) => ids.includes(daemonId))
    .map(({ commandId, daemonId, epoch, durable, cancelAt }) => ({
      commandId,
      daemonId,
      epoch,
      durable,
      cancelAsked: cancelAt !== undefined
    }))

/** Some past their deadline. */
export const dueCommands = (tables: Tables, before: number, limit: number) =>
  pendingCommands(tables)
    .filter(({ deadlineAt }) => deadlineAt < before)
    .sort((one, other) => one.deadlineAt - other.deadlineAt)
    .slice(0, limit)
    .map(({ commandId, daemonId }) => ({ commandId, daemonId }))

/** Some to be cancelled, of daemons of a node: those that follow an id, in order. */
export const cancelledCommands = (tables: Tables, node: string, after: string, limit: number) =>
  pendingCommands(tables)
    .filter(({ cancelAt, daemonId }) => cancelAt !== undefined && tables.presence.get(daemonId)?.node === node)
    .filter(({ commandId }) => commandId > after)
    .sort((one, other) => (one.commandId < other.commandId ? -1 : 1))
    .slice(0, limit)
    .map(({ commandId, daemonId }) => ({ commandId, daemonId }))

/** Notes that a caller asked for its end. */
export const askCancel = (tables: Tables, accountId: string, id: string, now: number): void => {
  const row = tables.commands.get(id)
  if (row?.accountId !== accountId || row.state !== "pending" || row.cancelAt !== undefined) return
  tables.commands.set(id, { ...row, cancelAt: now })
}

/** One of this account. */
export const findCommand = (tables: Tables, accountId: string, id: string): CommandTable | undefined => {
  const row = tables.commands.get(id)
  return row?.accountId === accountId ? row : undefined
}

/** A page of an account's, newest first. */
export const listCommands = (
  tables: Tables,
  { accountId, types, daemonId, state, limit }: CommandsAsked
): CommandsFound => ({
  commands: [...tables.commands.values()]
    .filter((row) => row.accountId === accountId && types.includes(row.type))
    .filter((row) => (daemonId ?? row.daemonId) === row.daemonId && (state ?? row.state) === row.state)
    .sort((one, other) => other.createdAt - one.createdAt || byId(other.commandId, one.commandId))
    .slice(0, limit),
  // there are never so many
  lookedTo: undefined
})

const sumOf = (rows: ReadonlyArray<string | undefined>): Volume => ({
  number: rows.length,
  bytes: rows.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), 0)
})

/** Counts the pending deliveries of an account. */
export const countPending = (tables: Tables, accountId: string): Counted => {
  const parts = new Map<string, Volume>()
  for (const { id, accountId: owner } of tables.webhooks.values()) {
    if (owner !== accountId) continue
    const rows = [...tables.pendingOf(id)]
    if (rows.length > 0) parts.set(id, sumOf(rows.map(({ body }) => body)))
  }
  return { plan: tables.accounts.get(accountId)?.plan, parts, oldest: undefined }
}

/** Counts the commands of an account. */
export const countCommands = (tables: Tables, accountId: string): Counted => {
  const rows = [...tables.commands.values()].filter((row) => row.accountId === accountId)
  const ends = rows.flatMap(({ finishedAt }) => finishedAt ?? [])
  return {
    plan: tables.accounts.get(accountId)?.plan,
    parts: new Map([[commandsPart, sumOf(rows.map(({ result }) => result))]]),
    oldest: ends.length === 0 ? undefined : Math.min(...ends)
  }
}
