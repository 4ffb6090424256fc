/**
 * The workspace of an agent and its name, for every answer and event. Owns that one rule; src/protocol/workspace.ts
 * owns the forms in which daemons write a workspace.
 */
import type { SessionReport } from "../../protocol/frames.ts"
import type { WorkspaceReport } from "../../protocol/workspace.ts"
import { surfaceOf } from "./surface.ts"

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
