/**
 * Logs of daemons that are not in the roster of this node. Owns how their node is found; redis/log-relay.ts listens
 * there.
 */
import { Effect } from "effect"
import type { Cluster } from "./cluster.ts"
import type { DaemonLocations } from "./daemon-locations.ts"
import type { LogRelay } from "./redis/log-relay.ts"

/** What they are reached with. */
export interface RemoteLogsContext {
  /** This node. */
  readonly node: string
  readonly locations: Pick<DaemonLocations, "remembered" | "read" | "forget">
  /** Undefined: there are no other nodes. */
  readonly relay: LogRelay | undefined
  readonly isPartitioned: () => boolean
}

/** Listens to a log at the node that has its daemon. */
export const remoteLogs =
  ({ node: own, locations, relay, isPartitioned }: RemoteLogsContext): Cluster["Service"]["subscribeLog"] =>
  (asked, listener) =>
    Effect.gen(function* () {
      if (relay === undefined || isPartitioned()) return undefined
      const { accountId, daemonId } = asked
      const known = locations.remembered(accountId, daemonId)
      const node = known ?? (yield* locations.read(accountId, daemonId))?.node ?? null
      if (node === null || node === own) {
        locations.forget(daemonId)
        return undefined
      }
      return relay.subscribe(node, asked, {
        ...listener,
        gone: () => {
          locations.forget(daemonId)
          listener.gone()
        }
      })
      // it is looked for again
    }).pipe(Effect.catch(() => Effect.succeed(undefined)))
