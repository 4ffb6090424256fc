/**
 * Everything that is alive about machines, as one layer: pictures, roster, admission, connections, directory. Owns the order
 * in which they start and close (sockets first, the last pictures last); contains no logic.
 */
import { Layer } from "effect"
import { Admission } from "./admission.ts"
import { Connections } from "./connection.ts"
import { Directory } from "./directory.ts"
import { OffLoop } from "./offloop.ts"
import { Others } from "./others.ts"
import { Pictures } from "./pictures.ts"
import { Roster } from "./roster.ts"

/** Needs the store of daemons, the bus, the settings, ICE, machine events, the supervisor and the wheel. */
export const machinesLayer = Layer.mergeAll(Connections.layer, Directory.layer).pipe(
  Layer.provideMerge(Admission.layer),
  Layer.provideMerge(Roster.layer),
  Layer.provideMerge(Pictures.layer),
  Layer.provideMerge(Layer.mergeAll(Others.layer, OffLoop.layer))
)
