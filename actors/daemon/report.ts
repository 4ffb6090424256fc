/**
 * From a `status_report` to the snapshot. Owns the digest by which an unchanged report is told from its text alone, so
 * that it is not even parsed; pure.
 */
import { hash } from "node:crypto"
import { withPromptIds } from "../../src/domain/daemon/prompt-ids.ts"
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { StatusReport } from "../../src/protocol/frames.ts"
import type { SchemaViolation } from "../../src/protocol/tolerant.ts"

// The one member that always changes, where our own and most daemons put it: first. Elsewhere the parsed report
// decides.
const canonical = /^\{"type":"status_report","data":\{"timestamp":-?\d+(?:\.\d+)?,/u

/** What the text says apart from its time; undefined when that cannot be told without parsing. */
export const digestOfText = (text: string): string | undefined => {
  const head = canonical.exec(text)?.[0]
  return head === undefined ? undefined : hash("sha1", text.slice(head.length), "base64")
}

const headBytes = 128

/** The same of the bytes of a text. */
export const digestOfBytes = (bytes: Uint8Array): string | undefined => {
  const head = canonical.exec(Buffer.from(bytes.subarray(0, headBytes)).toString("latin1"))?.[0]
  return head === undefined ? undefined : hash("sha1", bytes.subarray(head.length), "base64")
}

/** The same from a parsed report. Never equal to a digest of a text. */
export const digestOfReport = (report: StatusReport, misfits?: ReadonlyArray<SchemaViolation>): string => {
  const { timestamp: _, ...rest } = report
  return `=${hash("sha1", JSON.stringify([rest, misfits]), "base64")}`
}

/** The snapshot after a report. A list that it leaves out, or that is none, is no news. */
export const snapshotAfter = (before: Snapshot, report: StatusReport, now: number): Snapshot => ({
  ...before,
  lastSeenAt: now,
  observedAt: report.sessions === undefined ? before.observedAt : now,
  sessions: report.sessions === undefined ? before.sessions : withPromptIds(before.sessions, report.sessions, now),
  workspaces: report.workspaces ?? before.workspaces,
  availableProviders: report.availableProviders ?? before.availableProviders,
  ...(report.health !== undefined && { health: report.health })
})
