/** Where the hub is, from any address of it. Owns the paths of a daemon; asks no hub. */
import { ArgumentError } from "../src/cli/arguments.ts"

/** The path of the socket. */
export const socketPath = "/api/v1/daemons/connect"
/** The path where a machine joins. */
export const joinPath = "/api/v1/daemons/join"

const protocols: Readonly<Record<string, string>> = { "http:": "ws:", "https:": "wss:", "ws:": "ws:", "wss:": "wss:" }

/** Where the hub's socket is, from any address of it. */
export const socketUrl = (url: string): string => {
  if (!URL.canParse(url)) throw new ArgumentError(`--url is no address: ${url}; one is http://127.0.0.1:8080`)
  const at = new URL(url)
  const protocol = protocols[at.protocol]
  if (protocol === undefined) throw new ArgumentError(`--url must begin with http, https, ws or wss: ${url}`)
  const path = at.pathname.endsWith(socketPath) ? at.pathname : `${at.pathname.replace(/\/+$/u, "")}${socketPath}`
  return `${protocol}//${at.host}${path}`
}

/** The hub's address as a person wrote it, from its socket's. */
export const hubUrl = (socket: string): string => {
  const url = socket.replace(/^ws/u, "http")
  return url.endsWith(socketPath) ? url.slice(0, -socketPath.length) : url
}
