/**
 * Daemons and callers of an attacker's account: they come back when they are closed, and ask again once they are
 * answered. Owns that, and the counts of it.
 */
import { requestText } from "../fixture.ts"
import { Connection } from "../load/open-loop.ts"
import type { Ask } from "../load/wrk.ts"
import { attackerAddress, type Target } from "./attack.ts"
import { type DaemonListener, DaemonSocket } from "./daemon-socket.ts"

const againMillis = 200

/** What came of them. */
export interface DaemonTally {
  online: number
  /** By the hub. */
  closed: number
}

/** Keeps the attacker's daemons connected until the attack is over; `begin` is called each time one is in. */
export const keepDaemons = async (
  { url, over, ended, holder }: Target,
  tally: DaemonTally,
  hears: DaemonListener,
  begin: (socket: DaemonSocket, at: number) => void
): Promise<void> => {
  const sockets = new Map<number, DaemonSocket>()
  const open = (token: string, at: number): void => {
    if (over()) return
    const socket = new DaemonSocket(url, token, attackerAddress(at), {
      ...hears,
      ready: (ready) => {
        tally.online++
        begin(ready, at)
      },
      gone: () => {
        if (over()) return
        tally.closed++
        setTimeout(() => open(token, at), againMillis)
      }
    })
    sockets.set(at, socket)
  }
  for (const [at, { token }] of (holder?.daemons ?? []).entries()) open(token, at)
  await ended
  for (const socket of sockets.values()) socket.cut()
}

/** Sends what `text` makes on a daemon's socket at this rate, until it is closed or the attack is over. */
export const repeatedly = (target: Target, millis: number, say: () => boolean): void => {
  const timer = setInterval(() => {
    if (target.over() || !say()) clearInterval(timer)
  }, millis)
}

/** Has this many callers ask, each again once it is answered, each `mostEach` times; the statuses of the answers. */
export const askAgain = async (
  { url, ended, over, reach }: Target,
  callers: number,
  ask: (caller: number, turn: number) => Ask,
  mostEach = Number.POSITIVE_INFINITY
): Promise<Record<string, number>> => {
  const statuses: Record<string, number> = {}
  const connections: Array<Connection> = []
  const origin = url.origin
  const begin = (caller: number): void => {
    const connection = new Connection(url, attackerAddress(caller))
    connections.push(connection)
    const next = (turn: number): void => {
      if (over() || turn >= mostEach) return
      connection.ask(requestText(origin, ask(caller, turn)), (status) => {
        statuses[status] = (statuses[status] ?? 0) + 1
        if (status !== "lost") reach()
        setImmediate(next, turn + 1)
      })
    }
    next(0)
  }
  for (let caller = 0; caller < callers; caller++) begin(caller)
  await ended
  for (const connection of connections) connection.close()
  return statuses
}

/** The counts of statuses with a name each. */
export const named = (statuses: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(statuses).map(([status, count]) => [`answered_${status}`, count]))
