/**
 * The snapshot of a daemon where its newest report does not say it: at its connect, from its `auth` and what is known
 * of it, and while it is not connected. Reads no store; pure.
 */
import { copiedIdentity, replacesAnother } from "../../src/domain/daemon/copied-identity.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { newerTags, type OwnerTags, withOwnerTags } from "../../src/domain/daemon/tags.ts"
import type { Auth } from "../../src/protocol/frames.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"
import type { SnapshotWriter } from "./snapshot-writer.ts"

/** A connection: its number, the beginning of its time online, and the time of its connect. */
export interface NewConnection {
  readonly epoch: number
  readonly since: number
  readonly now: number
  /** What its owner gave the daemon, as it was read last. */
  readonly ownerTags: OwnerTags | null | undefined
}

/**
 * The snapshot until the first report. A daemon that was online (`before`: in grace, or on a connection now replaced)
 * keeps its sessions, so that its targets do not vanish for the two seconds until it reports.
 */
export const snapshotOnConnect = (
  auth: Auth,
  owner: TokenOwner,
  { epoch, since, now, ownerTags: read }: NewConnection,
  before: Snapshot | undefined
): Snapshot => {
  const ownerTags = newerTags(before?.ownerTags, read ?? undefined)
  return {
    daemonId: owner.daemonId,
    accountId: owner.accountId,
    hostname: auth.hostname ?? before?.hostname ?? "",
    nickname: auth.nickname ?? owner.nickname,
    platform: auth.platform ?? before?.platform ?? "",
    version: auth.version ?? before?.version ?? "",
    online: true,
    revoked: false,
    ...(auth.capabilities !== undefined && auth.capabilities.length > 0 && { capabilities: auth.capabilities }),
    ...(auth.tags !== undefined && { tags: auth.tags }),
    ...(ownerTags !== undefined && { ownerTags }),
    ...(replacesAnother(auth, before) && { problems: [copiedIdentity] }),
    epoch,
    connectedAt: since,
    lastSeenAt: now,
    observedAt: before?.observedAt,
    sessions: before?.sessions ?? [],
    workspaces: auth.workspaces ?? before?.workspaces ?? [],
    availableProviders: auth.availableProviders ?? before?.availableProviders ?? []
  }
}

/** Of one that is not connected. An unwritten snapshot is newer than the stored one, its owner's tags apart. */
export const offlineOf = (snapshots: Pick<SnapshotWriter["Service"], "unwritten">, stored: Snapshot): Snapshot => {
  const unwritten = snapshots.unwritten(stored.daemonId)
  const newest = unwritten === undefined ? stored : withOwnerTags(unwritten, stored.ownerTags)
  const { lastEnd } = stored
  return {
    ...newest,
    ...(lastEnd !== undefined && { lastEnd }),
    online: false,
    revoked: stored.revoked || unwritten?.revoked === true
  }
}
