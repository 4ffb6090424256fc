/**
 * The opening handshake of a daemon's socket (RFC 6455, 4.2): what a request needs to be upgraded, where it carries its
 * token, and which subprotocol the hub selects. Pure; looks no token up and answers nothing.
 */
import { invalid, OriginForbidden, UpgradeRequired, type ValidationFailed } from "../../src/errors.ts"
import type { HeadSource } from "./request-head.ts"

export interface Handshake {
  readonly key: string
  /** The selected subprotocol; "" for none. */
  readonly protocol: string
  /** The token; undefined when it comes in the first frame. */
  readonly token: string | undefined
}

/** The origins whose pages may connect, beside the hub's own. */
export type Origins = ReadonlySet<string>

const subprotocol = "hub"
const tokenStart = "hub.token."
/** 16 bytes in base64. Only two bits of the last character count, and decoders differ on the others. */
const keyShape = /^[A-Za-z0-9+/]{22}==$/u
const version = "13"
const bearer = /^bearer +(\S+)$/iu

/** The values of a header that may have several lines. */
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

/** Whether a header's values include a word. Usually the first line is that word, and one look-up suffices. */
const includes = (req: HeadSource, name: string, word: string): boolean =>
  req.getHeader(name).toLowerCase() === word || valuesOf(req, name).some((value) => value.toLowerCase() === word)

/** Whether the origin is the hub's own: the host that the request addresses. */
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
const asksForSocket = (req: HeadSource): boolean =>
  includes(req, "upgrade", "websocket") && includes(req, "connection", "upgrade")

export const readHandshake = (
  req: HeadSource,
  origins: Origins
): Handshake | UpgradeRequired | ValidationFailed | OriginForbidden => {
  if (!asksForSocket(req) || req.getHeader("sec-websocket-version") !== version) return new UpgradeRequired()
  const key = req.getHeader("sec-websocket-key")
  if (!keyShape.test(key)) return invalid("sec-websocket-key", "Must be 16 bytes in base64")
  if (!isAllowed(req.getHeader("origin"), req.getHeader("host"), origins)) return new OriginForbidden()
  const offered = req.getHeader("sec-websocket-protocol") === "" ? [] : valuesOf(req, "sec-websocket-protocol")
  const tokenProtocol = offered.find((one) => one.startsWith(tokenStart))
  // an Authorization header of another scheme belongs to a proxy
  const token = bearer.exec(req.getHeader("authorization"))?.[1] ?? tokenProtocol?.slice(tokenStart.length)
  return { key, token, protocol: tokenProtocol !== undefined || offered.includes(subprotocol) ? subprotocol : "" }
}

/** The headers that `headSourceOf` needs, in its order. */
export const handshakeHeaders = ["upgrade", "connection", "sec-websocket-version", "sec-websocket-key", "host"] as const

/** A head made of these copied values. */
export const headSourceOf = (values: ReadonlyArray<string>): HeadSource => ({
  getHeader: (name) => values[handshakeHeaders.indexOf(name as never)] ?? "",
  forEach: (each) => {
    for (const [at, name] of handshakeHeaders.entries()) each(name, values[at] ?? "")
  }
})
