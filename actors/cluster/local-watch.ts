/**
 * Waits until an agent of this node is another than it was seen. Owns the listener and the timer of one wait: both end
 * with it, also when it is interrupted.
 */
import { Effect } from "effect"
import { type AgentWatch, isAnother } from "../../src/domain/daemon/agent-watch.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import type { Roster } from "../presence/roster.ts"

/**
 * The snapshot once the agent is another, or as it is when the time is over. Undefined: the daemon is not here, or not
 * any more.
 */
export type LocalWatch = (watch: AgentWatch, millis: number) => Effect.Effect<Snapshot | undefined>

/** That of a roster. */
export const localWatch =
  (roster: Pick<Roster["Service"], "find" | "watchers">, { after }: Pick<Timers["Service"], "after">): LocalWatch =>
  (watch, millis) =>
    Effect.callback<Snapshot | undefined>((resume) => {
      const snapshot = (): Snapshot | undefined => {
        const found = roster.find(watch.daemonId)?.snapshot
        return found?.accountId === watch.accountId ? found : undefined
      }
      let seen: Snapshot | undefined
      let over = false
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
      let timer: ReturnType<typeof after> | undefined
      let unwatch: (() => void) | undefined
      look()
      if (over) return
      unwatch = roster.watchers.add(watch.daemonId, look)
      timer = after(millis, () => settle(snapshot()))
      return Effect.sync(end)
      // who waits goes on when the change is complete
    }).pipe(Effect.tap(() => Effect.yieldNow))
