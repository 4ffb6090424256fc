/**
 * The surface of a session. Owns that one rule; target-resolution.ts resolves a target to a session.
 */
import type { SessionReport } from "../../protocol/frames.ts"

/** The surface a session is reached through; undefined for an agent inside an IDE and for transports not known here. */
export type Surface = "ide" | "cli" | "acp"

/** Whether a session is an IDE's own workspace, a CLI or an ACP agent. */
export const surfaceOf = (session: SessionReport): Surface | undefined => {
  if (session.transport === "pty") return "cli"
  if (session.transport === "acp") return "acp"
  return session.transport.startsWith("cdp-") && session.kind === "workspace" ? "ide" : undefined
}
