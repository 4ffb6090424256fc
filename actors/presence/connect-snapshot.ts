/** The snapshot of a daemon that connects, from its `auth` and from what is known of it. Pure. */
import { copiedIdentity, replacesAnother } from "../../src/domain/daemon/copied-identity.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { newerTags, type OwnerTags } from "../../src/domain/daemon/tags.ts"
import type { Auth } from "../../src/protocol/frames.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"

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
