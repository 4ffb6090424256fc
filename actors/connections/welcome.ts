/** The welcome of a daemon whose connection is accepted, and what it said of itself. Pure. */
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

const noCapabilities: ReadonlySet<string> = new Set()

/** The features that a daemon named. Most name none, and share one set. */
export const capabilitiesOf = ({ capabilities }: Auth): ReadonlySet<string> =>
  capabilities === undefined || capabilities.length === 0 ? noCapabilities : new Set(capabilities)

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
