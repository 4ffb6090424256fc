/**
 * A rolling restart under load: daemons on all nodes, a steady caller, and one node after the other drained and started
 * anew. Owns its order and its counts; judges nothing.
 */

import { type Caller, type CallerFigures, startCaller } from "../acts/drain/steady-caller.ts"
import type { Nodes } from "./node-processes.ts"
import { startRoamers } from "./reconnecting-fleet.ts"
import { until } from "./until.ts"

/** How large. */
export interface RollingOptions {
  readonly daemons: number
  readonly perSecond: number
  readonly kept: boolean
  /** Waits until a node that falsely took a daemon for lost would have told of it, its grace included. */
  readonly patient: boolean
  /** Told as it goes. */
  readonly say?: (line: string) => void
}

/** What came of it. */
export interface Rolled {
  readonly calls: CallerFigures
  /** Exit codes of the drained nodes. */
  readonly codes: ReadonlyArray<number | null>
  /** How long each node took to end. */
  readonly drains: ReadonlyArray<number>
  /** Commands that came to a daemon; never more than were asked. */
  readonly arrived: number
  /** Times that `daemon:disconnect` was told of a daemon that was never gone. */
  readonly falselyGone: number
  /** Times that `daemon:connect` was told beyond the first. */
  readonly falselyBack: number
  /** Codes the daemons' connections were closed with. */
  readonly closes: Readonly<Record<string, number>>
}

const enrolAtOnce = 16

/** Enrols so many daemons. */
export const enrol = async (hub: Nodes, count: number): Promise<ReadonlyArray<{ daemonId: string; token: string }>> => {
  const made: Array<{ daemonId: string; token: string }> = []
  while (made.length < count) {
    const wave = Array.from({ length: Math.min(enrolAtOnce, count - made.length) }, async () => {
      const { status, body } = await hub.ask(0, "POST", "/api/v1/daemons/enroll", { bearer: hub.session, body: {} })
      if (status !== 201) throw new Error(`enrolment answered ${status}`)
      return body
    })
    made.push(...(await Promise.all(wave)))
  }
  return made
}

/** Runs it over all nodes, once each. */
export const rollingRestart = async (hub: Nodes, options: RollingOptions): Promise<Rolled> => {
  const { daemons, perSecond, kept, patient, say = () => {} } = options
  const enrolled = await enrol(hub, daemons + 1)
  const urls = hub.nodes.map(({ url }) => url)
  const roamers = await startRoamers(
    urls,
    enrolled.map(({ token }) => token)
  )
  // the last is nobody's target: it is lost in the end
  const ids = enrolled.slice(0, daemons).map(({ daemonId }) => daemonId)
  const lostId = enrolled[daemons]!.daemonId
  const times = (event: string) => hub.events(`daemon:${event}`)
  const known = new Set([...ids, lostId])
  const counted = (event: string): number => [...times(event).keys()].filter((id) => known.has(id)).length
  await until("all have come", () => counted("connect") === daemons + 1)
  let caller: Caller | undefined
  const codes: Array<number | null> = []
  const drains: Array<number> = []
  try {
    caller = startCaller({ urls, key: hub.key, daemonIds: ids, perSecond, kept })
    await until("the caller is at work", () => caller!.figures().succeeded >= hub.nodes.length)
    for (const [at, node] of hub.nodes.entries()) {
      const began = performance.now()
      codes.push(await node.stop())
      drains.push(Math.round(performance.now() - began))
      await node.start()
      say(`node ${at} drained in ${drains.at(-1)} ms, ${roamers.online()} online: ${JSON.stringify(caller.figures())}`)
    }
    await until("all daemons are back", () => roamers.online() === daemons + 1)
    const calls = await caller.stop()
    // what a node falsely took for lost would be told by the time this one is
    if (patient) {
      roamers.lose(daemons)
      await until("the lost one is told of", () => times("disconnect").has(lostId))
    }
    // and each is told gone once as it leaves
    roamers.leave()
    await until("all have left", () => counted("disconnect") === daemons + 1)
    const sum = (event: string): number => {
      const counts = times(event)
      return ids.reduce((all, id) => all + (counts.get(id) ?? 0), 0)
    }
    return {
      calls,
      codes,
      drains,
      arrived: roamers.tally.commands,
      falselyGone: sum("disconnect") - daemons,
      falselyBack: sum("connect") - daemons,
      closes: roamers.tally.closes
    }
  } finally {
    await caller?.stop()
    roamers.stop()
  }
}
