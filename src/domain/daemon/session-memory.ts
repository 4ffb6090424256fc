/**
 * What is remembered of a daemon's sessions beyond its last report: those that left it lately, for their last events,
 * and which was generating last. Owns that memory and its bounds; pure.
 */
import { eventTextCharsMax } from "../../limits/delivery.ts"
import { departedSessionMillis, departedSessionsMax } from "../../limits/reports.ts"
import type { SessionReport } from "../../protocol/frames.ts"
import { cutToChars } from "../text/truncate.ts"
import type { Snapshot } from "./snapshot.ts"
import { agentState, agentsOf, parentOf, sessionOf } from "./target-resolution.ts"
import { workspaceNameOf } from "./workspace.ts"

/** What events say of a session. A daemon that hosts it and says nothing of them shows it, with its sound. */
export interface KnownSession {
  readonly id: string
  readonly providerType: string
  readonly providerSessionId: string | undefined
  readonly workspaceName: string | undefined
  readonly surfaceHidden: boolean
  readonly muted: boolean
  readonly activeModal?: SessionReport["activeModal"]
}

/** What is remembered of one connection. */
export interface SessionMemory {
  /** Oldest first. */
  readonly departed: ReadonlyArray<{ readonly session: KnownSession; readonly at: number }>
  /** The session that was generating last; undefined: none that is known. */
  readonly generating: string | undefined
}

export const noMemory: SessionMemory = { departed: [], generating: undefined }

/** What events say of a session of the last report. */
export const knownSession = (snapshot: Snapshot, session: SessionReport): KnownSession => ({
  id: session.id,
  providerType: session.providerType,
  providerSessionId: session.providerSessionId,
  workspaceName: workspaceNameOf(session, parentOf(snapshot, session)),
  surfaceHidden: session.surfaceHidden ?? false,
  muted: session.muted ?? false,
  activeModal: session.activeModal
})

const cut = (text: string | undefined): string | undefined => text && cutToChars(text, eventTextCharsMax)

/** A copy that holds nothing else of its report. */
const departing = (snapshot: Snapshot, session: SessionReport): KnownSession => {
  const { activeModal: _, ...known } = knownSession(snapshot, session)
  return {
    ...known,
    providerType: cutToChars(known.providerType, eventTextCharsMax),
    providerSessionId: cut(known.providerSessionId),
    workspaceName: cut(known.workspaceName)
  }
}

const isGenerating = ({ status }: SessionReport): boolean => agentState(status) === "generating"

/** What is remembered after a report that changed the sessions. */
export const rememberSessions = (
  memory: SessionMemory,
  before: Snapshot,
  after: Snapshot,
  now: number
): SessionMemory => {
  if (before.sessions === after.sessions) return memory
  const left = before.sessions.filter(({ id }) => sessionOf(after, id) === undefined)
  const still = memory.departed.filter(
    ({ session, at }) => at > now - departedSessionMillis && sessionOf(after, session.id) === undefined
  )
  const departed = [...still, ...left.map((session) => ({ session: departing(before, session), at: now }))]
  const ended = before.sessions.findLast((session) => {
    const next = isGenerating(session) ? sessionOf(after, session.id) : session
    return next === undefined || (next !== session && !isGenerating(next))
  })
  const generating = ended ?? agentsOf(after).findLast(isGenerating)
  return { departed: departed.slice(-departedSessionsMax), generating: generating?.id ?? memory.generating }
}

/** The sessions that left so lately that events of them may still come. */
export const departedSessions = ({ departed }: SessionMemory, now: number): ReadonlyArray<KnownSession> =>
  departed.filter(({ at }) => at > now - departedSessionMillis).map(({ session }) => session)
