/** What this node does for the other nodes with the daemons of its roster. Owns no state and no route between nodes. */
import { Effect } from "effect"
import { moving } from "../../src/domain/command/command.ts"
import { DaemonSocketLost } from "../../src/errors.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import { traceFrame } from "../../src/tracing/command-spans.ts"
import type { Tracer } from "../../src/tracing/tracer.ts"
import { sendCommand } from "../daemon/send-command.ts"
import { outlives, type Starting, startCommand } from "../daemon/start-command.ts"
import { isMoving, type Roster } from "../presence/roster.ts"
import { localWatch } from "./local-watch.ts"
import type { LocalDaemons } from "./redis/rpc-answers.ts"

/** Those of a roster. Another account's daemon is looked for like one that is nowhere: nothing tells them apart. */
export const localDaemons = (
  roster: Pick<Roster["Service"], "find" | "of" | "ordered" | "watchers">,
  { now, after }: Pick<Timers["Service"], "now" | "after">,
  commandMillis: number,
  records: Starting["records"],
  tracing?: Tracer | undefined
): LocalDaemons => {
  const own = (accountId: string, daemonId: string) => {
    const entry = roster.find(daemonId)
    return entry?.snapshot.accountId === accountId ? entry : undefined
  }
  return {
    command: (asked) => {
      const entry = own(asked.accountId, asked.daemonId)
      if (entry === undefined) return undefined
      if (isMoving(entry)) return moving
      const { daemon, snapshot } = entry
      if (daemon === undefined) return Effect.fail(new DaemonSocketLost({}))
      return traceFrame(tracing, asked, (one) =>
        outlives(one)
          ? startCommand({ records, now }, { daemon, snapshot }, one)
          : sendCommand(daemon, one, one.deadlineMs ?? commandMillis, now)
      )
    },
    order: roster.ordered,
    snapshot: (accountId, daemonId) => own(accountId, daemonId)?.snapshot,
    of: roster.of,
    watch: localWatch(roster, { after })
  }
}
