/** Streams of keys that are bound to a selector, while the tags of daemons change. */
import { beforeAll, describe, expect, it } from "vitest"
import { openEventStream, openEvents } from "../../support/event-stream.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { session as sessionOn } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"

// without a grace a daemon that comes back begins a new time online
const graces = [15_000, 0]

describe.each(graces)("a stream of a key that is bound to a selector, at a grace of %i ms", (disconnectGraceMillis) => {
  const hub = useHub({ settings: { disconnectGraceMillis } })
  let account: TestAccount
  let session: string
  let key: string
  beforeAll(async () => {
    account = await hub.account()
    session = await account.session()
    const body = { name: "bound", scopes: ["ide:read", "agent:read"], selector: "env=prod" }
    key = (await hub.request("POST", "/api/v1/api-keys", { session, body })).body.key
  })

  const tag = (id: string, tags: object) =>
    hub.request("PUT", `/api/v1/daemons/${id}/tags`, { session, body: { tags } })
  const bearer = () => ({ authorization: `Bearer ${key}` })

  /** A daemon of `env=prod` with a session, and the hub's question for its log, which nobody has answered. */
  const logged = async (): Promise<{ readonly id: string; readonly path: string; readonly peer: Peer }> => {
    const { daemonId: id, token } = await account.daemonToken()
    await tag(id, { env: "prod" })
    const peer = await connectDaemon(hub, token, { auth: { capabilities: ["session_log"] }, report: [sessionOn("s1")] })
    await until("the session is known", async () => {
      const { status } = await hub.request("GET", `/api/v1/shortcuts/${id}:session:s1/status`, { key })
      return status === 200
    })
    return { id, path: `${hub.url}/api/v1/daemons/${id}/sessions/s1/events/stream`, peer }
  }
  const answer = ({ send }: Peer, log: unknown) => send("log_events", { log, logId: "log-1", lastSeq: 0, events: [] })

  it("ends when its daemon's tags change, and is unknown to a reader who comes back and may not see it", async () => {
    const { id, path, peer } = await logged()
    const opening = openEventStream(path, bearer())
    answer(peer, (await peer.nextFrame("log_subscribe")).data.log)
    const stream = await opening
    expect(stream.status).toBe(200)
    await tag(id, { env: "test" })
    await until("it ends", () => stream.ended())
    expect((await openEventStream(path, bearer())).status).toBe(404)
    await peer.leave()
  })

  it("goes on when tags of another daemon change, and so do the events, which tell of that one no more", async () => {
    const [mine, other] = [await logged(), await logged()]
    const opening = openEventStream(mine.path, bearer())
    answer(mine.peer, (await mine.peer.nextFrame("log_subscribe")).data.log)
    const stream = await opening
    const events = await openEvents(hub, key)
    await tag(other.id, { env: "test" })
    for (const { peer } of [other, mine])
      peer.send("status_event", { event: "agent:stopped", timestamp: 1, targetSessionId: "s1" })
    await until("its own is told", () => events.text().includes(mine.id))
    expect(events.text()).not.toContain(other.id)
    expect([stream.ended(), events.ended()]).toEqual([false, false])
    for (const one of [stream, events]) await one.close()
    for (const { peer } of [other, mine]) await peer.leave()
  })

  it("ends when a daemon comes back and says other tags of itself, and not when it says the same", async () => {
    const { daemonId: id, token } = await account.daemonToken()
    const connect = (tags: object) =>
      connectDaemon(hub, token, { auth: { tags, capabilities: ["session_log"] }, report: [sessionOn("s1")] })
    const peers = [await connect({ env: "prod", gpu: "" })]
    await until("the session is known", async () => {
      const { status } = await hub.request("GET", `/api/v1/shortcuts/${id}:session:s1/status`, { key })
      return status === 200
    })
    const opening = openEventStream(`${hub.url}/api/v1/daemons/${id}/sessions/s1/events/stream`, bearer())
    answer(peers[0]!, (await peers[0]!.nextFrame("log_subscribe")).data.log)
    const stream = await opening
    await peers[0]!.cut()
    peers.push(await connect({ gpu: "", env: "prod" }))
    await peers[1]!.nextFrame("log_subscribe")
    expect(stream.ended()).toBe(false)
    await peers[1]!.cut()
    peers.push(await connect({ env: "test", gpu: "" }))
    await until("it ends", () => stream.ended())
    await peers[2]!.leave()
  })

  it("ends where the tags had changed before its answer began", async () => {
    const { id, path, peer } = await logged()
    const opening = openEventStream(path, bearer())
    const { log } = (await peer.nextFrame("log_subscribe")).data
    await tag(id, { env: "test" })
    answer(peer, log)
    const stream = await opening
    await until("it ends", () => stream.ended())
    await peer.leave()
  })
})
