/**
 * Resolves a target to agents of a snapshot. Owns the choice of a session for reads (the most urgent) and for writes
 * (only an unambiguous one). The workspace of an IDE is the agent of its IDE unless it contains agents of its own; then
 * these count and the workspace only contains them.
 */
import { Result } from "effect"
import { AmbiguousTarget, NotFound } from "../../errors.ts"
import { candidatesMax } from "../../limits.ts"
import type { SessionReport } from "../../protocol/frames.ts"
import { type AgentState, agentState } from "./agent-status.ts"
import type { Snapshot } from "./snapshot.ts"
import { type Target, targetId } from "./targets.ts"
import { type Surface, surfaceOf } from "./workspace.ts"

export { type AgentState, agentState, type Surface, surfaceOf }

type Sessions = ReadonlyArray<SessionReport>
const none: Sessions = []

interface Index {
  readonly byId: ReadonlyMap<string, SessionReport>
  readonly children: ReadonlyMap<string, Sessions>
  /** What `<surface>:<type>` means: an IDE's agents in place of its workspace, where it has any. */
  readonly bySurface: ReadonlyMap<string, Sessions>
}

// Sessions are immutable, outlive the snapshot (each unchanged report makes another), and are read many times.
const indexes = new WeakMap<Sessions, Index>()

const append = (map: Map<string, Array<SessionReport>>, key: string, sessions: Sessions): void => {
  const known = map.get(key)
  if (known === undefined) map.set(key, [...sessions])
  else for (const session of sessions) known.push(session)
}

const indexOf = (snapshot: Snapshot): Index => {
  const known = indexes.get(snapshot.sessions)
  if (known !== undefined) return known
  const byId = new Map<string, SessionReport>()
  const children = new Map<string, Array<SessionReport>>()
  const bySurface = new Map<string, Array<SessionReport>>()
  for (const session of snapshot.sessions) {
    if (!byId.has(session.id)) byId.set(session.id, session)
    if (session.parentId !== undefined && session.parentId !== session.id) append(children, session.parentId, [session])
  }
  for (const session of byId.values()) {
    const surface = surfaceOf(session)
    if (surface === undefined) continue
    append(bySurface, `${surface}:${session.providerType}`, surface === "ide" ? held(children, session) : [session])
  }
  const index = { byId, children, bySurface }
  indexes.set(snapshot.sessions, index)
  return index
}

const held = (children: ReadonlyMap<string, Sessions>, workspace: SessionReport): Sessions =>
  children.get(workspace.id) ?? [workspace]

/** The session of an id. */
export const sessionOf = (snapshot: Snapshot, id: string | undefined): SessionReport | undefined =>
  id === undefined ? undefined : indexOf(snapshot).byId.get(id)

/** The session that a session is in, where its daemon reports that. */
export const parentOf = (snapshot: Snapshot, session: SessionReport): SessionReport | undefined =>
  sessionOf(snapshot, session.parentId)

/** Every agent, in the order reported: all sessions but the workspaces that only hold agents. */
export const agentsOf = (snapshot: Snapshot): Sessions => {
  const { byId, children } = indexOf(snapshot)
  return [...byId.values()].filter((session) => surfaceOf(session) !== "ide" || !children.has(session.id))
}

const meant = (snapshot: Snapshot, target: Target): Sessions => {
  if (target.kind === "daemon") return agentsOf(snapshot)
  const { byId, bySurface } = indexOf(snapshot)
  if (target.kind !== "session") return bySurface.get(`${target.kind}:${target.name}`) ?? none
  const session = byId.get(target.name)
  return session === undefined ? none : [session]
}

/** The agents of one type that a target can mean; a workspace that holds agents still answers to its IDE's own type. */
const ofType = (snapshot: Snapshot, target: Target, agentType: string): Sessions => {
  const typed = (sessions: Sessions) => sessions.filter((session) => session.providerType === agentType)
  const exact = typed(meant(snapshot, target))
  if (exact.length > 0) return exact
  if (target.kind === "session") return typed(indexOf(snapshot).children.get(target.name) ?? none)
  if (target.kind !== "ide" || target.name !== agentType) return none
  return typed([...indexOf(snapshot).byId.values()]).filter((session) => surfaceOf(session) === "ide")
}

/** The sessions that a target means, narrowed by `agentType` when given. */
const matching = (snapshot: Snapshot, target: Target, agentType?: string): Sessions =>
  agentType === undefined ? meant(snapshot, target) : ofType(snapshot, target, agentType)

const urgency: Readonly<Record<AgentState, number>> = { waiting_approval: 0, error: 1, generating: 2, idle: 3 }

/** The session to read of a target: the most urgent, of equals the one reported last. */
export const toRead = (
  snapshot: Snapshot,
  target: Target,
  agentType?: string
): Result.Result<SessionReport, NotFound> => {
  let best: SessionReport | undefined
  for (const session of matching(snapshot, target, agentType)) {
    const rank = urgency[agentState(session.status)]
    if (best === undefined || rank <= urgency[agentState(best.status)]) best = session
  }
  return best === undefined ? Result.fail(new NotFound()) : Result.succeed(best)
}

/** The session to write to: the only one that matches, else the candidates by name. */
export const toWrite = (
  snapshot: Snapshot,
  target: Target,
  agentType?: string
): Result.Result<SessionReport, NotFound | AmbiguousTarget> => {
  const found = matching(snapshot, target, agentType)
  if (found.length === 0) return Result.fail(new NotFound())
  if (found.length === 1) return Result.succeed(found[0]!)
  const candidates = found.slice(0, candidatesMax).map((session) => targetId(snapshot.daemonId, "session", session.id))
  return Result.fail(new AmbiguousTarget({ candidates }))
}

/** The target id by which exactly this session is addressed: its surface's when that is unmistakable, else its own. */
export const addressOf = (snapshot: Snapshot, session: SessionReport): string => {
  const { byId, bySurface } = indexOf(snapshot)
  const parent = session.parentId === undefined ? undefined : byId.get(session.parentId)
  const host = surfaceOf(session) === undefined && parent !== undefined ? parent : session
  const surface = surfaceOf(host)
  if (surface !== undefined) {
    const found = bySurface.get(`${surface}:${host.providerType}`) ?? none
    if (found.length === 1 && found[0]!.id === session.id)
      return targetId(snapshot.daemonId, surface, host.providerType)
  }
  return targetId(snapshot.daemonId, "session", session.id)
}
