/** What the daemons of one account may send together. */
import { describe, expect, it } from "vitest"
import {
  accountFrameBurstSeconds,
  accountFrameBytesPerSecond,
  frameBytesPer10sMax,
  keptReportsMax,
  largeFrameBytes,
  valueCost
} from "../../../src/limits.ts"
import { ownedDaemon, reported } from "../../support/connected-daemon.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

const padding = "p".repeat(largeFrameBytes)

describe("what the daemons of an account send", () => {
  it("P84: a large result reaches its caller as the bytes it came as, and written in another way says the same in whole characters", async () => {
    const { connect, daemonId, key } = await ownedDaemon(hub)
    const peer = await connect({ report: [reported("s1")] })
    const asked = () =>
      fetch(`${hub.url}/api/v1/daemons/${daemonId}/command`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: '{"type":"read_chat"}'
      }).then((answer) => answer.text())
    const result = `{ "a": "\\ud800\\u00e9é", "b": 1e2, "c": "${padding}" }`
    const [first, { id }] = [asked(), await peer.nextCommand()]
    peer.socket.send(`{"type":"command_result","data":{"id":"${id}","success":true,"result":${result}}}`)
    expect((await first).includes(`"result":${result},`)).toBe(true)
    const [second, other] = [asked(), await peer.nextCommand()]
    peer.socket.send(`{"data":{"result":${result},"success":true,"id":"${other.id}"},"type":"command_result"}`)
    expect(JSON.parse(await second)).toMatchObject({ success: true, result: { ...JSON.parse(result), a: "\ufffdéé" } })
    const [third, last] = [asked(), await peer.nextCommand()]
    peer.socket.send(`{"type":"command_result","data":{"id":"${last.id}","success":false,"error":"${padding}"}}`)
    expect(JSON.parse(await third)).toMatchObject({ success: false, error: padding })
  })

  it("P85: of reports that come faster than the account's share the newest is read in its turn, and the socket stays", async () => {
    const { connect, status } = await ownedDaemon(hub)
    const peer = await connect()
    const titled = (id: string) => [reported(id, { title: padding })]
    const shows = (id: string) =>
      until(`${id} is shown`, async () => (await status()).sessions.some((one: { id: string }) => one.id === id))
    peer.report(titled("s1"))
    await shows("s1")
    for (const id of ["s2", "s3", "s4"]) peer.report(titled(id))
    // what is sent behind them is dealt with at once
    peer.send("telepathy", {})
    await peer.nextFrame("unsupported")
    expect((await status()).sessions).toMatchObject([{ id: "s1" }])
    await hub.advance(1_000)
    await shows("s4")
    expect((await status()).problems).toEqual([])
  })

  it("P86: a report that would make what is kept of the account too heavy is dropped, and problems says so", async () => {
    const { account, key } = await ownedDaemon(hub)
    const values = 90_000
    const heavy = {
      timestamp: 1,
      sessions: [reported("s1", { summaryMetadata: Array.from({ length: values }, () => 0) })]
    }
    const statuses: Array<{ sessions: ReadonlyArray<unknown>; problems: ReadonlyArray<unknown> }> = []
    for (let daemon = 0; daemon <= Math.ceil(keptReportsMax / (values * valueCost)); daemon++) {
      const { daemonId, token } = await account.daemonToken()
      const peer = await connectDaemon(hub, token)
      peer.report(heavy)
      peer.send("telepathy", {})
      await peer.nextFrame("unsupported")
      await hub.advance(200)
      statuses.push((await hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { key })).body)
    }
    expect(statuses[0]).toMatchObject({ sessions: [{ id: "s1" }], problems: [] })
    const reason = "is not kept: the reports of this account's daemons take too much memory on this node"
    expect(statuses.at(-1)).toMatchObject({ sessions: [], problems: [{ at: "status_report", reason }] })
  })

  it("P118: events of many names cost their account more than their bytes, and one too many closes its socket", async () => {
    const { connect } = await ownedDaemon(hub)
    const peer = await connect()
    const dense = Array.from({ length: 5_000 }, (_, nth) => ({ [`n${nth}`]: 0 }))
    for (let nth = 0; nth < 40; nth++) peer.send("status_event", { event: "agent:stopped", timestamp: 1, dense })
    expect((await peer.closed).code).toBe(4429)
    expect(40 * JSON.stringify(dense).length).toBeLessThan(frameBytesPer10sMax / 2)
  })

  it("P119: events of one account close its socket within its own share while others cost the node much, and one that sends little is read", async () => {
    const dense = Array.from({ length: 5_000 }, (_, nth) => ({ [`n${nth}`]: 0 }))
    // what the tests before this one cost is worked off
    await hub.advance(2_000)
    // seven of them are within what an account may send at once
    const flood = (peer: { send: (type: string, data: object) => void }) => {
      for (let nth = 0; nth < 7; nth++) peer.send("status_event", { event: "agent:stopped", timestamp: 1, dense })
      peer.send("telepathy", {})
    }
    const [first, ...others] = await Promise.all(
      Array.from({ length: 8 }, async () => (await ownedDaemon(hub)).connect())
    )
    const quiet = others.pop()!
    flood(first!)
    await first!.nextFrame("unsupported")
    for (const peer of others) flood(peer)
    expect((await others.at(-1)!.closed).code).toBe(4429)
    quiet.send("telepathy", {})
    await quiet.nextFrame("unsupported")
  })

  it("P87: events of an account beyond its share close the socket that sends one more", async () => {
    const { account } = await ownedDaemon(hub)
    const daemons = await Promise.all([account.daemonToken(), account.daemonToken()])
    const [first, second] = await Promise.all(daemons.map(({ token }) => connectDaemon(hub, token)))
    const note = "n".repeat(1_000_000)
    const say = (peer: typeof first, times: number) => {
      for (let at = 0; at < times; at++) peer!.send("status_event", { event: "agent:stopped", timestamp: at, note })
    }
    say(first, 8)
    first!.send("telepathy", {})
    await first!.nextFrame("unsupported")
    say(second, Math.ceil((accountFrameBytesPerSecond * accountFrameBurstSeconds) / 1_000_000) - 7)
    expect((await second!.closed).code).toBe(4429)
  })
})
