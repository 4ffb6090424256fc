/**
 * A rolling restart under load: daemons on all nodes, a steady caller, and one node after the other drained and started
 * anew. Owns its order and its counts; judges nothing.
 */
import { enrol, type Nodes } from "../../support/node-processes.ts"
import { startRoamers } from "../../support/reconnecting-fleet.ts"
import { type Caller, type CallerCounts, startCaller } from "../../support/steady-caller.ts"
import { until } from "../../support/until.ts"

/** How large. */
export interface RollingOptions {
  readonly daemons: number
  readonly perSecond: number
  /** The caller keeps its connections for further requests, as proxies keep them. */
  readonly kept: boolean
  /** The folders of the versions to which all nodes are brought, one version after the other; this one by default. */
  readonly trees?: ReadonlyArray<string | undefined>
}

/** What came of it. */
export interface Rolled {
  readonly calls: CallerCounts
  /** Exit codes of the drained nodes. */
  readonly codes: ReadonlyArray<number | null>
  /** Commands that came to a daemon. */
  readonly arrived: number
  /** Times that `daemon:disconnect` was told of a daemon that was never gone. */
  readonly falselyGone: number
  /** Times that `daemon:connect` was told beyond the first. */
  readonly falselyBack: number
}

/** Runs it over all nodes, once each per version. */
export const rollingRestart = async (
  hub: Nodes,
  { daemons, perSecond, kept, trees = [undefined] }: RollingOptions
): Promise<Rolled> => {
  const enrolled = await enrol(hub, daemons)
  const ids = enrolled.map(({ daemonId }) => daemonId)
  const urls = hub.nodes.map(({ url }) => url)
  const roamers = await startRoamers(
    urls,
    enrolled.map(({ token }) => token)
  )
  const told = (event: string): ReadonlyArray<number> => {
    const counts = hub.events(`daemon:${event}`)
    return ids.map((id) => counts.get(id) ?? 0)
  }
  const toldOfAll = (event: string) => until(`each ${event} is told`, () => told(event).every((times) => times > 0))
  const toldTooOften = (event: string): number => told(event).reduce((sum, times) => sum + times, 0) - daemons
  let caller: Caller | undefined
  const codes: Array<number | null> = []
  try {
    await toldOfAll("connect")
    caller = startCaller({ urls, key: hub.key, daemonIds: ids, perSecond, kept })
    await until("the caller is at work", () => caller!.counts().succeeded >= hub.nodes.length)
    for (const tree of trees) {
      for (const node of hub.nodes) {
        codes.push(await node.stop())
        await node.start(tree)
      }
    }
    await until("all daemons are back", () => roamers.online() === daemons)
    const calls = await caller.stop()
    // and each is told gone once as it leaves
    roamers.leave()
    await toldOfAll("disconnect")
    const [falselyGone, falselyBack] = [toldTooOften("disconnect"), toldTooOften("connect")]
    return { calls, codes, arrived: roamers.tally.commands, falselyGone, falselyBack }
  } finally {
    await caller?.stop()
    roamers.stop()
  }
}
