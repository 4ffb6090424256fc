/**
 * Accounts that start jobs over all their daemons, look at them and cancel them, as fast as their limits let them. Owns
 * what is watched: that no daemon is sent one command twice.
 */
import { setTimeout as pause } from "node:timers/promises"
import { type Attack, attackerAddress, type Target } from "./attack.ts"
import { type DaemonTally, keepDaemons, named } from "./attacker-daemons.ts"
import { type DaemonSocket, resultText } from "./daemon-socket.ts"
import { type JsonCall, type JsonCaller, jsonCaller } from "./json-calls.ts"
import type { Holder } from "./site.ts"

const accounts = 3
const keys = 8
const daemons = 60
const tiny = { keys: 1, daemons: 4 }
/** Some of the daemons never come. */
const onlineShare = 0.5
const refusedMillis = 250
const started = 201

interface Tally {
  started: number
  cancelled: number
  commands: number
  /** Commands that a daemon was sent again. */
  again: number
}

/** What the callers of one account may ask, and what they were answered. */
const asking = (caller: JsonCaller, bearer: string | undefined, target: Target, statuses: Record<string, number>) => {
  return async (call: JsonCall) => {
    const answer = await caller.call({ ...call, bearer }).catch(() => undefined)
    const status = String(answer?.status ?? "lost")
    statuses[status] = (statuses[status] ?? 0) + 1
    if (answer !== undefined) target.reach()
    if (answer === undefined || answer.status >= 400) await pause(refusedMillis)
    return answer
  }
}

/** One key: a job is started, looked at and cancelled, and then the next one. */
const flooding = async (
  target: Target,
  from: string,
  bearer: string | undefined,
  tally: Tally,
  statuses: Record<string, number>
): Promise<void> => {
  const caller = jsonCaller(target.url, from)
  const ask = asking(caller, bearer, target, statuses)
  const body = { all: true, type: "screenshot", payload: {}, rollout: { concurrency: 1_000 } }
  while (!target.over()) {
    const made = await ask({ method: "POST", path: "/api/v1/jobs", body })
    if (made?.status !== started) {
      await ask({ method: "GET", path: "/api/v1/jobs?limit=100" })
      continue
    }
    tally.started++
    const path = `/api/v1/jobs/${String(made.body["jobId"])}`
    for (const more of ["", "/targets?limit=100", "/targets?state=waiting&limit=100"])
      await ask({ method: "GET", path: `${path}${more}` })
    const ended = await ask({ method: "POST", path: `${path}/cancel`, body: {} })
    if (ended !== undefined && ended.status < 300) tally.cancelled++
  }
  caller.close()
}

const ofAccount = async (
  target: Target,
  holder: Holder,
  at: number,
  daemonTally: DaemonTally,
  tally: Tally,
  statuses: Record<string, number>
): Promise<void> => {
  const online = holder.daemons.slice(0, Math.ceil(holder.daemons.length * onlineShare))
  const seen = new Set<string>()
  const command = (id: string, socket: DaemonSocket): void => {
    tally.commands++
    if (seen.has(id)) tally.again++
    seen.add(id)
    socket.send([resultText(id, '{"siege":true}')])
  }
  const callers = holder.keys.map((key, nth) =>
    flooding(target, attackerAddress(1_000 + at * keys + nth), key, tally, statuses)
  )
  await Promise.all([
    keepDaemons({ ...target, holder: { ...holder, daemons: online } }, daemonTally, { command }, () => {}),
    ...callers
  ])
}

/** Of accounts without a bound of their own. */
export const jobFloods: Attack = {
  finding: "jobs",
  asks: `${accounts} accounts start, look at and cancel jobs over ${daemons} daemons each, with ${keys} keys each`,
  holds: (small) => ({ plan: "enterprise", ...(small ? tiny : { keys, daemons }) }),
  accounts: (small) => (small ? 1 : accounts),
  strike: async (target) => {
    const tally: Tally = { started: 0, cancelled: 0, commands: 0, again: 0 }
    const [online, statuses]: [DaemonTally, Record<string, number>] = [{ online: 0, closed: 0 }, {}]
    await Promise.all(target.holders.map((holder, at) => ofAccount(target, holder, at, online, tally, statuses)))
    return { ...tally, ...online, ...named(statuses) }
  },
  judge: ({ again = 0 }) => (again === 0 ? undefined : `${again} commands of jobs came to a daemon twice`)
}
