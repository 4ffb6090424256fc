/** docs/daemon-protocol.md: liveness, pressure, close codes. */
import { once } from "node:events"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { daemonFrameBytesMax } from "../../../src/limits.ts"
import { connectedDaemon, frameOf, inTurn, type Owned, ownedDaemon } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import { type HubAnswer, startHub, useHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

const connected = () => connectedDaemon(hub)

describe("a connection", () => {
  given(connected)("P47: is pinged every 25 s", async ({ peer }) => {
    let pings = 0
    peer.socket.on("ping", () => pings++)
    await hub.advance(25_000)
    await until("the first ping", () => pings === 1)
    await hub.advance(24_000)
    await hub.advance(1_000)
    await until("the second ping", () => pings === 2)
  })

  it("P48: silent for 60 s is lost; its daemon stays listed, and callers get 503 at once", async () => {
    const { peer, listed, command } = await connected()
    peer.socket.pause() // neither frames nor pongs, as when the network is gone
    await hub.advance(59_000, { silentPeers: true })
    expect(await listed()).toMatchObject({ online: true })
    await hub.advance(2_000, { silentPeers: true })
    await until("503", async () => (await command("read_chat")).body.reason === "DAEMON_SOCKET_LOST")
    expect(await listed()).toMatchObject({ online: true })
    peer.socket.resume()
    expect((await peer.closed).code).toBe(1006)
  })

  given(connected)("P49: may send 100 frames in each 10 s; one more closes it with 4429", async ({ peer }) => {
    // its report is none of those
    await inTurn(peer)
    for (let round = 0; round < 3; round++) {
      await hub.advance(10_000)
      for (let at = 0; at < 99; at++) peer.send("noise", { at })
      await inTurn(peer)
    }
    peer.send("noise", {})
    expect((await peer.closed).code).toBe(4429)
  })

  given(connected)("P50: with more than 8 MiB in 10 s closes with 4429", async ({ peer }) => {
    await inTurn(peer)
    await hub.advance(10_000)
    const answers = () => peer.frames.filter(({ type }) => type === "unsupported").length
    const before = answers()
    for (let at = 0; at < 8; at++) peer.socket.send(frameOf(daemonFrameBytesMax))
    await until("eight answers", () => answers() === before + 8)
    peer.send("noise", {})
    expect((await peer.closed).code).toBe(4429)
  })

  given(connected)("P51: may send results of commands as fast as they are asked for", async ({ peer, command }) => {
    peer.answerWith(({ payload }) => payload.n)
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => command("read_chat", { n })))
      expect(answers.map(({ body }) => body.result)).toEqual(answers.map((_, n) => n))
    }
    await inTurn(peer)
  })

  given(connected)("P51: may send late results beside as many frames as ever", async ({ peer, command }) => {
    const waiting = Array.from({ length: 60 }, () => command("read_chat"))
    const commands = await Promise.all(waiting.map(() => peer.nextCommand()))
    await hub.advance(61_000)
    expect((await Promise.all(waiting)).every(({ status }) => status === 504)).toBe(true)
    for (const { succeed } of commands) succeed("late")
    for (let at = 0; at < 99; at++) peer.send("noise", { at })
    await inTurn(peer)
  })

  /** As many commands as no outbox has room for; `refused` are those that were answered so far. */
  const tooMuch = (command: Owned["command"]) => {
    const refused: Array<HubAnswer> = []
    const pad = "x".repeat(900_000)
    const asked = Array.from({ length: 40 }, async () => {
      const answer = await command("read_chat", { pad })
      refused.push(answer)
      return answer
    })
    return { refused, all: Promise.all(asked) }
  }
  const overloaded = { status: 503, body: { reason: "OVERLOADED", retryAfter: 1 } }

  it("P52: that does not read closes with 4413 some 15 s after 4 MiB wait for it", async () => {
    const { peer, command } = await connected()
    peer.socket.pause()
    const { refused, all } = tooMuch(command)
    await until("most are refused", () => refused.length > 20)
    for (const answer of refused) expect(answer).toMatchObject(overloaded)
    // the first look may still find a little taken
    await hub.advance(21_000, { silentPeers: true })
    expect(new Set((await all).map(({ status }) => status))).toEqual(new Set([503]))
    peer.socket.resume()
    expect((await peer.closed).code).toBe(4413)
  })

  it("P52: that reads stays, however much it is sent at once, and loses no command", async () => {
    const { peer, command } = await connected()
    const before = command("read_chat")
    const first = await peer.nextCommand()
    peer.answerWith(() => "read")
    for (const callers of [5, 10, 20]) {
      const pad = "x".repeat(1_000_000)
      const answers = await Promise.all(Array.from({ length: callers }, () => command("read_chat", { pad })))
      for (const answer of answers) if (answer.status !== 200) expect(answer).toMatchObject(overloaded)
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(3)
    }
    first.succeed("still there")
    expect((await before).body.result).toBe("still there")
    await inTurn(peer)
  })
})

describe("a daemon", () => {
  it.each([1000, 1001])("P53: that closes with %i is offline at once", async (code) => {
    const { peer, listed, command } = await connected()
    expect(await listed()).toBeDefined()
    peer.socket.close(code)
    await peer.closed
    await until("it is gone from the list", async () => (await listed()) === undefined)
    expect((await command("read_chat")).body.reason).toBe("DAEMON_OFFLINE")
  })

  it("P54: that is lost in another way has 15 s to come back before it is offline", async () => {
    const { peer, listed, connect, command } = await connected()
    await peer.cut()
    await until("503", async () => (await command("read_chat")).status === 503)
    await hub.advance(14_000)
    expect(await listed()).toMatchObject({ online: true })
    const again = await connect()
    await hub.advance(20_000)
    expect(await listed()).toMatchObject({ online: true })
    await again.cut()
    await until("503", async () => (await command("read_chat")).status === 503)
    await hub.advance(15_100)
    await until("it is offline", async () => (await listed()) === undefined)
    expect((await command("read_chat")).status).toBe(500)
  })

  it("P58: whose actor crashes is closed with 4500, and no other daemon notices", async () => {
    const { peer, daemonId, command, connect } = await connected()
    const other = await connected()
    const waiting = command("read_chat")
    await peer.nextCommand()
    const actor = `${daemonId}#${peer.accepted.data.connectionEpoch}`
    await hub.inside(
      Effect.map(Supervisor, (supervisor) => {
        // A message that its turns do not know is a bug as good as any other.
        expect(supervisor.find<unknown>("daemon", actor)?.tell({ type: "nonsense" })).toBe(true)
      })
    )
    expect((await peer.closed).code).toBe(4500)
    expect((await waiting).status).toBe(503)
    await inTurn(other.peer)
    await inTurn(await connect())
  })

  given(startHub)("P57: is closed with 1012 when the hub shuts down", async (leaving) => {
    const { connect } = await ownedDaemon(leaving)
    const peer = await connect()
    const closed = once(peer.socket, "close")
    await leaving.close()
    expect((await closed)[0]).toBe(1012)
  })
})
