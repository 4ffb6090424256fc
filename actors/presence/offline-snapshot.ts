/** What is known of a daemon that is not connected. Owns which of two snapshots counts; reads no store. */
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { withOwnerTags } from "../../src/domain/daemon/tags.ts"
import type { SnapshotWriter } from "./snapshot-writer.ts"

/** An unwritten snapshot is newer than the stored one, its owner's tags apart. */
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
