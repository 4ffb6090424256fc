/** The welcome of a daemon whose connection is accepted. Pure. */
import {
  daemonFrameBytesMax,
  framesPer10sMax,
  pingMillis,
  reportMillis,
  resultFrameBytesMax
} from "../../src/limits.ts"
import type { IceSet } from "../../src/outbound/ice.ts"
import { encodeFrame } from "../../src/protocol/codec.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"

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
