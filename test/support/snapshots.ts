/** SnapshotWriter and sessions for tests: whole records of which a test names only what matters. */
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { SessionReport } from "../../src/protocol/frames.ts"

/** A session; a CLI agent unless told otherwise. */
export const session = (id: string, members: Partial<SessionReport> = {}): SessionReport => ({
  id,
  providerType: "codex-cli",
  kind: "agent",
  transport: "pty",
  status: "idle",
  ...members
})

/** An IDE's workspace. */
export const ide = (id: string, members: Partial<SessionReport> = {}): SessionReport =>
  session(id, { providerType: "cursor", kind: "workspace", transport: "cdp-page", ...members })

/** A snapshot of an online daemon `d` with these sessions. */
export const snapshot = (sessions: ReadonlyArray<SessionReport>, members: Partial<Snapshot> = {}): Snapshot => ({
  daemonId: "d",
  accountId: "a",
  hostname: "host",
  nickname: "",
  platform: "linux",
  version: "1.0.0",
  online: true,
  revoked: false,
  epoch: 1,
  connectedAt: 1_000,
  lastSeenAt: 2_000,
  observedAt: 2_000,
  sessions,
  workspaces: [],
  availableProviders: [],
  ...members
})
