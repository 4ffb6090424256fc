/** What a terminal command writes: a page of it, and the stream. */
import { describe, expect, it } from "vitest"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { DaemonLogs } from "../../support/daemon-logs.ts"
import { useHub } from "../../support/hub.ts"
import { answerFor, readStream } from "../../support/logged-session.ts"
import { until } from "../../support/until.ts"

const all = ["durable_commands", "command_cancel", "session_log"]

describe("the output of a terminal command", () => {
  const hub = useHub({ virtual: true })

  /** A command that runs, on a daemon of a new account. */
  const running = async (capabilities: ReadonlyArray<string> = all) => {
    const mine = await ownedDaemon(hub)
    const { key, daemonId } = mine
    const logs = new DaemonLogs(() => {})
    const connect = async (more: object = {}) => {
      logs.reconnect()
      const peer = await mine.connect({ auth: { capabilities, ...more }, report: [] })
      answerFor(peer, logs)
      return peer
    }
    const peer = await connect()
    const started = await hub.request("POST", `/api/v1/daemons/${daemonId}/terminal`, {
      key,
      body: { command: "make" },
      headers: { prefer: "respond-async" }
    })
    const commandId: string = started.body.commandId
    const sent = await peer.nextCommand()
    const path = `/api/v1/commands/${commandId}/output`
    const log = { kind: "command", id: commandId }
    logs.begin(commandId, "log-1", "command")
    return {
      ...mine,
      commandId,
      connect,
      logs,
      peer,
      path,
      sent,
      write: (text: string, told = true) => logs.happenIn(log, "output", { stream: "stdout", text }, told),
      exit: () => logs.happenIn(log, "exit", { exitCode: 0 }),
      page: (query = "") => hub.request("GET", path + query, { key })
    }
  }

  it("is streamed as it is written, up to its exit, and read in pages after its end", async () => {
    const { write, exit, path, key, page, sent, peer } = await running()
    write("1\n")
    const reader = await readStream(hub, `${path}/stream?after=0`, key)
    write("2\né")
    exit()
    await until("all arrive", () => reader.events().length === 3)
    expect(reader.words()).toEqual(["output 1", "output 2", "exit 3"])
    expect(reader.events().map(({ data }) => data.text ?? data.exitCode)).toEqual(["1\n", "2\né", 0])
    reader.close()
    sent.succeed({ exitCode: 0, stdout: "1\n2\né", stderr: "", durationMs: 5 })
    await peer.nextFrame("result_ack")
    const first = await page("?limit=2")
    expect(first).toMatchObject({ status: 200, body: { more: true, gap: false, lastSeq: 3 } })
    const rest = await page(`?after=${first.body.next}`)
    expect(rest.body.events).toMatchObject([{ seq: 3, type: "exit", exitCode: 0 }])
  })

  it("goes on where it was after the daemon reconnects", async () => {
    const { write, path, key, peer, connect, commandId } = await running()
    const reader = await readStream(hub, `${path}/stream`, key)
    write("1")
    await until("it arrives", () => reader.events().length === 1)
    const { id } = reader.events()[0]!
    await peer.cut()
    write("2", false)
    await hub.advance(1_000)
    await connect({ commands: [commandId] })
    await until("what was missed arrives", async () => {
      await hub.advance(1_000)
      return reader.events().length === 2
    })
    const again = await readStream(hub, `${path}/stream`, key, { "last-event-id": id! })
    await until("it is resumed", () => again.events().length === 1)
    expect([reader.words(), again.words()]).toEqual([["output 1", "output 2"], ["output 2"]])
    for (const one of [reader, again]) one.close()
  })

  it("is 409 where the daemon keeps no logs, 404 where it has none of this, and needs the daemon online", async () => {
    const plain = await running(["durable_commands"])
    const { path, key, peer, daemonId } = await running()
    const shot = await hub.request("POST", `/api/v1/daemons/${daemonId}/command`, {
      key,
      body: { type: "screenshot" },
      headers: { prefer: "respond-async" }
    })
    for (const rest of ["", "/stream"]) {
      const lacks = await hub.request("GET", plain.path + rest, { key: plain.key })
      expect(lacks).toMatchObject({ status: 409, body: { reason: "DAEMON_LACKS_FEATURE", feature: "session_log" } })
      const none = await hub.request("GET", `/api/v1/commands/${shot.body.commandId}/output${rest}`, { key })
      expect(none).toMatchObject({ status: 404, body: { reason: "NOT_FOUND" } })
    }
    await peer.leave()
    for (const rest of ["", "/stream"])
      expect((await hub.request("GET", path + rest, { key })).body.reason).toBe("DAEMON_OFFLINE")
  })
})
