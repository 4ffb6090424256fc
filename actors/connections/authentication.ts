/**
 * The exchange that begins a connection: what reading the first frame costs, whether that waits for its token to be
 * found good, why it is refused, what is decided about the token, and the welcome. Pure; looks no token up.
 */
import { costOf } from "../../src/domain/limits/cost.ts"
import type { JsonExtent } from "../../src/domain/text/json-extent.ts"
import { preAuthFrameBytesMax } from "../../src/limits/sockets.ts"
import {
  daemonFrameBytesMax,
  frameCostMax,
  framesPer10sMax,
  heavyFrameCost,
  pingMillis,
  reportMillis,
  resultFrameBytesMax
} from "../../src/limits.ts"
import type { IceSet } from "../../src/outbound/ice.ts"
import { authErrorOf } from "../../src/protocol/auth-error.ts"
import {
  type DaemonFrame,
  decodeFrame,
  encodeFrame,
  extentOf,
  isTooFull,
  protocolVersion
} from "../../src/protocol/codec.ts"
import type { Auth } from "../../src/protocol/frames.ts"
import type { TokenOwner } from "../../src/store/daemons/daemons.ts"
import type { Claimed } from "../../src/store/daemons/presence.ts"

/** A first frame, not read yet. */
export interface FirstFrame {
  readonly text: string
  readonly bytes: number
  readonly extent: JsonExtent
  /** Beyond its bytes. */
  readonly cost: number
  /** It is read only once its account has taken what that costs. */
  readonly isHeavy: boolean
}

export const firstFrameOf = (text: string, bytes: number): FirstFrame => {
  const extent = extentOf(text)
  const cost = costOf(0, extent)
  // one that is fuller than any may be is refused unread
  return { text, bytes, extent, cost, isHeavy: cost > heavyFrameCost && !isTooFull(extent, frameCostMax) }
}

/** Whether it is read only once its token is found good. `isKnown`: the token came with the upgrade, and is good. */
export const needsToken = ({ bytes, isHeavy }: FirstFrame, isKnown: boolean): boolean =>
  isHeavy || (!isKnown && bytes > preAuthFrameBytesMax)

export type AuthFrame = Extract<DaemonFrame, { type: "auth" }>

/** Why a connection is refused, as its daemon is told. */
export interface Refusal {
  readonly reason: string
  readonly at?: string
  readonly supported?: ReadonlyArray<number>
}

/** Reads it: an `auth` with its token, which the upgrade may have brought; else why it is refused. */
export const readFirst = (
  { text, extent }: FirstFrame,
  given: string | undefined
): { readonly auth: AuthFrame; readonly token: string } | Refusal => {
  const frame = decodeFrame(text, extent, frameCostMax)
  if (frame.type === "broken" && frame.protocol !== undefined)
    return { reason: "protocol_unsupported", at: "protocol", supported: [protocolVersion] }
  const token = frame.type === "auth" ? (given ?? frame.data.token) : undefined
  return frame.type !== "auth" || token === undefined ? authErrorOf(text, extent) : { auth: frame, token }
}

/**
 * Why a token is declined now. `disabled`: the account of this daemon is. A number: the connect throttle is
 * full; come back after so many milliseconds.
 */
export type Declined = "revoked" | "unknown" | { readonly disabled: string } | number

/** A token that is good, and what its daemon gets. */
export interface Admitted {
  readonly owner: TokenOwner
  readonly ice: IceSet
  /** The claim of this connection. */
  readonly claimed: Claimed
}

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
