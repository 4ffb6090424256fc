/** The logs of this node's daemons, for its own readers and for other nodes. Owns no state: the daemon actors do. */
import type { LogMessage, LogSource } from "../../src/domain/log/log-listener.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import type { Roster } from "../presence/roster.ts"

/** Those of a roster. Another account's daemon is looked for like one that is nowhere. */
export const localLogs = (
  roster: Pick<Roster["Service"], "find">,
  { now }: Pick<Timers["Service"], "now">
): LogSource => ({
  subscribe: ({ accountId, daemonId, log, deltas }, by) => {
    const entry = roster.find(daemonId)
    if (entry?.daemon === undefined || entry.snapshot.accountId !== accountId) return undefined
    const { daemon } = entry
    const ask = (asked: LogMessage): boolean => daemon.tell({ tell: "log", asked, now: now() })
    if (!ask({ ask: "subscribe", log, deltas, by })) return undefined
    return {
      want: (all) => void ask({ ask: "want", log, deltas: all, by }),
      close: () => void ask({ ask: "unsubscribe", log, by })
    }
  }
})
