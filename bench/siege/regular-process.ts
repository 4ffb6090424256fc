/**
 * Regular load as a program of its own, so that no other work is in its latencies. Owns the order of its jobs.
 */
import { setTimeout as pause } from "node:timers/promises"
import { follow } from "../load/dial.ts"
import { RegularLoad, type RegularPlan, startReceiver } from "./regular-load.ts"
import { serve } from "./serve.ts"
import { Stretch, type StretchFigures } from "./tally.ts"

/** What it may be asked. */
export interface RegularJobs {
  /** Where webhooks are received. */
  readonly receiver: { readonly asks: null; readonly gives: number }
  readonly begin: { readonly asks: RegularPlan; readonly gives: null }
  /** What is due from now on counts to the stretch of this name. */
  readonly stretch: { readonly asks: string; readonly gives: null }
  /** What a stretch came to, once all of it is answered or has waited long enough. */
  readonly figures: {
    readonly asks: { readonly stretch: string; readonly patienceMillis: number }
    readonly gives: StretchFigures
  }
  readonly end: { readonly asks: null; readonly gives: null }
}

const lookMillis = 20
const stretches = new Map<string, Stretch>()
const receiver = await startReceiver()
let load: RegularLoad | undefined

serve<RegularJobs>({
  receiver: () => receiver.port,
  begin: async (plan) => {
    follow(plan.route)
    load = new RegularLoad(plan, receiver.server)
    await load.begin()
    return null
  },
  stretch: (name) => {
    const stretch = new Stretch()
    stretches.set(name, stretch)
    load?.count(stretch)
    return null
  },
  figures: async ({ stretch, patienceMillis }) => {
    const of = stretches.get(stretch)!
    const patience = performance.now() + patienceMillis
    while (of.underway > 0 && performance.now() < patience) await pause(lookMillis)
    stretches.delete(stretch)
    return of.figures()
  },
  end: () => {
    load?.end()
    return null
  }
})
