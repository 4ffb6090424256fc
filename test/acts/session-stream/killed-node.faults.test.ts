/** The stream of a session while the node of its daemon is killed, or drains. */
import { expect, it } from "vitest"
import { DaemonLogs } from "../../support/daemon-logs.ts"
import { connectLogged, readStream } from "../../support/logged-session.ts"
import { onNodes } from "../../support/own-node-processes.ts"
import { until } from "../../support/until.ts"

const settings = { HUB_DRAIN: "2s", HUB_RECONNECT_SPREAD: "100ms" }

onNodes("the stream of a session", { nodes: [settings, settings] }, (hub) => {
  it.each(["kill", "stop"] as const)("loses and repeats nothing when its daemon's node is told to %s", async (how) => {
    const [home, other] = hub.nodes
    const { daemonId, token } = await home!.operate({ op: "token create", account: "nodes@example.org" })
    const logs = new DaemonLogs(() => {})
    logs.begin("s1", "log-1")
    const first = await connectLogged(home!, String(token), logs)
    const path = `/api/v1/daemons/${daemonId}/sessions/s1/events`
    await until("the session is known", async () => (await hub.ask(1, "GET", path, { bearer: hub.key })).status === 200)
    const reader = await readStream(other!, `${path}/stream?after=0`, hub.key)
    for (let n = 0; n < 20; n++) logs.happen("s1", "plan")
    await until("all arrive", () => reader.events().length === 20)
    const ended = home![how]()
    await first.closed
    for (let n = 0; n < 20; n++) logs.happen("s1", "plan", {}, false)
    const second = await connectLogged(other!, String(token), logs)
    await until("the rest arrives", () => reader.events().length === 40)
    logs.happen("s1", "plan")
    await until("the newest arrives", () => reader.events().length === 41)
    expect(reader.words()).toEqual(Array.from({ length: 41 }, (_, at) => `plan ${at + 1}`))
    reader.close()
    await second.leave()
    await ended
    await home!.start()
  })

  it.each(["kill", "stop"] as const)(
    "goes on at the other node for 50 readers whose own is told to %s",
    async (how) => {
      const [home, other] = hub.nodes
      const { daemonId, token } = await other!.operate({ op: "token create", account: "nodes@example.org" })
      const logs = new DaemonLogs(() => {})
      logs.begin("s1", "log-1")
      const peer = await connectLogged(other!, String(token), logs)
      const path = `/api/v1/daemons/${daemonId}/sessions/s1/events`
      await until(
        "the session is known",
        async () => (await hub.ask(0, "GET", path, { bearer: hub.key })).status === 200
      )
      const open = () => readStream(home!, `${path}/stream?after=0`, hub.key)
      const before = await Promise.all(Array.from({ length: 50 }, open))
      for (let n = 0; n < 20; n++) logs.happen("s1", "plan")
      await until("some arrive", () => before.every((reader) => reader.events().length > 5))
      const ended = home![how]()
      for (let n = 0; n < 20; n++) logs.happen("s1", "plan")
      await until("all streams end", () => before.every((reader) => reader.ended()))
      const resumed = before.map((reader) =>
        readStream(other!, `${path}/stream`, hub.key, { "last-event-id": String(reader.lastId()) })
      )
      const after = await Promise.all(resumed)
      logs.happen("s1", "plan")
      const words = () => before.map((reader, at) => [...reader.words(), ...after[at]!.words()])
      await until("the newest arrives", () => words().every((all) => all.at(-1) === "plan 41"))
      const each = Array.from({ length: 41 }, (_, at) => `plan ${at + 1}`)
      for (const all of words()) expect(all).toEqual(each)
      for (const reader of after) reader.close()
      await peer.leave()
      await ended
      await home!.start()
    }
  )
})
