/**
 * Announces changes of agents (`agent:status`): the first of a daemon at once, then throttled. Owns what is known of
 * each daemon's agents, and one timer per daemon. daemon/agent-status.ts has the rule of the throttle; what was
 * announced is stored with its event.
 */
import {
  type Followed,
  follow,
  mayTellAt,
  observe,
  recall,
  type ToldStatus,
  tell,
  toldStates,
  unsaid
} from "../../src/domain/daemon/agent-status.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { AgentChange } from "../../src/domain/event/event-payload.ts"
import type { SessionReport } from "../../src/protocol/frames.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"

/** What was known of a daemon's agents before a connection: what the store says was told, and the last report. */
export interface Former extends ToldStatus {
  readonly sessions?: ReadonlyArray<SessionReport>
}

interface Watched extends Followed {
  readonly accountId: string
  /** When the last event was told, epoch milliseconds. */
  toldAt: number
  online: boolean
  timer: Timer | undefined
}

export interface Following {
  /** A daemon has a new snapshot. `former`: what was known of it before, at the first report of a connection. */
  readonly changed: (snapshot: Snapshot, former: Former | undefined) => void
  /** A daemon went offline: its throttle is kept until it is over. */
  readonly left: (daemonId: string) => void
  /** A daemon is on another node now: nothing more of it is announced here. */
  readonly drop: (daemonId: string) => void
  /** Announces nothing more. The next first report of a daemon shows what is left, here or on another node. */
  readonly end: () => void
}

/** Announces changes; `told`: what receivers know from then on. */
export type TellChanges = (
  accountId: string,
  daemonId: string,
  changes: ReadonlyArray<AgentChange>,
  told: ToldStatus & { readonly at: number }
) => void

/** No daemon is followed yet. */
export const makeFollowing = (timers: Timers["Service"], told: TellChanges): Following => {
  const watched = new Map<string, Watched>()

  const tellChanges = (daemonId: string, one: Watched): void => {
    const changes = tell(one, timers.monotonic())
    if (changes.length === 0) return
    one.toldAt = timers.now()
    told(one.accountId, daemonId, changes, { at: one.toldAt, states: toldStates(one) })
  }

  // A clock that was set back meanwhile must not delay a change for longer than the throttle.
  const recallStored = (one: Watched, { at, states, sessions }: Former): void => {
    const sentAt = at === undefined ? undefined : timers.monotonic() - Math.max(0, timers.now() - at)
    recall(one, states, sentAt, sessions)
    one.toldAt = at ?? Number.NEGATIVE_INFINITY
  }

  const forget = (daemonId: string, one: Watched): void => {
    if (!one.online && one.timer === undefined && watched.get(daemonId) === one) watched.delete(daemonId)
  }

  // One timer a daemon: it tells what changed meanwhile, and keeps the throttle of one that went away until it is over.
  const arm = (daemonId: string, one: Watched): void => {
    if (one.timer !== undefined) return
    const wait = mayTellAt(one, timers.monotonic()) - timers.monotonic()
    if (wait <= 0 && unsaid(one)) tellChanges(daemonId, one)
    const rest = mayTellAt(one, timers.monotonic()) - timers.monotonic()
    if (rest <= 0) return forget(daemonId, one)
    if (!unsaid(one) && one.online) return
    one.timer = timers.after(rest, () => {
      one.timer = undefined
      arm(daemonId, one)
    })
  }

  return {
    changed: ({ daemonId, accountId, sessions }, former) => {
      let one = watched.get(daemonId)
      if (one === undefined) {
        one = { ...follow(), accountId, toldAt: Number.NEGATIVE_INFINITY, online: true, timer: undefined }
        watched.set(daemonId, one)
        if (former !== undefined) recallStored(one, former)
      } else if (former?.at !== undefined && former.at > one.toldAt) recallStored(one, former)
      one.online = true
      observe(one, sessions)
      arm(daemonId, one)
    },
    left: (daemonId) => {
      const one = watched.get(daemonId)
      if (one === undefined) return
      one.online = false
      arm(daemonId, one)
    },
    drop: (daemonId) => {
      watched.get(daemonId)?.timer?.clear()
      watched.delete(daemonId)
    },
    end: () => {
      for (const one of watched.values()) one.timer?.clear()
      watched.clear()
    }
  }
}
