/**
 * The surface of a session, and the workspace of an agent and its name, for every answer and event. Owns these rules;
 * src/protocol/workspace.ts owns the forms in which daemons write a workspace.
 */
import type { SessionReport } from "../../protocol/frames.ts"
import type { WorkspaceReport } from "../../protocol/workspace.ts"

/** The surface a session is reached through; undefined for an agent inside an IDE and for transports not known here. */
export type Surface = "ide" | "cli" | "acp"

/** Whether a session is an IDE's own workspace, a CLI or an ACP agent. */
export const surfaceOf = (session: SessionReport): Surface | undefined => {
  if (session.transport === "pty") return "cli"
  if (session.transport === "acp") return "acp"
  return session.transport.startsWith("cdp-") && session.kind === "workspace" ? "ide" : undefined
}

/** The workspace of a session: of an agent inside an IDE the IDE's, else its own, else its parent's. */
export const workspaceOf = (session: SessionReport, parent: SessionReport | undefined): WorkspaceReport | null => {
  const inside = surfaceOf(session) === undefined && parent !== undefined && surfaceOf(parent) === "ide"
  const [first, second] = inside ? [parent, session] : [session, parent]
  return first.workspace ?? second?.workspace ?? null
}

/** What that workspace is called: of a CLI or an ACP agent its directory, where that is known; of all else its name. */
export const workspaceNameOf = (session: SessionReport, parent: SessionReport | undefined): string | undefined => {
  const workspace = workspaceOf(session, parent)
  if (workspace === null) return undefined
  const surface = surfaceOf(session)
  return surface === "cli" || surface === "acp" ? (workspace.path ?? workspace.name) : workspace.name
}
