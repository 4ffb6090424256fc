/**
 * Explains an invalid first frame to the author of a daemon: a reason and its place. Owns the words; codec.ts has
 * refused the frame before, and it is read again only to explain.
 */
import type { JsonExtent } from "../domain/text/json-extent.ts"
import { frameCostMax } from "../limits.ts"
import { isTooFull } from "./codec.ts"
import { isRecord } from "./is-record.ts"

/**
 * Why a socket is refused before `auth_ok`. `at` is the member, as `data.hostname` is `hostname`; "" is the frame
 * itself.
 */
export interface AuthError {
  readonly reason: string
  readonly at: string
}

/** Says why this text is no fit first frame. Of an `auth` only its token can be why: the rest costs only itself. */
export const authErrorOf = (text: string, extent: JsonExtent): AuthError => {
  if (isTooFull(extent, frameCostMax)) return { reason: "frame_too_deep_or_full", at: "" }
  let frame: unknown
  try {
    frame = JSON.parse(text)
  } catch {
    return { reason: "frame_not_json", at: "" }
  }
  if (!isRecord(frame)) return { reason: "frame_not_an_object", at: "" }
  if (typeof frame["type"] !== "string") return { reason: "frame_without_type", at: "type" }
  if (!isRecord(frame["data"])) return { reason: "frame_without_data", at: "data" }
  if (frame["type"] !== "auth") return { reason: "auth_expected", at: "type" }
  return {
    reason: (frame["data"]["token"] ?? undefined) === undefined ? "member_missing" : "member_invalid",
    at: "token"
  }
}

const tokenShape = /"token"\s*:\s*"(\w{1,128})"/u

/** The token in the text of a large `auth`, found without parsing it; undefined where there is none. */
export const tokenIn = (text: string): string | undefined => tokenShape.exec(text)?.[1]
