/**
 * What a caller saw of an agent, and whether it is another by now. Owns the version: a digest of what the agent's
 * status shows but for its times, so that every node, a restarted one too, finds the same without keeping anything.
 */
import { hash } from "node:crypto"
import { Result } from "effect"
import type { SessionReport } from "../../protocol/frames.ts"
import type { Snapshot } from "./snapshot.ts"
import { parentOf, toRead } from "./target-resolution.ts"
import { parseTarget } from "./targets.ts"
import { workspaceNameOf, workspaceOf } from "./workspace.ts"

/** An agent by its target, and the version of it that was seen. */
export interface AgentWatch {
  readonly accountId: string
  readonly daemonId: string
  readonly target: string
  readonly agentType?: string | undefined
  readonly version: string
}

const digestChars = 22

interface Digested {
  readonly online: boolean
  readonly parent: SessionReport | undefined
  readonly version: string
}

// Hundreds may wait for one session, whose report may be large: it is digested once for all of them.
const digested = new WeakMap<SessionReport, Digested>()

/** The version of a session as its status shows it. */
export const versionOf = (snapshot: Snapshot, session: SessionReport): string => {
  const { online } = snapshot
  const parent = parentOf(snapshot, session)
  const known = digested.get(session)
  if (known !== undefined && known.online === online && known.parent === parent) return known.version
  const version = digest(online, session, parent)
  digested.set(session, { online, parent, version })
  return version
}

const digest = (online: boolean, session: SessionReport, parent: SessionReport | undefined): string => {
  const shown = [
    online,
    session.id,
    session.providerType,
    session.providerSessionId,
    session.status,
    workspaceOf(session, parent),
    workspaceNameOf(session, parent),
    session.summaryMetadata,
    session.providerControls,
    session.controlValues,
    // when it was asked the hub may have added, at another time after another start
    session.activeModal && { ...session.activeModal, askedAt: undefined }
  ]
  return hash("sha256", JSON.stringify(shown), "base64url").slice(0, digestChars)
}

/** The version of what a target means now; "" when the daemon has no such agent. */
export const watchedVersion = (
  snapshot: Snapshot,
  { target, agentType }: Pick<AgentWatch, "target" | "agentType">
): string => {
  const read = parseTarget(target)
  const found = read === undefined ? undefined : toRead(snapshot, read, agentType)
  return found === undefined || Result.isFailure(found) ? "" : versionOf(snapshot, found.success)
}

/** Whether it is known what runs on a daemon: one that has just come back tells it with its first report. */
export const hasReported = ({ online, observedAt }: Pick<Snapshot, "online" | "observedAt">): boolean =>
  !online || observedAt !== undefined

/** Whether the agent is another than it was seen. */
export const isAnother = (snapshot: Snapshot, watch: AgentWatch): boolean =>
  hasReported(snapshot) && watchedVersion(snapshot, watch) !== watch.version
