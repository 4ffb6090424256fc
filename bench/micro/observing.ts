/**
 * What does the hub's watching of itself cost, one by one: a counter, a histogram, an event of the audit log? Its real
 * counters, histograms and counted events, called as its code calls them. Owns the loops; what they add up to per
 * command is the scenario's.
 */
import { AuditCounts } from "../../actors/audit-log/audit-counts.ts"
import type { AuditOrigin } from "../../src/domain/account/audit-event.ts"
import { newId } from "../../src/domain/ids.ts"
import { commandDurations, observe } from "../../src/runtime/histograms.ts"
import { count } from "../../src/runtime/metrics.ts"

/** How often each is called, and how many times that is measured; the median counts. */
export interface ObservingSize extends Record<string, number> {
  readonly calls: number
  readonly runs: number
}

/** Microseconds of one call of each, a value for each run. */
export interface ObservingCost {
  readonly count: ReadonlyArray<number>
  readonly observe: ReadonlyArray<number>
  readonly audit: ReadonlyArray<number>
}

const daemons = 1_000
const perMinute = 60_000

const origin: AuditOrigin = {
  accountId: "acc_bench",
  actor: { kind: "key", id: "key_bench" },
  address: "127.0.0.1",
  node: "node_bench",
  requestId: "req_bench"
}

/** Measures at a chosen size. */
export const measureObserving = ({ calls, runs }: ObservingSize): ObservingCost => {
  const micros = (call: (at: number) => void): number => {
    const began = process.hrtime.bigint()
    for (let at = 0; at < calls; at++) call(at)
    return Number(process.hrtime.bigint() - began) / 1_000 / calls
  }
  const each = (make: () => (at: number) => void): ReadonlyArray<number> =>
    Array.from({ length: runs + 1 }, () => micros(make())).slice(1) // the first warms up
  return {
    count: each(() => () => count("hub_commands_total", "succeeded")),
    observe: each(() => (at) => observe(commandDurations.succeeded, (at % 500) / 1_000)),
    audit: each(() => {
      const counts = new AuditCounts(() => newId("auditEvent"))
      return (at) => {
        if (at % perMinute === 0) counts.forget()
        const noted = {
          action: "command.sent",
          outcome: "done",
          object: `dmn_${at % daemons}`,
          detail: "terminal"
        } as const
        counts.add(origin, noted, at)
      }
    })
  }
}
