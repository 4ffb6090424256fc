/**
 * Connections of generators to what they measure: plain or over TLS, and in turn to each node where no balancer is in
 * front. Owns how a connection is made; says nothing on it.
 */
import { connect, type Socket } from "node:net"
import { connect as connectSecurely, getCACertificates, setDefaultCACertificates, TLSSocket } from "node:tls"
import { type Pace, paced, paceOf } from "./pace.ts"

/** Where the callers of a hub go. */
export interface Route {
  readonly url: string
  /** Its nodes, where callers spread over them by themselves; else none. */
  readonly nodes: ReadonlyArray<string>
  /** The certificate (PEM) that is trusted there beside those of the system. */
  readonly certificate?: string
  /** What all connections of a caller send in a second at most; absent: as much as they can. */
  readonly bytesPerSecond?: number
}

const ports: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 }
let nodes: ReadonlyArray<URL> = []
let turn = 0
let pace: Pace | undefined

/** Trusts a certificate in this process. */
export const trust = (certificate: string | undefined): void => {
  if (certificate !== undefined) setDefaultCACertificates([...getCACertificates("default"), certificate])
}

/** Has all connections of this process to the first node take turns over all of them, at the pace of the route. */
export const follow = (route: Route): void => {
  trust(route.certificate)
  nodes = route.nodes.map((url) => new URL(url))
  pace = route.bytesPerSecond === undefined ? undefined : paceOf(route.bytesPerSecond)
}

/** Connects, from this address where one is given. */
export const dial = (url: URL, from?: string): Socket => {
  const to = nodes[0]?.host === url.host ? nodes[turn++ % nodes.length]! : url
  const local = from === undefined ? {} : { localAddress: from }
  const options = { host: to.hostname, port: Number(to.port || ports[to.protocol]), ...local }
  const socket = to.protocol === "https:" ? connectSecurely(options) : connect(options)
  socket.setNoDelay(true)
  return pace === undefined ? socket : paced(socket, pace)
}

/** Calls back once a connection can be written to without waiting: over TLS after its handshake. */
export const whenOpen = (socket: Socket, then: () => void): void =>
  void socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", then)
