/**
 * Whose agents are followed, and when the changes of one daemon's are told: at once, then throttled. Owns what is known of
 * each daemon, one timer a daemon; the rule of the throttle is domain/agentchanges.ts's.
 */
import { type Followed, follow, mayTellAt, observe, tell, unsaid } from "../src/domain/agentchanges.ts"
import type { AgentChange } from "../src/domain/eventpayload.ts"
import type { Picture } from "../src/domain/picture.ts"
import type { Timer, Wheel } from "./wheel.ts"

interface Watched extends Followed {
  readonly accountId: string
  online: boolean
  timer: Timer | undefined
}

/** The followed daemons. */
export interface Following {
  /** A daemon has a new picture; without one before, what it shows is no change. */
  readonly changed: (before: Picture | undefined, after: Picture) => void
  /** A daemon went offline: its throttle is kept until it is over. */
  readonly left: (daemonId: string) => void
  /** A daemon is another node's now: nothing more is told of it here. */
  readonly drop: (daemonId: string) => void
  /** Tells whatever is untold. */
  readonly end: () => void
}

/** Nobody is followed yet. */
export const makeFollowing = (
  wheel: Wheel["Service"],
  told: (accountId: string, daemonId: string, changes: ReadonlyArray<AgentChange>) => void
): Following => {
  const watched = new Map<string, Watched>()

  const tellChanges = (daemonId: string, one: Watched): void => {
    const changes = tell(one, wheel.steady())
    if (changes.length > 0) told(one.accountId, daemonId, changes)
  }

  const forget = (daemonId: string, one: Watched): void => {
    if (!one.online && one.timer === undefined && watched.get(daemonId) === one) watched.delete(daemonId)
  }

  // One timer a daemon: it tells what changed meanwhile, and keeps the throttle of one that went away until it is over.
  const arm = (daemonId: string, one: Watched): void => {
    if (one.timer !== undefined) return
    const wait = mayTellAt(one, wheel.steady()) - wheel.steady()
    if (wait <= 0 && unsaid(one)) tellChanges(daemonId, one)
    const rest = mayTellAt(one, wheel.steady()) - wheel.steady()
    if (rest <= 0) return forget(daemonId, one)
    if (!unsaid(one) && one.online) return
    one.timer = wheel.after(rest, () => {
      one.timer = undefined
      arm(daemonId, one)
    })
  }

  return {
    changed: (before, after) => {
      const { daemonId, accountId } = after
      let one = watched.get(daemonId)
      if (one === undefined) {
        one = { ...follow(), accountId, online: true, timer: undefined }
        watched.set(daemonId, one)
      }
      one.online = true
      observe(one, after.sessions, before === undefined)
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
      for (const [daemonId, one] of watched) {
        one.timer?.clear()
        tellChanges(daemonId, one)
      }
    }
  }
}
