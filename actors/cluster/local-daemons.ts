/**
 * The daemons of this node, for callers here and at other nodes: commands, snapshots, waits for an agent, logs. Owns
 * the rule whose they are and the longest wait for a command; no state, and no route between nodes.
 */
import { Effect } from "effect"
import { Config } from "../../src/config.ts"
import { moving } from "../../src/domain/command/command.ts"
import { type AgentWatch, isAnother } from "../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { LogMessage } from "../../src/domain/log/log-listener.ts"
import { DaemonSocketLost } from "../../src/errors.ts"
import { type Timer, Timers } from "../../src/runtime/timers.ts"
import { traceFrame } from "../../src/tracing/command-spans.ts"
import { Tracing } from "../../src/tracing/tracer.ts"
import { CommandRecords } from "../command-records/command-records.ts"
import { sendCommand } from "../daemon/send-command.ts"
import { isMoving, Roster } from "../presence/roster.ts"
import type { LocalDaemons } from "./redis/rpc-server.ts"

export type { LocalDaemons } from "./redis/rpc-server.ts"

/** The snapshot once the agent is another, or as it is when the time is over; listener and timer end with it. */
const watching = (
  watch: AgentWatch,
  millis: number,
  snapshot: () => Snapshot | undefined,
  { watchers }: Roster["Service"],
  { after }: Timers["Service"]
): Effect.Effect<Snapshot | undefined> =>
  Effect.callback<Snapshot | undefined>((resume) => {
    let seen: Snapshot | undefined
    let over = false
    let timer: Timer | undefined
    let unwatch: (() => void) | undefined
    const end = (): void => {
      over = true
      timer?.clear()
      unwatch?.()
    }
    const settle = (found: Snapshot | undefined): void => {
      if (over) return
      end()
      resume(Effect.succeed(found))
    }
    const look = (): void => {
      const found = snapshot()
      if (found === undefined) return settle(undefined)
      // a report that says nothing new leaves the list as it was
      if (found.sessions === seen?.sessions && found.online === seen.online) return
      seen = found
      if (isAnother(found, watch)) settle(found)
    }
    look()
    if (over) return
    unwatch = watchers.add(watch.daemonId, look)
    timer = after(millis, () => settle(snapshot()))
    return Effect.sync(end)
    // who waits goes on when the change is complete
  }).pipe(Effect.tap(() => Effect.yieldNow))

export const makeLocalDaemons = Effect.gen(function* () {
  const { commandTimeoutMillis } = yield* Config
  const roster = yield* Roster
  const timers = yield* Timers
  const sending = { records: yield* CommandRecords, now: timers.now }
  const tracing = yield* Tracing

  /** Another account's daemon is looked for like one that is nowhere: nothing tells them apart. */
  const own = (accountId: string, daemonId: string) => {
    const entry = roster.find(daemonId)
    return entry?.snapshot.accountId === accountId ? entry : undefined
  }
  const snapshot = (accountId: string, daemonId: string) => own(accountId, daemonId)?.snapshot

  const local: LocalDaemons = {
    command: (asked) => {
      const entry = own(asked.accountId, asked.daemonId)
      if (entry === undefined) return undefined
      if (isMoving(entry)) return moving
      const { daemon, snapshot } = entry
      if (daemon === undefined) return Effect.fail(new DaemonSocketLost({}))
      return traceFrame(tracing, asked, (one) =>
        // whatever the node that asks is set to
        sendCommand(
          sending,
          { daemon, snapshot },
          one,
          Math.min(one.deadlineMs ?? commandTimeoutMillis, commandTimeoutMillis)
        )
      )
    },
    order: roster.ordered,
    snapshot,
    of: roster.of,
    watch: (watch, millis) => watching(watch, millis, () => snapshot(watch.accountId, watch.daemonId), roster, timers),
    subscribeLog: ({ accountId, daemonId, log, deltas }, by) => {
      const daemon = own(accountId, daemonId)?.daemon
      if (daemon === undefined) return undefined
      const ask = (asked: LogMessage): boolean => daemon.tell({ type: "log", asked, now: timers.now() })
      if (!ask({ ask: "subscribe", log, deltas, by })) return undefined
      return {
        want: (all) => void ask({ ask: "want", log, deltas: all, by }),
        close: () => void ask({ ask: "unsubscribe", log, by })
      }
    }
  }
  return local
})
