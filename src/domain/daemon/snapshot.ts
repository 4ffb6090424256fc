/**
 * The hub's knowledge of one daemon, as one immutable record. List, status, targets and agent status are derived from
 * it. Owns the shape; the daemon actor replaces it after each change, and readers take it without a mailbox.
 */
import type { AvailableProvider, MachineHealth, SessionReport, WorkspaceReport } from "../../protocol/frames.ts"
import type { SchemaViolation } from "../../protocol/tolerant.ts"
import type { OwnerTags, Tags } from "./tags.ts"

/** Something its daemon sent that did not fit and was dropped: where it stood, and why. */
export type Problem = Pick<SchemaViolation, "at" | "reason">

/** Why a time online ended: `code` is that of the socket's close, where there was one. */
export interface LastEnd {
  readonly at: number
  readonly reason: string | null
  readonly code: number | null
}

/** One daemon as last seen. Times are epoch milliseconds. */
export interface Snapshot {
  readonly daemonId: string
  readonly accountId: string
  readonly hostname: string
  readonly nickname: string
  readonly platform: string
  readonly version: string
  /** That it named itself. Absent: none. */
  readonly tags?: Tags
  /** That its owner gave it, which win. Absent: never any. */
  readonly ownerTags?: OwnerTags
  /** Connected now, or in the grace after an abnormal loss. */
  readonly online: boolean
  /** Sent away by a node that drains, and not back yet: a command waits for it. */
  readonly moving?: true
  readonly revoked: boolean
  /** What of the optional parts of the protocol its connection knows. Absent: nothing, or it is not connected. */
  readonly capabilities?: ReadonlyArray<string>
  /** Number of the connection that this snapshot came from; grows with every `auth_ok`, 0 when never connected. */
  readonly epoch: number
  readonly connectedAt: number | undefined
  readonly lastSeenAt: number | undefined
  /** When the sessions below were reported. */
  readonly observedAt: number | undefined
  readonly sessions: ReadonlyArray<SessionReport>
  readonly workspaces: ReadonlyArray<WorkspaceReport>
  readonly availableProviders: ReadonlyArray<AvailableProvider>
  /** As the last report that had it said. */
  readonly health?: MachineHealth
  /** How its last time online ended; only of one that is offline and was read from the store. */
  readonly lastEnd?: LastEnd
  /** Of its connection's frames, the newest report of which counts. Absent: none. */
  readonly problems?: ReadonlyArray<Problem>
}
