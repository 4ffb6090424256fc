/**
 * The throttle of `agent:status`: at once on the first change, then at most one per 10 s per daemon with the latest
 * state; the last change is never lost. What was told is remembered over connections, nodes and restarts, so that a
 * change across them is one too; only what the first report of a daemon ever shows is none. Owns the rule; knows no
 * clock.
 */
import { agentStatusCharsMax, agentStatusMillis, agentsFollowedMax, eventTextCharsMax } from "../../limits/delivery.ts"
import type { SessionReport } from "../../protocol/frames.ts"
import { workspaceNameOf } from "./workspace.ts"

/** The four states of an agent. */
export type AgentState = "idle" | "generating" | "waiting_approval" | "error"

const states: Readonly<Record<string, AgentState>> = {
  generating: "generating",
  streaming: "generating",
  loading: "generating",
  loading_reference: "generating",
  thinking: "generating",
  active: "generating",
  starting: "generating",
  waiting_approval: "waiting_approval",
  waiting_choice: "waiting_approval",
  error: "error",
  disconnected: "error"
}

/** The state that a daemon's own word means; every word without one is idle. */
export const agentState = (raw: string): AgentState => (Object.hasOwn(states, raw) ? states[raw]! : "idle")

/**
 * The sessions that run an agent, as the status lists them: all but an IDE's workspace that holds agents of its own.
 */
const agentsAmong = (sessions: ReadonlyArray<SessionReport>): ReadonlyArray<SessionReport> => {
  const holds = new Set<string | undefined>()
  for (const { id, parentId } of sessions) if (parentId !== id) holds.add(parentId)
  return sessions.filter(
    ({ id, kind, transport }) => !(kind === "workspace" && transport.startsWith("cdp-") && holds.has(id))
  )
}

/** One agent whose status changed. */
export interface AgentChange {
  readonly targetSessionId: string
  readonly providerType: string
  readonly workspaceName: string | undefined
  readonly status: string
  readonly previousStatus: string
  /** It left the report: this is the last of it. */
  readonly ended?: true
}

interface Seen {
  readonly status: AgentState
  readonly session: SessionReport
  readonly workspaceName: string | undefined
  readonly isGone?: true
}

/** What is to be told of an agent next; undefined: receivers know all. One that is gone ends idle. */
const nextOf = ({ status, isGone }: Seen, told: AgentState | undefined): AgentState | undefined => {
  if (told === undefined || told === status)
    return isGone === true && told !== undefined && told !== "idle" ? "idle" : undefined
  return status
}

/** What receivers know of one daemon, as it is stored. */
export interface ToldStatus {
  /** When the last event was told, epoch milliseconds; undefined before the first. */
  readonly at: number | undefined
  /** The status of each agent that is not idle, by session, as JSON. */
  readonly states: string
}

/** What is followed of one daemon. */
export interface Followed {
  /**
   * What receivers know: the status each agent had in the last event, or in the first report of all; idle without one.
   */
  readonly told: Map<string, AgentState>
  /** What was reported last; an agent that is gone stays until its end is told. */
  readonly latest: Map<string, Seen>
  /** Whether it has ever reported: else its next report is how it was found, not a change. */
  seen: boolean
  sentAt: number | undefined
}

export const follow = (): Followed => ({ told: new Map(), latest: new Map(), seen: false, sentAt: undefined })

const latestOf = (session: SessionReport, byId: ReadonlyMap<string | undefined, SessionReport>): Seen => ({
  status: agentState(session.status),
  session,
  workspaceName: workspaceNameOf(session, byId.get(session.parentId))
})

const indexed = (sessions: ReadonlyArray<SessionReport>): ReadonlyMap<string | undefined, SessionReport> => {
  const byId = new Map<string | undefined, SessionReport>()
  for (const session of sessions) if (!byId.has(session.id)) byId.set(session.id, session)
  return byId
}

/**
 * Takes what is stored for what receivers know. `sentAt`: when the last event was told, on the caller's clock.
 * `sessions`: what was reported last, of which some may be gone by now.
 */
export const recall = (
  followed: Followed,
  states: string,
  sentAt: number | undefined,
  sessions: ReadonlyArray<SessionReport> = []
): void => {
  const byId = indexed(sessions)
  followed.told.clear()
  for (const [id, state] of Object.entries(JSON.parse(states) as Record<string, AgentState>)) {
    followed.told.set(id, state)
    const session = byId.get(id)
    if (session !== undefined) followed.latest.set(id, { ...latestOf(session, byId), status: state })
  }
  followed.seen = true
  followed.sentAt = sentAt
}

const statesOf = (known: Iterable<readonly [string, AgentState]>): string =>
  JSON.stringify(Object.fromEntries([...known].filter(([, state]) => state !== "idle")))

/** What receivers know, to be stored. */
export const toldStates = ({ told }: Followed): string => statesOf(told)

/** What receivers know after the first report of all, to be stored. */
export const foundStates = (sessions: ReadonlyArray<SessionReport>): string =>
  statesOf(
    agentsAmong(sessions)
      .slice(0, agentsFollowedMax)
      .map(({ id, status }) => [id, agentState(status)] as const)
  )

/** Takes in a report. */
export const observe = (followed: Followed, sessions: ReadonlyArray<SessionReport>): void => {
  const { told, latest } = followed
  const first = !followed.seen
  followed.seen = true
  const here = new Set<string>()
  const byId = indexed(sessions)
  for (const session of agentsAmong(sessions)) {
    if (here.size >= agentsFollowedMax) break
    here.add(session.id)
    const seen = latestOf(session, byId)
    if (first) told.set(session.id, seen.status)
    else if (!told.has(session.id)) told.set(session.id, "idle")
    latest.set(session.id, seen)
  }
  for (const [id, seen] of latest) {
    if (here.has(id)) continue
    const gone: Seen = { ...seen, isGone: true }
    if (nextOf(gone, told.get(id)) === undefined || latest.size > agentsFollowedMax * 2) latest.delete(id)
    else latest.set(id, gone)
  }
  for (const id of told.keys()) if (!latest.has(id)) told.delete(id)
}

/** Whether some agent's status is not what receivers know. */
export const unsaid = (followed: Followed): boolean => {
  for (const [id, seen] of followed.latest) if (nextOf(seen, followed.told.get(id)) !== undefined) return true
  return false
}

/** When the next event may go out: now if none went out in the last 10 s. */
export const mayTellAt = (followed: Followed, now: number): number =>
  followed.sentAt === undefined ? now : Math.max(now, followed.sentAt + agentStatusMillis)

/** What a change takes of an event, in characters. */
const charsOf = (id: string, { session, workspaceName = "" }: Seen): number => {
  let chars = 0
  for (const text of [id, session.providerType, workspaceName]) chars += Math.min(text.length, eventTextCharsMax)
  return chars
}

/** Those who were told stand behind the others, who would never be told while these change again. */
const putBehind = ({ latest }: Followed, told: ReadonlyArray<AgentChange>): void => {
  for (const { targetSessionId: id } of told) {
    const seen = latest.get(id)
    if (seen === undefined) continue
    latest.delete(id)
    latest.set(id, seen)
  }
}

/** Takes what is to be told, as much as fits an event, marking it told; empty when all changed back meanwhile. */
export const tell = (followed: Followed, now: number): ReadonlyArray<AgentChange> => {
  const changes: Array<AgentChange> = []
  let chars = 0
  for (const [id, seen] of followed.latest) {
    if (chars >= agentStatusCharsMax) break
    const previous = followed.told.get(id)
    const status = nextOf(seen, previous)
    if (previous === undefined || status === undefined) continue
    chars += charsOf(id, seen)
    const ended = seen.isGone === true && status === "idle"
    changes.push({
      targetSessionId: id,
      providerType: seen.session.providerType,
      workspaceName: seen.workspaceName,
      status,
      previousStatus: previous,
      ...(ended && { ended })
    })
    followed.told.set(id, status)
    if (ended) {
      followed.latest.delete(id)
      followed.told.delete(id)
    }
  }
  if (changes.length > 0) followed.sentAt = now
  if (chars >= agentStatusCharsMax) putBehind(followed, changes)
  return changes
}
