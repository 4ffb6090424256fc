/**
 * Reads what only the database knows after Redis has lost its memory: the daemons recorded as online, the live nodes,
 * and the daemons of dead nodes. Owns the queries, their time limits and their steps. Draws no conclusions.
 */
import { Effect } from "effect"
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { nodeStepDaemons, nodeStoreMillisMax } from "../../../src/limits/nodes.ts"
import type { Daemons, Standing } from "../../../src/store/daemons/daemons.ts"
import type { Nodes } from "../../../src/store/daemons/nodes.ts"
import type { Records } from "./records.ts"

/** The database's word. All but the first reject when it has none. */
export interface Recovery {
  /**
   * How these stand: what was told of them last, and their newest connection. Undefined when the database does not say.
   */
  readonly standings: (daemonIds: ReadonlyArray<string>) => Promise<ReadonlyMap<string, Standing> | undefined>
  /** Nodes that are alive though Redis does not hear them: none of `alive`, and not this one. */
  readonly apart: (alive: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>
  /** Takes what dead nodes held, and hands over each step's as soon as Redis gave them. */
  readonly from: (dead: ReadonlyArray<string>, take: (snapshot: Snapshot) => void) => Promise<void>
  /**
   * Takes whoever is recorded as online and held by no node, likewise; from then
   * on a daemon without a record was online nowhere.
   */
  readonly all: (take: (snapshot: Snapshot) => void) => Promise<void>
}

/** Asks it. */
export const makeRecovery = (
  wire: Pick<RedisTransport["Service"], "node">,
  records: Records,
  daemons: Daemons["Service"],
  nodes: Nodes["Service"]
): Effect.Effect<Recovery> =>
  Effect.map(Effect.context<never>(), (context) => {
    const run = Effect.runPromiseWith(context)
    return {
      standings: (daemonIds) =>
        run(
          daemons.standings(daemonIds).pipe(
            Effect.map((all) => new Map(all.map((one) => [one.daemonId, one]))),
            Effect.timeout(nodeStoreMillisMax),
            Effect.catch(() => Effect.succeed(undefined))
          )
        ),
      apart: async (alive) => {
        const found = await run(Effect.timeout(nodes.alive, nodeStoreMillisMax))
        return found.filter((node) => node !== wire.node && !alive.includes(node))
      },
      from: async (dead, take) => {
        for (const node of dead) {
          for (;;) {
            const taken = await records.adopt(node, nodeStepDaemons)
            if (taken.length === 0) break
            for (const { snapshot } of taken) if (snapshot !== undefined) take(snapshot)
          }
        }
      },
      all: async (take) => {
        if (!(await records.recovers())) return
        const snapshots = await run(daemons.recordedOnline)
        for (let at = 0; at < snapshots.length; at += nodeStepDaemons) {
          for (const one of await records.recover(snapshots.slice(at, at + nodeStepDaemons))) take(one)
        }
        await records.settled()
      }
    }
  })
