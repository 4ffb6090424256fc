/**
 * What is wrong with a first frame, in words for the author of a daemon: a reason and the place. Owns the words; the frame was
 * found unfit before (codec.ts), and is looked at again only to say why.
 */
import { Exit, Schema } from "effect"
import { jsonExtent } from "../domain/jsondepth.ts"
import { frameValuesMax, jsonDepthMax } from "../limits.ts"
import { Auth } from "./frames.ts"

/** Why a socket is refused before `auth_ok`. `at` is the member, as `data.hostname` is `hostname`; "" is the frame itself. */
export interface AuthError {
  readonly reason: string
  readonly at: string
}

const members = {
  protocol: "number",
  instanceId: "string",
  version: "string",
  hostname: "string",
  platform: "string"
} as const
const decode = Schema.decodeUnknownExit(Auth)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const memberError = (data: Record<string, unknown>, name: string, type: string): AuthError | undefined => {
  const value = data[name] ?? undefined
  if (value === undefined) return { reason: "member_missing", at: name }
  return typeof value === type ? undefined : { reason: "member_invalid", at: name }
}

/** The first of the optional members that alone makes it unfit. */
const optionalError = (data: Record<string, unknown>): AuthError => {
  const needed = Object.fromEntries([...Object.keys(members), "token"].map((name) => [name, data[name]]))
  const at = Object.keys(data).find((name) => !Exit.isSuccess(decode({ ...needed, [name]: data[name] })))
  return { reason: "member_invalid", at: at ?? "" }
}

const dataError = (data: Record<string, unknown>, hasToken: boolean): AuthError => {
  if (!hasToken) {
    const error = memberError(data, "token", "string")
    if (error !== undefined) return error
  }
  for (const [name, type] of Object.entries(members)) {
    const error = memberError(data, name, type)
    if (error !== undefined) return error
  }
  return Number.isInteger(data["protocol"]) ? optionalError(data) : { reason: "member_invalid", at: "protocol" }
}

/** Says why this text is no fit first frame; `hasToken`: the token came with the upgrade. */
export const authErrorOf = (text: string, hasToken: boolean): AuthError => {
  const { depth, values } = jsonExtent(text, jsonDepthMax, frameValuesMax)
  if (depth > jsonDepthMax || values > frameValuesMax) return { reason: "frame_too_deep_or_full", at: "" }
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
  return dataError(frame["data"], hasToken)
}

const tokenShape = /"token"\s*:\s*"(\w{1,128})"/u

/** The token in the text of a large `auth`, found without parsing it; undefined where there is none. */
export const tokenIn = (text: string): string | undefined => tokenShape.exec(text)?.[1]
