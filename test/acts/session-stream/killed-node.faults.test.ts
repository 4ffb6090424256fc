/** The stream of a session while the node of its daemon, or of its readers, is killed, or drains. */
import { beforeEach, expect, it } from "vitest"
import { DaemonLogs } from "../../support/daemon-logs.ts"
import type { HubProcess } from "../../support/hub-process.ts"
import { connectLogged, readStream } from "../../support/logged-session.ts"
import { onNodes } from "../../support/own-node-processes.ts"
import { atNight, sizeOf } from "../../support/run-sizes.ts"
import { until } from "../../support/until.ts"

const settings = { HUB_DRAIN: "2s", HUB_RECONNECT_SPREAD: "100ms" }
const readers = sizeOf("READERS", atNight ? 50 : 20)
const words = Array.from({ length: 41 }, (_, at) => `plan ${at + 1}`)

onNodes("the stream of a session", { nodes: [settings, settings] }, (hub) => {
  // whatever the test before has ended
  beforeEach(async () => {
    for (const node of hub.nodes) if (!node.runs()) await node.start()
  })

  /** A daemon on a node with a session that both nodes know. */
  const logged = async (at: HubProcess) => {
    const { daemonId, token } = await at.operate({ op: "token create", account: "nodes@example.org" })
    const logs = new DaemonLogs(() => {})
    logs.begin("s1", "log-1")
    const peer = await connectLogged(at, String(token), logs)
    const path = `/api/v1/daemons/${daemonId}/sessions/s1/events`
    const known = async (node: number) => (await hub.ask(node, "GET", path, { bearer: hub.key })).status === 200
    for (const node of [0, 1]) await until("the session is known", () => known(node))
    const read = (from: HubProcess, query: string, headers = {}) =>
      readStream(from, `${path}/stream${query}`, hub.key, headers)
    return { logs, peer, token: String(token), read }
  }

  /** What happens to a daemon of the node that ends, and to its reader at the other: before, and once it ends. */
  const movingDaemon = async (home: HubProcess, other: HubProcess) => {
    const { logs, peer, token, read } = await logged(home)
    const reader = await read(other, "?after=0")
    for (let n = 0; n < 20; n++) logs.happen("s1", "plan")
    await until("all arrive", () => reader.events().length === 20)
    return async () => {
      await peer.closed
      for (let n = 0; n < 20; n++) logs.happen("s1", "plan", {}, false)
      const again = await connectLogged(other, token, logs)
      await until("the rest arrives", () => reader.events().length === 40)
      logs.happen("s1", "plan")
      await until("the newest arrives", () => reader.events().length === 41)
      expect(reader.words()).toEqual(words)
      reader.close()
      await again.leave()
    }
  }

  /** The same of a daemon at the other node, and of its readers at the one that ends. */
  const movingReaders = async (home: HubProcess, other: HubProcess) => {
    const { logs, peer, read } = await logged(other)
    const before = await Promise.all(Array.from({ length: readers }, () => read(home, "?after=0")))
    for (let n = 0; n < 20; n++) logs.happen("s1", "plan")
    await until("some arrive", () => before.every((reader) => reader.events().length > 5))
    return async () => {
      for (let n = 0; n < 20; n++) logs.happen("s1", "plan")
      await until("all streams end", () => before.every((reader) => reader.ended()))
      const after = await Promise.all(
        before.map((reader) => read(other, "", { "last-event-id": String(reader.lastId()) }))
      )
      logs.happen("s1", "plan")
      const each = () => before.map((reader, at) => [...reader.words(), ...after[at]!.words()])
      await until("the newest arrives", () => each().every((all) => all.at(-1) === "plan 41"))
      for (const all of each()) expect(all).toEqual(words)
      for (const reader of after) reader.close()
      await peer.leave()
    }
  }

  it.each(["kill", "stop"] as const)(
    `loses and repeats nothing when its daemon's node, or that of ${readers} readers, is told to %s`,
    async (how) => {
      const [home, other] = hub.nodes as [HubProcess, HubProcess]
      const goOn = [await movingDaemon(home, other), await movingReaders(home, other)]
      const ended = home[how]()
      await Promise.all(goOn.map((story) => story()))
      await ended
    }
  )
})
