/**
 * The opening handshake of a daemon's socket by RFC 6455, 4.2: what a request must say to be upgraded, where it brings
 * its token, and which subprotocol is answered. Pure; looks no token up and answers nothing.
 */
import { OriginForbidden, UpgradeRequired, ValidationFailed } from "../../src/errors.ts"
import type { HeadSource } from "./request-head.ts"

/** A handshake that is in order. */
export interface Handshake {
  readonly key: string
  /** The subprotocol to answer; "" answers none. */
  readonly protocol: string
  /** The token it brings; undefined when it comes in the first frame. */
  readonly token: string | undefined
}

/** Which pages may connect: the hub's own beside these origins. */
export type Origins = ReadonlySet<string>

const subprotocol = "hub"
const tokenStart = "hub.token."
/** 16 bytes in base64. Of its last sign two bits count, and decoders differ in what they say of the rest. */
const keyShape = /^[A-Za-z0-9+/]{22}==$/u
const version = "13"
const bearer = /^bearer +(\S+)$/iu

/** The values of a header that may come in several lines. */
const valuesOf = (req: HeadSource, name: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  req.forEach((one, value) => {
    if (one === name) lines.push(value)
  })
  return lines
    .join()
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "")
}

/** Whether a word is among a header's values. Mostly it is all of the first line: a look costs less than a walk. */
const includes = (req: HeadSource, name: string, word: string): boolean =>
  req.getHeader(name).toLowerCase() === word || valuesOf(req, name).some((value) => value.toLowerCase() === word)

/** A page that the hub itself serves comes from where the request goes. */
const isOwn = (origin: string, host: string): boolean => {
  if (!URL.canParse(origin)) return false
  const { protocol, host: from } = new URL(origin)
  if (protocol !== "http:" && protocol !== "https:") return false
  const to = `${protocol}//${host}`
  return URL.canParse(to) && new URL(to).host === from
}

const isAllowed = (origin: string, host: string, origins: Origins): boolean =>
  origin === "" || origins.has("*") || origins.has(origin) || isOwn(origin, host)

/** Whether a request asks for a WebSocket at all. */
export const asksForSocket = (req: HeadSource): boolean =>
  includes(req, "upgrade", "websocket") && includes(req, "connection", "upgrade")

/** Judges a handshake. */
export const readHandshake = (
  req: HeadSource,
  origins: Origins
): Handshake | UpgradeRequired | ValidationFailed | OriginForbidden => {
  if (!asksForSocket(req) || req.getHeader("sec-websocket-version") !== version) return new UpgradeRequired()
  const key = req.getHeader("sec-websocket-key")
  if (!keyShape.test(key)) {
    return new ValidationFailed({ issues: [{ path: "sec-websocket-key", message: "Must be 16 bytes in base64" }] })
  }
  if (!isAllowed(req.getHeader("origin"), req.getHeader("host"), origins)) return new OriginForbidden()
  const offered = req.getHeader("sec-websocket-protocol") === "" ? [] : valuesOf(req, "sec-websocket-protocol")
  const tokenProtocol = offered.find((one) => one.startsWith(tokenStart))
  // another scheme is a proxy's
  const token = bearer.exec(req.getHeader("authorization"))?.[1] ?? tokenProtocol?.slice(tokenStart.length)
  return { key, token, protocol: tokenProtocol !== undefined || offered.includes(subprotocol) ? subprotocol : "" }
}

/** The headers that `headSourceOf` needs, in its order. */
export const handshakeHeaders = ["upgrade", "connection", "sec-websocket-version", "sec-websocket-key", "host"] as const

/** A head of which these were copied. */
export const headSourceOf = (values: ReadonlyArray<string>): HeadSource => ({
  getHeader: (name) => values[handshakeHeaders.indexOf(name as never)] ?? "",
  forEach: (each) => {
    for (const [at, name] of handshakeHeaders.entries()) each(name, values[at] ?? "")
  }
})
