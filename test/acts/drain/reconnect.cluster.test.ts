/**
 * docs/daemon-protocol.md: restarts and crowds. Two hubs that are one, of which one drains; one that is alone; a full
 * connect throttle.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Settings } from "../../../src/config.ts"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { type HubAnswer, startHub, type TestAccount, type TestHub } from "../../support/hub.ts"
import { connectDaemon, openDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useDatabase, useRedis } from "../../support/use-started.ts"

describe("a node that drains", () => {
  const redis = useRedis()
  const database = useDatabase()
  let stays: TestHub
  let account: TestAccount
  let key: string
  const hubs: Array<TestHub> = []
  const node = async (settings: Partial<Settings> = {}): Promise<TestHub> => {
    const hub = await startHub({ database, settings: { redisUrl: redis.url, ...settings } })
    hubs.push(hub)
    return hub
  }
  beforeAll(async () => {
    stays = await node()
    account = await stays.account()
    key = await account.key(["ide:read", "ide:control"])
  })
  afterAll(async () => {
    for (const hub of hubs) await hub.close()
  })

  const command = (hub: TestHub, daemonId: string) =>
    hub.request("POST", `/api/v1/daemons/${daemonId}/command`, { key, body: { type: "read_chat", payload: {} } })
  const answersFrom = (peer: Peer, name: string): void => peer.answerWith(() => ({ from: name }))
  const seenBy = (hub: TestHub, daemonId: string) =>
    until("the other node knows of it", async () => {
      const { body } = await hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { key })
      return (body as { online: boolean }).online
    })

  it("P60: tells each of its daemons a slot of its own, spread over the setting, and serves it until then", async () => {
    const leaves = await node({ drainMillis: 80_000, reconnectSpreadMillis: 40_000 })
    const daemons = await Promise.all([1, 2, 3, 4].map(() => account.daemonToken()))
    const peers = await Promise.all(daemons.map(({ token }) => connectDaemon(leaves, token)))
    const closing = leaves.close()
    const told = await Promise.all(peers.map((peer) => peer.nextFrame("reconnect")))
    const slots = told.map(({ data }) => data.afterMs as number)
    expect([...slots].sort((a, b) => a - b)).toEqual([0, 10_000, 20_000, 30_000])
    const last = slots.indexOf(30_000)
    answersFrom(peers[last]!, "before its slot")
    const answer = await command(stays, daemons[last]!.daemonId)
    expect(answer).toMatchObject({ status: 200, body: { result: { from: "before its slot" } } })
    for (const peer of peers) await peer.leave()
    await closing
  })

  /** What commands are answered by a daemon that comes to the other node; `leave` sends them while it is on the way. */
  const comesTo = async (
    leave: (before: Peer, closing: Promise<void>, ask: () => Promise<HubAnswer>) => Promise<Array<Promise<HubAnswer>>>
  ): Promise<void> => {
    const round = async (): Promise<ReadonlyArray<HubAnswer>> => {
      const leaves = await node()
      const { daemonId, token } = await account.daemonToken()
      const before = await connectDaemon(leaves, token, { report: [] })
      answersFrom(before, "before")
      await seenBy(stays, daemonId)
      const ask = () => command(stays, daemonId)
      expect((await ask()).body).toMatchObject({ result: { from: "before" } })
      const closing = leaves.close()
      await before.nextFrame("reconnect")
      const waiting = await leave(before, closing, ask)
      answersFrom(await connectDaemon(stays, token, { report: [] }), "after")
      const answers = await Promise.all(waiting)
      await closing
      return [...answers, await ask()]
    }
    // a command waits 5 s, in which a machine that is busy may not get so far
    const answers = await until("none waits for too long", async () => {
      const all = await round()
      return all.every(({ body }) => body.reason !== "DAEMON_SOCKET_LOST") && all
    })
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { result: { from: "after" } } })
  }

  it("has a command wait that comes, to whichever node, while its daemon is on the way", () =>
    comesTo(async (before, _, ask) => {
      const waiting = [ask(), ask()]
      before.socket.close(1012)
      await before.closed
      return [...waiting, ask()]
    }))

  it("P63: is gone, and a command still waits for the daemon it had sent away, whatever its goodbye", () =>
    comesTo(async (before, closing, ask) => {
      before.socket.close(1000)
      await closing
      return [ask()]
    }))

  it("P61: leaves a busy daemon its commands, and closes it with 1012 after the last", async () => {
    const leaves = await node({ drainMillis: 80_000 })
    const { daemonId, token } = await account.daemonToken()
    const before = await connectDaemon(leaves, token, { report: [] })
    await seenBy(stays, daemonId)
    const slow = command(stays, daemonId)
    const asked = await before.nextCommand()
    const closing = leaves.close()
    await before.nextFrame("reconnect")
    // its slot is over and it is still busy: it is served on
    const quick = command(stays, daemonId)
    ;(await before.nextCommand()).succeed({ is: "quick" })
    expect(await quick).toMatchObject({ status: 200, body: { result: { is: "quick" } } })
    expect(before.socket.readyState).toBe(before.socket.OPEN)
    asked.succeed({ is: "slow" })
    expect(await slow).toMatchObject({ status: 200, body: { result: { is: "slow" } } })
    expect((await before.closed).code).toBe(1012)
    await closing
  })

  it("P62: closes with 1012 who has not left at its slot", async () => {
    const leaves = await node()
    const { token } = await account.daemonToken()
    const peer = await connectDaemon(leaves, token)
    const closing = leaves.close()
    expect((await peer.closed).code).toBe(1012)
    await closing
  })
})

describe("a hub that is alone", () => {
  it("P64: closes its daemons with 1012 and has them come back a second later, one after the other", async () => {
    const hub = await startHub()
    const { connect } = await ownedDaemon(hub)
    const peers = [await connect(), await (await ownedDaemon(hub)).connect()]
    const closing = hub.close()
    const told = await Promise.all(peers.map((peer) => peer.nextFrame("reconnect")))
    expect(told.map(({ data }) => data.afterMs).sort((a, b) => a - b)).toEqual([1_000, 1_000])
    for (const peer of peers) expect((await peer.closed).code).toBe(1012)
    await closing
  })

  it("P65: closes one new connection too many with 4503, says when to come back, and keeps that time for it", async () => {
    const hub = await startHub({ virtual: true, settings: { connectsPerSecond: 4 } })
    const { connect, account } = await ownedDaemon(hub)
    const peer = await connect()
    const [first, second] = [await account.daemonToken(), await account.daemonToken()]
    const refused = async (token: string): Promise<number> => {
      const { code, reason } = await (await openDaemon(hub, token)).closed
      expect(code).toBe(4503)
      return (JSON.parse(reason) as { afterMs: number }).afterMs
    }
    expect([await refused(first.token), await refused(second.token)]).toEqual([250, 500])
    expect(await refused(second.token)).toBe(500)
    expect(peer.socket.readyState).toBe(peer.socket.OPEN)
    await hub.advance(500)
    // somebody else is there before them
    await connectDaemon(hub, (await account.daemonToken()).token)
    expect(await refused((await account.daemonToken()).token)).toBeGreaterThan(0)
    await connectDaemon(hub, second.token)
    await connectDaemon(hub, first.token)
    await hub.close()
  })
})
