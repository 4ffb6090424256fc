/**
 * The throttle of `agent:status`: at once on the first change, then at most one per 10 s per daemon with the latest
 * state; the last change is never lost; the first report after a connect is no change. Owns the rule; knows no clock.
 */
import { agentStatusMillis, agentsFollowedMax } from "../limits/delivery.ts"
import type { SessionReport } from "../protocol/frames.ts"
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

/** The sessions that run an agent, as the status lists them: all but an IDE's workspace that holds agents of its own. */
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
}

interface Seen {
  status: AgentState
  session: SessionReport
  workspaceName: string | undefined
}

/** What is followed of one daemon. */
export interface Followed {
  /** What receivers know: the status each agent had in the last event, or in the first report. */
  readonly told: Map<string, AgentState>
  /** What was reported last; an agent that is gone stays until its last change is told. */
  readonly latest: Map<string, Seen>
  sentAt: number | undefined
}

/** Nothing known yet. */
export const follow = (): Followed => ({ told: new Map(), latest: new Map(), sentAt: undefined })

/** Takes in a report. `first`: of a connection, so that what differs is how it was found, not a change. */
export const observe = (followed: Followed, sessions: ReadonlyArray<SessionReport>, first: boolean): void => {
  const { told, latest } = followed
  const here = new Set<string>()
  const byId = new Map<string | undefined, SessionReport>()
  for (const session of sessions) if (!byId.has(session.id)) byId.set(session.id, session)
  for (const session of agentsAmong(sessions)) {
    if (here.size >= agentsFollowedMax) break
    here.add(session.id)
    const status = agentState(session.status)
    const known = latest.get(session.id)
    const unsaid = known !== undefined && told.get(session.id) !== known.status
    if (first && !unsaid) told.set(session.id, status)
    else if (!told.has(session.id)) told.set(session.id, "idle")
    latest.set(session.id, { status, session, workspaceName: workspaceNameOf(session, byId.get(session.parentId)) })
  }
  for (const [id, seen] of latest) {
    if (here.has(id) || (told.get(id) !== seen.status && latest.size <= agentsFollowedMax * 2)) continue
    latest.delete(id)
    told.delete(id)
  }
}

/** Whether some agent's status is not what receivers know. */
export const unsaid = (followed: Followed): boolean => {
  for (const [id, seen] of followed.latest) if (followed.told.get(id) !== seen.status) return true
  return false
}

/** When the next event may go out: now if none went out in the last 10 s. */
export const mayTellAt = (followed: Followed, now: number): number =>
  followed.sentAt === undefined ? now : Math.max(now, followed.sentAt + agentStatusMillis)

/** Takes what is to be told, marking it told; empty when all changed back meanwhile. */
export const tell = (followed: Followed, now: number): ReadonlyArray<AgentChange> => {
  const changes: Array<AgentChange> = []
  for (const [id, seen] of followed.latest) {
    const previous = followed.told.get(id)
    if (previous === undefined || previous === seen.status) continue
    changes.push({
      targetSessionId: id,
      providerType: seen.session.providerType,
      workspaceName: seen.workspaceName,
      status: seen.status,
      previousStatus: previous
    })
    followed.told.set(id, seen.status)
  }
  if (changes.length > 0) followed.sentAt = now
  return changes
}
