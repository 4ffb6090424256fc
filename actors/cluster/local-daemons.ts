/** What this node does for the other nodes with the daemons of its roster. Owns no state and no route between nodes. */
import { Effect } from "effect"
import type { Command, CommandAnswer, CommandFailure } from "../../src/domain/command/command.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import { DaemonSocketLost } from "../../src/errors.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import { traceFrame } from "../../src/tracing/command-spans.ts"
import type { Tracer } from "../../src/tracing/tracer.ts"
import { type Moving, moving } from "../commands/handoff.ts"
import { sendCommand } from "../commands/send-command.ts"
import { outlives, type Starting, startCommand } from "../commands/start-command.ts"
import { isMoving, type Roster } from "../presence/roster.ts"
import { type LocalWatch, localWatch } from "./local-watch.ts"

/** The daemons of this node. */
export interface LocalDaemons {
  /** Undefined: the daemon is not here. Moving: it leaves, or has left, because this node drains. */
  readonly command: (command: Command) => Effect.Effect<CommandAnswer, CommandFailure> | Moving | undefined
  /** Says whether it had a live connection. */
  readonly order: (daemonId: string, reason: "disconnected" | "revoked") => boolean
  readonly snapshot: (accountId: string, daemonId: string) => Snapshot | undefined
  readonly of: (accountId: string) => ReadonlyArray<Snapshot>
  readonly watch: LocalWatch
}

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
