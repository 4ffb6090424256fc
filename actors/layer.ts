/**
 * Everything that is alive about machines, as one layer: pictures, roster, admission, connections, directory. Owns the order
 * in which they start and close (sockets first, the last pictures last); contains no logic.
 */

import { Layer } from "effect"
import { clusterLayer } from "./cluster/layer.ts"
import { Directory } from "./commands/directory.ts"
import { Connections } from "./connections/connections.ts"
import { Admission } from "./connections/token-cache.ts"
import { Roster } from "./presence/roster.ts"
import { Pictures } from "./presence/snapshot-writer.ts"
import { OffLoop } from "./runtime/worker-jobs.ts"

/** Needs the store of daemons, the bus, the settings, ICE, machine events, the supervisor and the wheel. */
export const machinesLayer = Layer.mergeAll(Connections.layer, Directory.layer).pipe(
  Layer.provideMerge(Admission.layer),
  Layer.provideMerge(Roster.layer),
  Layer.provideMerge(Pictures.layer),
  Layer.provideMerge(Layer.mergeAll(clusterLayer, OffLoop.layer))
)
