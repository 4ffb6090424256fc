/**
 * The first frame of a socket: what reading it costs, whether that waits for its token to be found good, and why it is
 * refused. Pure; looks no token up.
 */
import { costOf } from "../../src/domain/limits/cost.ts"
import type { JsonExtent } from "../../src/domain/text/json-extent.ts"
import { preAuthFrameBytesMax } from "../../src/limits/sockets.ts"
import { frameCostMax, heavyFrameCost } from "../../src/limits.ts"
import { type AuthError, authErrorOf } from "../../src/protocol/auth-error.ts"
import { type DaemonFrame, decodeFrame, extentOf, isTooFull, protocolVersion } from "../../src/protocol/codec.ts"

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

type AuthFrame = Extract<DaemonFrame, { type: "auth" }>

/** Reads it: an `auth` with its token, which the upgrade may have brought; else why it is refused. */
export const readFirst = (
  { text, extent }: FirstFrame,
  given: string | undefined
):
  | { readonly auth: AuthFrame; readonly token: string }
  | (AuthError & { readonly supported?: ReadonlyArray<number> }) => {
  const frame = decodeFrame(text, extent, frameCostMax)
  if (frame.type === "broken" && frame.protocol !== undefined)
    return { reason: "protocol_unsupported", at: "protocol", supported: [protocolVersion] }
  const token = frame.type === "auth" ? (given ?? frame.data.token) : undefined
  return frame.type !== "auth" || token === undefined ? authErrorOf(text, extent) : { auth: frame, token }
}
