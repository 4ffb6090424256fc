/**
 * The services of connected daemons as one layer. Owns the order in which they start and close: sockets close first,
 * and the snapshot writer closes last. Contains no logic.
 */

import { Layer } from "effect"
import { clusterLayer } from "./cluster/live-cluster.ts"
import { CommandRecords } from "./command-records/command-records.ts"
import { Directory } from "./commands/directory.ts"
import { Connections } from "./connections/connections.ts"
import { TokenCache } from "./connections/token-cache.ts"
import { DaemonTags } from "./events/daemon-tags.ts"
import { PresenceWriter } from "./presence/presence-writer.ts"
import { Roster } from "./presence/roster.ts"
import { SnapshotWriter } from "./presence/snapshot-writer.ts"
import { WorkerThread } from "./runtime/worker-thread.ts"

/** Needs the daemon store, the bus, the settings, ICE, daemon events, the supervisor and the timers. */
export const daemonsLayer = Layer.mergeAll(Connections.layer, Directory.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(TokenCache.layer, clusterLayer)),
  Layer.provideMerge(Roster.layer),
  Layer.provideMerge(PresenceWriter.layer),
  Layer.provideMerge(Layer.mergeAll(SnapshotWriter.layer, WorkerThread.layer, CommandRecords.layer, DaemonTags.layer))
)
