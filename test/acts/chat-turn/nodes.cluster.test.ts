/** Two nodes on one Postgres and one Redis: calls that wait for an agent whose daemon is on the other, and moves. */
import { describe, expect, it } from "vitest"
import { said, shortcut, show, take, user, watched } from "../../support/agent-waits.ts"
import { connectedDaemon, reported } from "../../support/connected-daemon.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"

describe("two hubs that are one", () => {
  const hubs = useTwoHubs()
  const { one, other } = hubs

  /** A daemon of the first, whose agent the other knows. */
  const known = async () => {
    const mine = await connectedDaemon(one)
    const path = shortcut(mine, "status")
    const status = () => other.request("GET", path, { key: mine.key })
    await until("the other knows its agent", async () => (await status()).status === 200)
    return { mine, version: (await status()).body.version as string }
  }
  const chat = { messages: [user, said], status: "idle" }

  it("answer a turn through the other when the agent is idle again, and leave no listener", async () => {
    const { mine } = await known()
    const path = shortcut(mine, "chat?wait=idle")
    const answer = other.request("POST", path, { key: mine.key, body: { message: "go" } })
    ;(await take(mine.peer, "send_chat")).succeed({ messageId: "m1" })
    await show(mine, "generating")
    await until("the other waits again", async () => (await watched(one, mine.daemonId)) === 1)
    await show(mine, "idle")
    ;(await take(mine.peer, "read_chat")).succeed(chat)
    expect((await answer).body).toMatchObject({ timedOut: false, status: "idle", messages: [said] })
    await until("nobody waits", async () => (await watched(one, mine.daemonId)) === 0)
  })

  it("answer a turn through the other though the daemon moves to it meanwhile", async () => {
    const { mine } = await known()
    const path = shortcut(mine, "chat?wait=idle")
    const answer = other.request("POST", path, { key: mine.key, body: { message: "go" } })
    ;(await take(mine.peer, "send_chat")).succeed({ messageId: "m1" })
    await show(mine, "generating")
    const moved = await connectDaemon(other, mine.token, { report: [reported("s1", { status: "generating" })] })
    moved.report([reported("s1", { status: "idle" })])
    ;(await take(moved, "read_chat")).succeed(chat)
    expect((await answer).body).toMatchObject({ timedOut: false, status: "idle", messages: [said] })
    await moved.leave()
  })

  it("answer a long poll through the other, with a version that both nodes find", async () => {
    const { mine, version } = await known()
    const path = shortcut(mine, `status?waitFor=change&since=${version}`)
    const answer = other.request("GET", path, { key: mine.key })
    await until("the other waits", async () => (await watched(one, mine.daemonId)) === 1)
    await show(mine, "generating")
    const { body } = await answer
    expect(body.status).toBe("generating")
    expect((await one.request("GET", shortcut(mine, "status"), { key: mine.key })).body.version).toBe(body.version)
    const stranger = await (await one.account()).key(["agent:read"])
    const [theirs, unknown] = await Promise.all([
      other.request("GET", path, { key: stranger }),
      other.request("GET", shortcut({ daemonId: "dmn_none" }, "status?waitFor=change"), { key: stranger })
    ])
    expect([theirs.status, theirs.body.reason]).toEqual([404, unknown.body.reason])
  })
})
