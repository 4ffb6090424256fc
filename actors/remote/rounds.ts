/**
 * What a node does again and again to be one of several: renew its lease, go over what it holds, and say in the database that
 * it is alive. Owns the pace; each goes by itself, so that none waits for another's store.
 */
import { Effect } from "effect"
import type { Wire } from "../../src/bus/wire.ts"
import { nodeRenewMillis } from "../../src/limits/nodes.ts"
import type { Nodes } from "../../src/store/nodes.ts"
import type { LocalRoster } from "../others.ts"
import type { Holding } from "./holding.ts"
import type { Standings } from "./standing.ts"

const again = (what: string, work: Effect.Effect<unknown, unknown>): Effect.Effect<never> =>
  Effect.forever(
    Effect.andThen(
      Effect.catch(work, (failure) => Effect.logDebug(`${what} failed`, failure)),
      Effect.sleep(nodeRenewMillis)
    )
  )

/** Runs for ever; what fails is tried again in the next round. */
export const rounds = (
  wire: Wire["Service"],
  holding: Holding,
  standings: Standings,
  roster: LocalRoster,
  nodes: Nodes["Service"]
): Effect.Effect<void> => {
  const reached = (work: () => Promise<unknown>): Effect.Effect<unknown, unknown> =>
    Effect.suspend(() => (wire.away() ? Effect.void : Effect.tryPromise(work)))
  const check = async (): Promise<void> => {
    // while the line is away doubt has no end: one step a round then
    while ((await standings.step(roster)) && !wire.away()) {
      // the next step
    }
  }
  return Effect.all(
    [
      again(
        "renewing the lease",
        reached(() => holding.renew())
      ),
      again(
        "a round over the nodes",
        reached(() => holding.round())
      ),
      again("saying that this node is alive", nodes.beat(wire.node)),
      again("checking what this node holds", Effect.tryPromise(check))
    ],
    { concurrency: "unbounded", discard: true }
  )
}
