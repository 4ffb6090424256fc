/** The daemon's socket over a scripted library: what holds between a socket's close and the handling of that close. */
import type { Clock } from "effect"
import { expect, it } from "vitest"
import type { Peer } from "../../../actors/daemon/socket-port.ts"
import { type SocketNeeds, serveSockets, socketPath } from "../../../http/native/daemon-socket.ts"
import type { Server } from "../../../http/native/server.ts"
import { endsInTickMax } from "../../../src/limits/edge.ts"
import { unsentBytesPerAccountMax, untakenMillisMax } from "../../../src/limits/sockets.ts"
import { outboxBytesMax } from "../../../src/limits.ts"
import { abnormalClosure, close as closes } from "../../../src/protocol/close.ts"

interface Handlers {
  readonly upgrade: (res: unknown, req: unknown, context: unknown) => void
  readonly open: (native: unknown) => void
  readonly message: (native: unknown, message: ArrayBuffer, isBinary: boolean) => void
  readonly close: (native: unknown, code: number, reason: ArrayBuffer) => void
}

const goingAway = 1001
const turnsMax = 1_000
const turnOver = () => new Promise((resolve) => setImmediate(resolve))

/** A server of sockets that the test opens and closes. */
const scripted = () => {
  const handlers: Array<Handlers> = []
  const peers: Array<Peer> = []
  const told: Array<number> = []
  const heard: Array<string> = []
  const time = { now: 0 }
  let gone = 0
  const server = {
    app: { ws: (_path: string, given: Handlers) => void handlers.push(given) },
    open: { upgraded: () => {}, socketClosed: () => {} },
    exchanges: {
      draining: false,
      addresses: { singlePeer: () => undefined, client: () => ({ bucket: "192.0.2.1", loopback: false }) }
    },
    route: () => {}
  }
  const open = (peer: Peer) => {
    peers.push(peer)
    const receive = (text: string) => {
      heard.push(text)
      if (text === "broken") peer.close(closes.frameInvalid.code, "")
    }
    return { receive, gone: () => void gone++, closed: (code: number) => void told.push(code) }
  }
  serveSockets(
    server as unknown as Server,
    {
      connections: { open, admits: () => true },
      origins: [],
      timers: { after: () => ({ clear: () => {} }), monotonic: () => time.now },
      clock: { monotonicTimeNanosUnsafe: () => 0n } as Clock.Clock
    } as unknown as SocketNeeds
  )
  const [wide, narrow] = handlers as [Handlers, Handlers]
  const head: Readonly<Record<string, string>> = {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
  }
  const request = {
    getHeader: (name: string) => head[name] ?? "",
    getUrl: () => socketPath,
    setYield: () => {},
    forEach: () => {}
  }
  const { open: opened, message, close } = narrow
  wide.upgrade(undefined, request, undefined)
  const connect = (unsentBytes = 0) => {
    let kept: unknown
    const response = {
      getRemoteAddressAsText: () => new ArrayBuffer(0),
      writeStatus: () => response,
      writeHeader: () => response,
      cork: (within: () => void) => within(),
      upgrade: (given: unknown) => {
        kept = given
      }
    }
    narrow.upgrade(response, request, {})
    const native = {
      getUserData: () => kept,
      send: () => 1,
      getBufferedAmount: () => unsentBytes,
      cork: (within: () => void) => within(),
      close: () => close(native, abnormalClosure, new ArrayBuffer(0)),
      end: (code: number) => close(native, code, new ArrayBuffer(0))
    }
    opened(native)
    const said = (text: string) => message(native, new Uint8Array(Buffer.from(text)).buffer, false)
    return Object.assign(() => close(native, goingAway, new ArrayBuffer(0)), { said })
  }
  return { connect, peers, told, heard, time, gone: () => gone }
}

it("a socket that closed in a crowd ends as its code says, whatever it was to be sent before that was dealt with", async () => {
  const { connect, peers, told, gone } = scripted()
  const closes = Array.from({ length: endsInTickMax + 1 }, connect)
  for (const close of closes) close()
  expect([gone(), told.length]).toEqual([closes.length, endsInTickMax])
  // "dropped" would be the end of a daemon that does not read, and no goodbye
  expect(peers.at(-1)?.send("{}")).toBe("sent")
  for (let turn = 0; told.length < closes.length && turn < turnsMax; turn++) await turnOver()
  expect(told).toEqual(closes.map(() => goingAway))
})

it("a socket that is cut off, as its account's daemons leave too much unread, ends as one that does not read", async () => {
  const { connect, peers, told, time } = scripted()
  const eachBytes = outboxBytesMax / 2
  for (let sum = 0; sum <= unsentBytesPerAccountMax; sum += eachBytes) connect(eachBytes)
  for (const peer of peers) {
    peer.belongsTo("a")
    peer.send("{}")
  }
  await turnOver()
  expect(told).toEqual([])
  time.now = untakenMillisMax
  peers.at(-1)!.send("{}")
  for (let turn = 0; told.length === 0 && turn < turnsMax; turn++) await turnOver()
  expect(told).toEqual([closes.notReading.code])
})

it("a socket that the hub closes ends at the next frame of the same read, which is not read", () => {
  const { connect, told, heard } = scripted()
  const { said } = connect()
  said("one")
  said("broken")
  expect([heard, told]).toEqual([["one", "broken"], []])
  said("{}")
  expect([heard, told]).toEqual([["one", "broken"], [closes.frameInvalid.code]])
})
