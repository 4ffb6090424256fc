/**
 * The generator as a program of its own: fleets and loads, told by its parent over IPC (generator.ts speaks to it).
 * Owns the order of what it is asked; ends when its parent is gone.
 */

import { type Answers, type Load, run } from "../load/open-loop.ts"
import type { Behaviour } from "./light-daemon.ts"
import { Fleet, type FleetFigures, type FleetOptions } from "./light-fleet.ts"

/** What a generator may be asked. A fleet has a name. */
export interface Jobs {
  readonly fleet: { readonly asks: FleetOptions & { readonly fleet: string }; readonly gives: null }
  readonly join: {
    readonly asks: {
      readonly fleet: string
      readonly tokens: ReadonlyArray<string>
      readonly manner: Behaviour
      readonly atOnce: number
    }
    readonly gives: { readonly millis: number; readonly failed: number; readonly daemonIds: ReadonlyArray<string> }
  }
  readonly events: {
    readonly asks: { readonly fleet: string; readonly perSecond: number; readonly seconds: number }
    readonly gives: { readonly sent: number; readonly acked: number; readonly millis: number }
  }
  readonly storm: {
    readonly asks: { readonly fleet: string; readonly patienceMillis: number }
    readonly gives: { readonly millis: number; readonly online: number; readonly putOff: number }
  }
  /** Keeps from now on when commands come. */
  readonly watch: { readonly asks: { readonly fleet: string }; readonly gives: null }
  /**
   * Those since then, in milliseconds of this machine's clock; how many daemons had more than one; and how many had
   * come as each that exits with 1 came.
   */
  readonly arrivals: {
    readonly asks: { readonly fleet: string }
    readonly gives: {
      readonly millis: ReadonlyArray<number>
      readonly again: number
      readonly exits: ReadonlyArray<number>
    }
  }
  readonly figures: { readonly asks: { readonly fleet: string }; readonly gives: FleetFigures }
  readonly close: { readonly asks: { readonly fleet: string }; readonly gives: null }
  readonly load: { readonly asks: Load; readonly gives: Answers }
  /** Loads that have a rate end now. */
  readonly enough: { readonly asks: null; readonly gives: null }
}

/** One job as it travels. */
export type Order = {
  [K in keyof Jobs]: { readonly id: number; readonly job: K; readonly asks: Jobs[K]["asks"] }
}[keyof Jobs]

/** Its answer as it travels. */
export type Reply = { readonly id: number; readonly gives?: unknown; readonly failed?: string }

const fleets = new Map<string, Fleet>()
let enough = new AbortController()

const fleetOf = (name: string): Fleet => {
  const fleet = fleets.get(name)
  if (fleet === undefined) throw new Error(`there is no fleet ${name}`)
  return fleet
}

const perform = async (order: Order): Promise<unknown> => {
  switch (order.job) {
    case "fleet":
      fleets.set(order.asks.fleet, new Fleet(order.asks))
      return null
    case "join": {
      const fleet = fleetOf(order.asks.fleet)
      const before = fleet.daemons.length
      const joined = await fleet.join(order.asks.tokens, order.asks.manner, order.asks.atOnce)
      return { ...joined, daemonIds: fleet.daemons.slice(before).map((daemon) => daemon.daemonId) }
    }
    case "events":
      return fleetOf(order.asks.fleet).events(order.asks.perSecond, order.asks.seconds)
    case "storm":
      return fleetOf(order.asks.fleet).storm(order.asks.patienceMillis)
    case "watch":
      fleetOf(order.asks.fleet).watch()
      return null
    case "arrivals": {
      const { millis, again, exits } = fleetOf(order.asks.fleet).arrivals()
      return { millis, again, exits }
    }
    case "figures":
      return fleetOf(order.asks.fleet).figures()
    case "close":
      fleetOf(order.asks.fleet).close()
      fleets.delete(order.asks.fleet)
      return null
    case "load":
      return run(order.asks, enough.signal)
    case "enough":
      enough.abort()
      enough = new AbortController()
      return null
  }
}

process.on("message", (order: Order) => {
  const reply = (answer: Reply): void => void process.send?.(answer)
  perform(order).then(
    (gives) => reply({ id: order.id, gives }),
    (error: unknown) => reply({ id: order.id, failed: error instanceof Error ? error.message : String(error) })
  )
})
process.on("disconnect", () => process.exit(0))
process.on("SIGTERM", () => process.exit(0))
