/** What the stores of presence and of nodes do, on tables in memory. Owns these statements. */
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { nodeLeaseMillis } from "../../../src/limits/nodes.ts"
import type { OtherNode } from "../../../src/store/daemons/nodes.ts"
import type {
  ClaimAnswer,
  Claimed,
  ClaimRequest,
  DaemonLocation,
  HeldDaemon,
  ReleaseRequest,
  Standing
} from "../../../src/store/daemons/presence.ts"
import { byId, type Tables } from "./tables.ts"

const isGood = (tables: Tables, { daemonId, tokenHash }: ClaimRequest): boolean =>
  tables.daemons.has(daemonId) &&
  (tokenHash === undefined || (tables.tokens.has(tokenHash) && tables.tokens.get(tokenHash)!.revokedAt === undefined))

const claimOne = (tables: Tables, node: string, request: ClaimRequest): Claimed | "early" | undefined => {
  const { daemonId, at, begins } = request
  const before = tables.presence.get(daemonId)
  if (request.epoch !== undefined) {
    if (before?.epoch !== request.epoch || (!begins && before.node !== node)) return undefined
  }
  if (before !== undefined && before.since === null && (before.lastEndedAt ?? at) > at) return "early"
  const after = { epoch: request.epoch ?? (before?.epoch ?? 0) + 1, node, since: before?.since ?? at }
  tables.presence.set(daemonId, { ...after, lastEndedAt: before?.lastEndedAt })
  const isElsewhere = before != null && before.node !== null && before.node !== node
  const row = tables.daemons.get(daemonId)!
  return {
    daemonId,
    epoch: after.epoch,
    since: after.since,
    began: (before?.since ?? null) === null,
    from: isElsewhere ? before.node! : undefined,
    stored: isElsewhere ? { ...tables.snapshotOf(daemonId)!, online: true } : undefined,
    ownerTags: row.ownerTags,
    told: row.told && { at: row.told.at, states: row.told.states }
  }
}

/** Claims daemons. Undefined: the node has no row. */
export const claim = (
  tables: Tables,
  node: string,
  requests: ReadonlyArray<ClaimRequest>,
  maxAttempts: number
): ClaimAnswer | undefined => {
  const claimed = new Map<string, Claimed>()
  const early = new Map<string, number>()
  const deliveryIds = new Set<string>()
  const isRegistered = tables.nodes.has(node)
  for (const request of isRegistered ? requests : []) {
    if (!isGood(tables, request)) continue
    const { daemonId, deliveries } = request
    const found = claimOne(tables, node, request)
    if (found === "early") early.set(daemonId, tables.presence.get(daemonId)!.lastEndedAt!)
    else if (found !== undefined) {
      claimed.set(daemonId, found)
      if (!found.began) continue
      for (const id of tables.insertDeliveries(deliveries, maxAttempts)) deliveryIds.add(id)
      tables.watch.began(daemonId, node, deliveries)
    }
  }
  const isMissing = ({ daemonId, epoch, begins }: ClaimRequest): boolean =>
    (epoch === undefined || begins) && !claimed.has(daemonId) && !early.has(daemonId)
  return !isRegistered && requests.some(isMissing) ? undefined : { claimed, deliveryIds, early }
}

/** Ends times online. */
export const release = (
  tables: Tables,
  node: string,
  requests: ReadonlyArray<ReleaseRequest>,
  maxAttempts: number
): { ended: ReadonlySet<string>; deliveryIds: ReadonlySet<string> } => {
  const ended = new Set<string>()
  const deliveryIds = new Set<string>()
  for (const { daemonId, epoch, at, reason, deliveries } of requests) {
    const row = tables.presence.get(daemonId)
    if (row === undefined || row.epoch !== epoch || row.node !== node) continue
    Object.assign(row, { node: null, since: null, lastEndedAt: Math.max(row.lastEndedAt ?? at, at) })
    ended.add(daemonId)
    for (const id of tables.insertDeliveries(deliveries, maxAttempts)) deliveryIds.add(id)
    tables.watch.ended(daemonId, node, reason, deliveries)
  }
  return { ended, deliveryIds }
}

const heldIds = (tables: Tables, node: string): ReadonlyArray<string> =>
  [...tables.presence].flatMap(([id, row]) => (row.node === node ? [id] : [])).sort(byId)

/** Takes over daemons of a dead node. */
export const takeOver = (
  tables: Tables,
  node: string,
  dead: string,
  limit: number,
  alone: boolean
): ReadonlyArray<Snapshot> => {
  const row = tables.nodes.get(dead)
  const isDead = row !== undefined && row.seenAt <= tables.now() - (alone ? 0 : nodeLeaseMillis)
  if (!tables.nodes.has(node) || !isDead) return []
  const taken = heldIds(tables, dead).slice(0, limit)
  for (const id of taken) tables.presence.get(id)!.node = node
  if (taken.length === 0) tables.nodes.delete(dead)
  return taken.map((id) => tables.snapshotOf(id)!)
}

/** What a node holds. */
export const heldBy = (tables: Tables, node: string, after: string, limit: number): ReadonlyArray<HeldDaemon> =>
  heldIds(tables, node)
    .filter((id) => id > after)
    .slice(0, limit)
    .map((daemonId) => ({ daemonId, epoch: tables.presence.get(daemonId)!.epoch }))

/** Their snapshots. */
export const heldSnapshots = (tables: Tables, node: string, ids: ReadonlyArray<string>): ReadonlyArray<Snapshot> =>
  heldIds(tables, node)
    .filter((id) => ids.includes(id))
    .map((id) => tables.snapshotOf(id)!)

const placeOf = (tables: Tables, daemonId: string): ReadonlyArray<DaemonLocation> => {
  const row = tables.daemons.get(daemonId)
  return row === undefined
    ? []
    : [{ daemonId, accountId: row.accountId, node: tables.presence.get(daemonId)?.node ?? null }]
}

/** Where daemons are. */
export const places = (tables: Tables, ids: ReadonlyArray<string>): ReadonlyArray<DaemonLocation> =>
  ids.flatMap((id) => placeOf(tables, id))

/** Where the online daemons of accounts are. */
export const onlineOf = (tables: Tables, accountIds: ReadonlyArray<string>): ReadonlyArray<DaemonLocation> =>
  [...tables.presence.keys()]
    .flatMap((id) => placeOf(tables, id))
    .filter(({ accountId, node }) => node !== null && accountIds.includes(accountId))

/** How daemons stand. */
export const standings = (tables: Tables, ids: ReadonlyArray<string>): ReadonlyArray<Standing> =>
  ids.flatMap((daemonId) => {
    const row = tables.daemons.get(daemonId)
    if (row === undefined) return []
    const { epoch = 0, node = null } = tables.presence.get(daemonId) ?? {}
    const accountDisabled = tables.accounts.get(row.accountId)?.disabled ?? false
    return [{ daemonId, epoch, node, revoked: row.revoked, accountDisabled, ownerTags: row.ownerTags ?? null }]
  })

/** A heartbeat. True: the lease had ended. */
export const beat = (tables: Tables, node: string, onBus: boolean): boolean => {
  const before = tables.nodes.get(node)
  const now = tables.now()
  tables.nodes.set(node, { seenAt: now, onBus })
  return before === undefined || before.seenAt < now - nodeLeaseMillis
}

/** Ends the lease of a node; the row of one that holds nothing goes. */
export const leave = (tables: Tables, node: string): void => {
  if (heldIds(tables, node).length === 0) tables.nodes.delete(node)
  else if (tables.nodes.has(node)) tables.nodes.set(node, { seenAt: 0, onBus: false })
}

/** The other nodes. */
export const others = (tables: Tables, node: string): ReadonlyArray<OtherNode> =>
  [...tables.nodes]
    .filter(([name]) => name !== node)
    .sort(([one], [other]) => byId(one, other))
    .map(([name, { seenAt, onBus }]) => ({ node: name, alive: seenAt >= tables.now() - nodeLeaseMillis, onBus }))
