/**
 * Invalid input of every kind over a whole hub: each request gets its answer, nothing is stored, and no other daemon is
 * affected.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Connections } from "../../../actors/connections/connections.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Edge } from "../../../http/edge.ts"
import {
  authFrameBytesMax,
  authMillisMax,
  bodyBytesMax,
  daemonFrameBytesMax,
  framesPer10sMax,
  resultFrameBytesMax
} from "../../../src/limits.ts"
import { frameOf, type Owned, ownedDaemon } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon, openDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

describe("bad input", () => {
  const hub = useHub({ virtual: true })
  let bad: Owned
  let other: Owned
  let neighbour: Peer
  beforeEach(async () => {
    bad = await ownedDaemon(hub)
    other = await ownedDaemon(hub)
    neighbour = await other.connect()
    neighbour.answerWith(() => "well")
  })
  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.socket.terminate()
    await neighbour?.leave()
  })

  const peers: Array<Peer> = []
  const kept = <P extends Peer>(peer: P): P => {
    peers.push(peer)
    return peer
  }
  const codeOf = async (peer: Peer): Promise<number> => (await peer.closed).code

  const overHttp = async (): Promise<void> => {
    const path = `/api/v1/daemons/${bad.daemonId}/command`
    const status = async (text: string) => (await hub.request("POST", path, { key: bad.key, text })).status
    expect(await status('{"type":')).toBe(400)
    expect(await status('{"type":7,"payload":[]}')).toBe(400)
    expect(await status('{"type":"format_disk","payload":{}}')).toBe(400)
    expect(await status(`{"type":"read_chat","payload":{"a":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`)).toBe(400)
    expect(await status(JSON.stringify({ type: "read_chat", payload: { pad: "x".repeat(2 * bodyBytesMax) } }))).toBe(
      413
    )
  }

  const fromStrangers = async (): Promise<void> => {
    const stranger = async () => kept(await openDaemon(hub, "", { auth: null }))
    for (const text of ["{", "x".repeat(authFrameBytesMax + 1), "x".repeat(resultFrameBytesMax), Buffer.from("{}")]) {
      const peer = await stranger()
      peer.socket.send(text)
      expect(await codeOf(peer)).toBe(4400)
    }
    const huge = await stranger()
    huge.socket.send("x".repeat(2 * resultFrameBytesMax))
    await huge.closed
    const late = await stranger()
    await hub.advance(authMillisMax + 100)
    expect(await codeOf(late)).toBe(4408)
  }

  const fromAMachine = async (): Promise<void> => {
    const deep = `{"type":"status_report","data":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`
    const [large, tooLarge] = [frameOf(daemonFrameBytesMax + 1), "x".repeat(resultFrameBytesMax + 1)]
    for (const text of ["null", '{"type":"x"}', large, tooLarge, Buffer.from("{}")]) {
      const peer = kept(await connectDaemon(hub, bad.token))
      peer.socket.send(deep)
      peer.socket.send(text)
      expect(await codeOf(peer)).toBe(4400)
    }
    const flood = kept(await connectDaemon(hub, bad.token))
    for (let n = 0; n <= framesPer10sMax; n++) flood.send("nonsense", { n })
    expect(await codeOf(flood)).toBe(4429)
    const liar = kept(await connectDaemon(hub, bad.token))
    const answer = bad.command("read_chat")
    const { id } = await liar.nextCommand()
    liar.socket.send(
      `{"type":"command_result","data":{"id":"${id}","success":true,"result":${"[".repeat(200_000)}${"]".repeat(200_000)}}}`
    )
    expect(await answer).toMatchObject({ status: 200, body: { success: false, daemonCode: "RESULT_INVALID" } })
    await liar.leave()
  }

  const held = () =>
    hub.inside(
      Effect.gen(function* () {
        const { sockets, server } = yield* Edge
        const strangers = (yield* Connections).unauthenticated()
        const { live, bodies } = server.exchanges
        return {
          sockets: sockets.size(),
          daemons: (yield* Supervisor).size("daemon"),
          strangers,
          live,
          heldBytes: bodies.size
        }
      })
    )

  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as () => void
  const bytes = (): number => {
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const keptBytesMax = 8_000_000

  it("gets its documented answer, leaves nothing behind, and no other daemon notices", async () => {
    const round = async (): Promise<void> => {
      await overHttp()
      await fromStrangers()
      await fromAMachine()
      expect(await other.command("read_chat")).toMatchObject({ status: 200, body: { result: "well" } })
    }
    await round()
    const before = bytes()
    await round()
    await round()
    const only = { sockets: 1, daemons: 1, strangers: 0, live: 0, heldBytes: 0 }
    await until("only the neighbour is left", async () => JSON.stringify(await held()) === JSON.stringify(only))
    await until("memory is back where it was", () => bytes() - before < keptBytesMax)
    expect(neighbour.socket.readyState).toBe(neighbour.socket.OPEN)
    expect(new Set(neighbour.frames.map(({ type }) => type))).toEqual(new Set(["auth_ok", "command"]))
    expect(neighbour.frames.filter(({ type }) => type === "command")).toHaveLength(3)
  })
})
