/**
 * The services of connected daemons as one layer. Owns the order in which they start and close: sockets close first,
 * and the snapshot writer closes last. Contains no logic.
 */

import { Layer } from "effect"
import { clusterLayer } from "./cluster/layer.ts"
import { Directory } from "./commands/directory.ts"
import { Connections } from "./connections/connections.ts"
import { TokenCache } from "./connections/token-cache.ts"
import { Roster } from "./presence/roster.ts"
import { SnapshotWriter } from "./presence/snapshot-writer.ts"
import { OffLoop } from "./runtime/worker-jobs.ts"

/** Needs the daemon store, the bus, the settings, ICE, daemon events, the supervisor and the timers. */
export const daemonsLayer = Layer.mergeAll(Connections.layer, Directory.layer).pipe(
  Layer.provideMerge(TokenCache.layer),
  Layer.provideMerge(Roster.layer),
  Layer.provideMerge(SnapshotWriter.layer),
  Layer.provideMerge(Layer.mergeAll(clusterLayer, OffLoop.layer))
)
