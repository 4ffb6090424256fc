/** docs/daemon-protocol.md: transport, and what a newer daemon may rely on. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Connections } from "../../../actors/connections/connections.ts"
import type { UpgradePass } from "../../../actors/connections/upgrade-admission.ts"
import { daemonTokens } from "../../../src/auth/checksummed-token.ts"
import {
  preAuthFrameBytesMax,
  unauthenticatedBytesMax,
  unauthenticatedMax,
  wideSocketsPerAccountMax
} from "../../../src/limits/sockets.ts"
import {
  authFrameBytesMax,
  daemonFrameBytesMax,
  frameValuesMax,
  nativeFrameBytesMax,
  resultFrameBytesMax
} from "../../../src/limits.ts"
import { frameOf, inTurn, type Owned, ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import { useHub } from "../../support/hub.ts"
import { hook } from "../../support/received-webhooks.ts"
import { openDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })
let mine: Owned

const owned = async (): Promise<Owned> => {
  mine = await ownedDaemon(hub)
  return mine
}
const unauthenticated = async () => openDaemon(hub, "", { auth: null })
const codeAfter = async (text: string | Buffer, admitted: boolean): Promise<number> => {
  const peer = admitted ? await (await owned()).connect() : await unauthenticated()
  peer.socket.send(text)
  return (await peer.closed).code
}

describe("the daemon socket", () => {
  it("P1, P3: speaks WebSocket, one JSON object with type and data a text message", async () => {
    const { accepted, send, nextFrame } = await (await owned()).connect()
    expect(Object.keys(accepted).sort()).toEqual(["data", "type"])
    send("something", {})
    expect(await nextFrame()).toEqual({ type: "unsupported", data: { type: "something" } })
  })

  it.each([false, true])("P4: closes with 4400 on a binary message (after auth_ok: %s)", async (admitted) =>
    expect(await codeAfter(Buffer.from('{"type":"x","data":{}}'), admitted)).toBe(4400)
  )

  it.each([false, true])("P5: closes with 4400 on text that is not JSON (after auth_ok: %s)", async (admitted) =>
    expect(await codeAfter('{"type":', admitted)).toBe(4400)
  )

  it.each(["[]", "1", "null", '{"data":{}}', '{"type":7,"data":{}}', '{"type":"x"}', '{"type":"x","data":[]}'])(
    "P6: closes with 4400 on %s, which is no frame",
    async (text) => {
      expect(await codeAfter(text, true)).toBe(4400)
    }
  )

  it("P7: takes an auth frame of 256 KiB once its token is found good, and closes with 4400 on one byte more", async () => {
    const { token } = await owned()
    const auth = (bytes: number, more: Record<string, unknown> = {}): string => {
      const told = { token, protocol: 1, instanceId: "i", version: "1", hostname: "h", platform: "p", ...more }
      const frame = (pad: string) => JSON.stringify({ type: "auth", data: { ...told, pad } })
      return frame("x".repeat(bytes - frame("").length))
    }
    for (const bytes of [preAuthFrameBytesMax, authFrameBytesMax]) {
      const fits = await unauthenticated()
      fits.socket.send(auth(bytes))
      await fits.nextFrame("auth_ok")
    }
    expect(await codeAfter(auth(authFrameBytesMax + 1), false)).toBe(4400)
    // above 16 KiB nothing but the token is looked at of whoever has no good one
    const bad = { token: daemonTokens.make(), protocol: 2 }
    expect(await codeAfter(auth(preAuthFrameBytesMax, bad), false)).toBe(4400)
    expect(await codeAfter(auth(preAuthFrameBytesMax + 1, bad), false)).toBe(4401)
  })

  it("P8: takes a frame of 1 MiB after auth_ok and closes with 4400 on one byte more", async () => {
    const peer = await (await owned()).connect()
    peer.socket.send(frameOf(daemonFrameBytesMax))
    await peer.nextFrame("unsupported")
    peer.socket.send(frameOf(daemonFrameBytesMax + 1))
    expect((await peer.closed).code).toBe(4400)
  })

  const resultOf = (id: string, bytes: number, last = false): string => {
    const frame = (pad: string) =>
      last
        ? `{"data": {"result": "${pad}", "success": true, "id": "${id}"}, "type": "command_result"}`
        : JSON.stringify({ type: "command_result", data: { id, success: true, result: pad } })
    return frame("x".repeat(bytes - frame("").length))
  }

  it("P9: takes a result of 8 MiB; a larger one fails its command alone, and closes with 4400 where its id is not seen", async () => {
    const { connect, command } = await owned()
    const peer = await connect()
    const answer = command("read_chat")
    peer.socket.send(resultOf((await peer.nextCommand()).id, resultFrameBytesMax))
    expect((await answer).status).toBe(200)
    for (const [more, last] of [
      [1, false],
      [200_000, true],
      [resultFrameBytesMax, false]
    ] as const) {
      const refused = command("read_chat")
      const other = command("screenshot")
      const first = await peer.nextCommand()
      const second = await peer.nextCommand()
      const [large, small] = first.type === "read_chat" ? [first, second] : [second, first]
      peer.socket.send(resultOf(large.id, resultFrameBytesMax + more, last))
      const { status, body } = await refused
      expect([status, body.success, body.daemonCode]).toEqual([200, false, "RESULT_TOO_LARGE"])
      small.succeed("well")
      expect((await other).body.result).toBe("well")
    }
    peer.socket.send(resultOf("cmd_nobody_asked", resultFrameBytesMax + 1))
    expect((await peer.closed).code).toBe(4400)
  })

  it("P81: a socket that is not wide is cut off by a result beyond its 8 MiB and 64 KiB, whose command fails for that reason", async () => {
    const { token, command } = await owned()
    const peer = await openDaemon(hub, token)
    await peer.nextFrame("auth_ok")
    const alone = command("read_chat")
    peer.socket.send(resultOf((await peer.nextCommand()).id, nativeFrameBytesMax + 1_000))
    const { status, body } = await alone
    expect([status, body.success, body.daemonCode]).toEqual([200, false, "RESULT_TOO_LARGE"])
    expect((await peer.closed).code).toBe(1006)
    const again = await openDaemon(hub, token)
    await again.nextFrame("auth_ok")
    const two = [command("read_chat"), command("read_chat")]
    const { id } = await again.nextCommand()
    await again.nextCommand()
    again.socket.send(resultOf(id, nativeFrameBytesMax + 1_000))
    expect((await Promise.all(two)).map((one) => one.status)).toEqual([503, 503])
  })

  it("P81: four sockets of an account are wide, and as many again once these are gone", async () => {
    const { account } = await owned()
    const connections = await hub.inside(Connections)
    const passOf = (token: string) =>
      new Promise<UpgradePass>((resolve) =>
        connections.check(token, "192.0.2.1", (outcome) => resolve(outcome as UpgradePass))
      )
    const tokens = await Promise.all(Array.from({ length: wideSocketsPerAccountMax + 1 }, () => account.daemonToken()))
    const passes: Array<UpgradePass> = []
    for (const { token } of tokens) passes.push(await passOf(token))
    expect(passes.map(({ wide }) => wide)).toEqual([true, true, true, true, false])
    for (const { end } of passes) {
      end()
      end()
    }
    expect((await passOf(tokens[0]!.token)).wide).toBe(true)
  })

  it("P10: never sends a frame above 2 MiB; the caller of such a command gets 413", async () => {
    const { connect, post, daemonId } = await owned()
    const peer = await connect()
    // the canonical form says a message again: a body below its limit makes a frame above that one's
    const payload = { message: "x".repeat(1_040_000) }
    const { status, body } = await post(`/api/v1/daemons/${daemonId}/command`, { type: "send_chat", payload })
    expect([status, body.reason]).toEqual([413, "PAYLOAD_TOO_LARGE"])
    const answer = post(`/api/v1/daemons/${daemonId}/command`, { type: "read_chat", payload: {} })
    const command = await peer.nextCommand()
    command.succeed("after")
    expect((await answer).body.result).toBe("after")
    expect(peer.frames.filter(({ type }) => type === "command")).toHaveLength(1)
  })

  it("P11: refuses the upgrade with 503 while 16 sockets have not shown their token, and takes the place of one of several", async () => {
    const strangers = () => hub.inside(Effect.map(Connections, (connections) => connections.unauthenticated()))
    await until("those who left are forgotten", async () => (await strangers()) === 0)
    const cuts: Array<number> = []
    const { open } = await hub.inside(Connections)
    const links = Array.from({ length: unauthenticatedMax }, (_, at) =>
      open({
        send: () => "sent",
        belongsTo: () => undefined,
        ping: () => undefined,
        close: () => undefined,
        cut: () => void cuts.push(at),
        address: at < 2 ? "192.0.2.1" : `198.51.100.${at}`
      })
    )
    try {
      const taken = await unauthenticated()
      expect(cuts).toEqual([0])
      await expect(unauthenticated()).rejects.toThrow("503")
      await taken.cut()
    } finally {
      for (const link of links) link.closed(1006)
    }
    await (await unauthenticated()).cut()
    // each holds one unfinished frame at most
    expect(unauthenticatedMax * nativeFrameBytesMax).toBeLessThanOrEqual(unauthenticatedBytesMax)
  })
})

const deep = `${"[".repeat(127)}${"]".repeat(127)}`

describe.each([
  ["nests 129 deep", deep],
  ["holds too many values", `[${"{},".repeat(frameValuesMax)}{}]`]
])("a frame that %s", (_, odd) => {
  it("P33, P59: fits no shape: a result fails its command, a report and an event are dropped, the socket stays open", async () => {
    const { connect, command, status } = await owned()
    const peer = await connect({ report: [reported("s1")] })
    const answer = command("read_chat")
    const { id } = await peer.nextCommand()
    peer.socket.send(`{"type":"command_result","data":{"id":"${id}","success":true,"result":${odd}}}`)
    expect(await answer).toMatchObject({ status: 200, body: { success: false, daemonCode: "RESULT_INVALID" } })
    peer.socket.send(`{"type":"status_report","data":{"timestamp":1,"sessions":[],"p2p":${odd}}}`)
    peer.socket.send(`{"type":"status_event","data":{"id":"e","event":"agent:stopped","timestamp":1,"muted":${odd}}}`)
    expect((await peer.nextFrame("event_ack")).data).toEqual({ ids: ["e"] })
    expect((await status()).sessions).toHaveLength(1)
  })
})

describe("a frame of auth that nests 129 deep", () => {
  given(owned)("P59: closes with 4400", async ({ token }) => {
    const told = JSON.stringify({ token, protocol: 1, instanceId: "i", version: "1", hostname: "h", platform: "p" })
    expect(await codeAfter(`{"type":"auth","data":{"odd":${deep},${told.slice(1)}}`, false)).toBe(4400)
  })
})

describe("a newer daemon", () => {
  given(owned)("P12: may send members that the hub does not know", async ({ connect, status }) => {
    const peer = await connect({ auth: { colour: "green" } })
    peer.send("status_report", { timestamp: 1, sessions: [reported("s1", { colour: 1 })], colour: [] })
    await inTurn(peer)
    expect((await status()).agents).toHaveLength(1)
  })

  given(owned)("P13: may use values of enumerations that the hub does not know", async ({ connect, status }) => {
    const odd = { kind: "swarm", transport: "telepathy", status: "pondering" } // P27: an unknown status reads as idle
    const peer = await connect({
      auth: { platform: "plan9", availableProviders: [{ type: "t", category: "oracle" }] },
      report: [reported("s1", odd)]
    })
    await inTurn(peer)
    expect(await status()).toMatchObject({
      platform: "plan9",
      sessions: [{ id: "s1", kind: "swarm", transport: "telepathy", status: "idle" }]
    })
  })

  it("P14: gets unsupported with the type for a frame of an unknown type, and goes on", async () => {
    const { connect } = await owned()
    const peer = await connect()
    peer.send("teleport", { to: "Mars" })
    expect(await peer.nextFrame()).toEqual({ type: "unsupported", data: { type: "teleport" } })
    await inTurn(peer)
  })

  given(owned)("P15: has events that are none dropped, and goes on", async ({ connect, account }) => {
    const { entries } = await hook(hub, "http://hook.invalid/", ["*"], account)
    const peer = await connect()
    for (const event of ["agent:status", "agent:approve_request", "webhook:test", "agent:sang"])
      peer.send("status_event", { event, timestamp: 1, targetSessionId: "s1" })
    peer.send("status_event", { id: "good", event: "agent:stopped", timestamp: 1, targetSessionId: "s1" })
    await peer.nextFrame("event_ack")
    expect(new Set((await entries()).map(({ event }) => event))).toEqual(new Set(["daemon:connect", "agent:stopped"]))
  })
})
