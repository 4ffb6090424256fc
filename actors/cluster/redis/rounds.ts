/**
 * The periodic work of a node: renew its lease, check its daemons, and record in the database that it is alive. Owns
 * the intervals. The loops are independent, so that a slow store does not delay another loop.
 */
import { Cause, Effect } from "effect"
import type { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { nodeRenewMillis } from "../../../src/limits/nodes.ts"
import type { Nodes } from "../../../src/store/daemons/nodes.ts"
import type { LocalRoster } from "../cluster.ts"
import type { Holding } from "./holding.ts"
import type { Standings } from "./standing.ts"

/** Of failures in a row the first is worth a warning; a bug is one too, and ends nothing. */
const again = (what: string, work: Effect.Effect<unknown, unknown>): Effect.Effect<never> =>
  Effect.suspend(() => {
    let fails = false
    const failed = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      if (fails) return Effect.logDebug(`${what} failed again`, cause)
      fails = true
      return Effect.logWarning(`${what} failed and is tried again`, cause)
    }
    const done = Effect.sync(() => {
      fails = false
    })
    const once = Effect.catchCause(Effect.andThen(work, done), failed)
    return Effect.forever(Effect.andThen(once, Effect.sleep(nodeRenewMillis)))
  })

/** Runs for ever; what fails is tried again in the next round. */
export const rounds = (
  wire: RedisTransport["Service"],
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
