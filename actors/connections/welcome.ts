/** What a daemon's arrival makes of what it said and what is known of it: its snapshot, and its welcome. Pure. */
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import {
  daemonFrameBytesMax,
  framesPer10sMax,
  pingMillis,
  reportMillis,
  resultFrameBytesMax
} from "../../src/limits.ts"
import type { IceSet } from "../../src/outbound/ice.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import type { Auth } from "../../src/protocol/frames.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"

/**
 * The snapshot until the first report. A daemon that was online (`before`: in grace, or on a connection now replaced)
 * keeps its sessions, so that its targets do not vanish for the two seconds until it reports, and the time it came
 * online.
 */
export const snapshotOnArrival = (
  auth: Auth,
  owner: TokenOwner,
  epoch: number,
  now: number,
  before: Snapshot | undefined
): Snapshot => ({
  daemonId: owner.daemonId,
  accountId: owner.accountId,
  hostname: auth.hostname ?? before?.hostname ?? "",
  nickname: auth.nickname ?? owner.nickname,
  platform: auth.platform ?? before?.platform ?? "",
  version: auth.version ?? before?.version ?? "",
  online: true,
  revoked: false,
  epoch,
  connectedAt: before?.connectedAt ?? now,
  lastSeenAt: now,
  observedAt: before?.observedAt,
  sessions: before?.sessions ?? [],
  workspaces: auth.workspaces ?? before?.workspaces ?? [],
  availableProviders: auth.availableProviders ?? before?.availableProviders ?? []
})

const limits = { frameBytes: daemonFrameBytesMax, resultBytes: resultFrameBytesMax, framesPer10s: framesPer10sMax }

/** The welcome, as text. */
export const authOk = (owner: TokenOwner, epoch: number, { iceServers, turn }: IceSet, now: number): string =>
  encodeFrame({
    type: "auth_ok",
    data: {
      daemonId: owner.daemonId,
      connectionEpoch: epoch,
      plan: owner.plan,
      iceServers,
      turn,
      serverTime: now,
      heartbeatMs: pingMillis,
      reportMs: reportMillis,
      limits
    }
  })
