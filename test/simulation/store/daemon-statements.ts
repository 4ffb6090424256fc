/** What the stores of daemons and tokens do, on tables in memory. Owns these statements. */
import { foundStates } from "../../../src/domain/daemon/agent-status.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import type { TagChange } from "../../../src/domain/daemon/tags.ts"
import type { SnapshotsPage, TokenOwner } from "../../../src/store/daemons/daemons.ts"
import type { TaggedDaemon, Whom } from "../../../src/store/daemons/fleet-tags.ts"
import { byId, type Tables } from "./tables.ts"

/** Whom a token belongs to. */
export const tokenOwner = (tables: Tables, hash: string): TokenOwner | undefined => {
  const token = tables.tokens.get(hash)
  const daemon = token && tables.daemons.get(token.daemonId)
  const account = token && tables.accounts.get(token.accountId)
  if (token === undefined || daemon === undefined || account === undefined) return undefined
  const isOlder = (other: typeof token): boolean =>
    other.daemonId === token.daemonId && other.createdAt < token.createdAt && other.revokedAt === undefined
  return {
    daemonId: token.daemonId,
    accountId: token.accountId,
    plan: account.plan,
    revoked: token.revokedAt !== undefined,
    tokenAt: token.createdAt,
    supersedes: [...tables.tokens.values()].some(isOlder),
    accountDisabled: account.disabled,
    nickname: daemon.snapshot.nickname,
    ownerTags: daemon.ownerTags ?? null
  }
}

/** Ends the older tokens of a daemon. */
export const endOlderTokens = (tables: Tables, hash: string, now: number): void => {
  const token = tables.tokens.get(hash)
  if (token === undefined || token.revokedAt !== undefined) return
  for (const other of tables.tokens.values()) {
    if (other.daemonId === token.daemonId && other.createdAt < token.createdAt) other.revokedAt ??= now
  }
}

/** Stores snapshots, none over that of a later connection. */
export const saveSnapshots = (tables: Tables, snapshots: ReadonlyArray<Snapshot>): void => {
  const newest = new Map(snapshots.map((snapshot) => [snapshot.daemonId, snapshot]))
  for (const [daemonId, snapshot] of newest) {
    const row = tables.daemons.get(daemonId)
    if (row === undefined || row.snapshotEpoch > snapshot.epoch) continue
    row.snapshot = snapshot
    row.snapshotEpoch = snapshot.epoch
    // how its agents were found is kept until an event tells of a change
    if (snapshot.observedAt !== undefined) row.told ??= { at: undefined, states: foundStates(snapshot.sessions) }
  }
}

/** The stored snapshot of a daemon of this account. */
export const snapshotIn = (tables: Tables, accountId: string, daemonId: string): Snapshot | undefined =>
  tables.daemons.get(daemonId)?.accountId === accountId ? tables.snapshotOf(daemonId) : undefined

/** A page of an account's daemons. */
export const listSnapshots = (
  tables: Tables,
  accountId: string,
  { limit, after, except }: SnapshotsPage
): ReadonlyArray<Snapshot> =>
  [...tables.daemons]
    .filter(([id, row]) => row.accountId === accountId && id > after && !row.revoked && !except.includes(id))
    .map(([id]) => id)
    .sort(byId)
    .slice(0, limit)
    .map((id) => tables.snapshotOf(id)!)

/** Gives a daemon these tags of its owner, and no others. */
export const tagDaemon = (
  tables: Tables,
  accountId: string,
  whom: Whom,
  { set }: TagChange
): ReadonlyArray<TaggedDaemon> => {
  const daemonId = "daemonId" in whom ? whom.daemonId : ""
  const row = tables.daemons.get(daemonId)
  if (row?.accountId !== accountId) return []
  row.ownerTags = { tags: set, version: (row.ownerTags?.version ?? 0) + 1 }
  return [{ daemonId, ownerTags: row.ownerTags }]
}

/** Makes a tombstone of every token. */
export const revokeDaemon = (tables: Tables, accountId: string, daemonId: string, now: number): boolean => {
  const row = tables.daemons.get(daemonId)
  if (row?.accountId !== accountId) return false
  row.revoked = true
  for (const token of tables.tokens.values()) if (token.daemonId === daemonId) token.revokedAt ??= now
  for (const key of tables.eventsSeen) if (key.startsWith(`${daemonId}\n`)) tables.eventsSeen.delete(key)
  return true
}
