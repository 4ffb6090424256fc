/** The samples of integrators against a real hub: a command on each machine, then its events, then an approval. */
import { describe, expect, it } from "vitest"
import { freePort } from "../../bench/servers/free-port.ts"
import { type Owned, ownedDaemon, reported } from "../support/connected-daemon.ts"
import { given } from "../support/given.ts"
import { useHub } from "../support/hub.ts"
import { connectDaemon } from "../support/scripted-daemon.ts"
import { until } from "../support/until.ts"
import { type Program, pythonMissing, startProgram } from "./program.ts"

const hub = useHub()

const samples = [
  ["TypeScript", "node", "integrator-typescript/integrator.ts", false],
  ["Python", "python3", "integrator-python/integrator.py", pythonMissing]
] as const

const start = (owned: Owned, [, interpreter, file]: (typeof samples)[number], flags: ReadonlyArray<string>): Program =>
  startProgram(interpreter, file, [hub.url, "uname -s", ...flags], { HUB_KEY: owned.key })

/** Its stream is open once an event of a daemon that comes and goes has arrived. */
const followed = async (owned: Owned, program: Program): Promise<void> => {
  while (!program.said().includes("daemon:connect")) await (await owned.connect()).leave()
}

const result = { exitCode: 0, stdout: "Linux\n", stderr: "", durationMs: 1, truncated: false }

for (const sample of samples) {
  const [language, , , missing] = sample
  describe.skipIf(missing)(`the integrator in ${language}`, () => {
    given(() => ownedDaemon(hub))("runs a command on a machine and prints what it said", async (owned) => {
      const peer = await owned.connect()
      const program = start(owned, sample, [])
      const { data } = await peer.nextFrame("command")
      expect(data).toMatchObject({ type: "terminal_exec", payload: { command: "uname -s" } })
      peer.send("command_result", { id: data.id, success: true, result })
      expect(await program.ended).toBe(0)
      expect(program.said()).toContain(": Linux")
    })

    given(() => ownedDaemon(hub))("names a machine that is offline", async (owned) => {
      await (await owned.connect()).leave()
      await until("it is offline", async () => {
        const path = `/api/v1/daemons/${owned.daemonId}/status`
        return (await hub.request("GET", path, { key: owned.key })).body.online === false
      })
      const program = start(owned, sample, [])
      expect(await program.ended).toBe(0)
      expect(program.said()).toContain(": offline")
    })

    it("calls a machine offline that left since the list was read, and goes on", async () => {
      const owned = await ownedDaemon(hub)
      const other = await connectDaemon(hub, (await owned.account.daemonToken()).token)
      const peers = [await owned.connect(), other]
      const program = start(owned, sample, [])
      const [first, later] = await Promise.race(
        peers.map(async (peer, at) => [{ peer, ...(await peer.nextFrame("command")) }, peers[1 - at]!] as const)
      )
      await later.leave()
      const online = async () => (await owned.get("/api/v1/daemons")).body.daemons.length
      await until("one is offline", async () => (await online()) === 1)
      first.peer.send("command_result", { id: first.data.id, success: true, result })
      expect(await program.ended).toBe(0)
      expect(program.said()).toMatch(/: Linux\n.*: offline\n/u)
    })

    it.each([
      ["that a hub is not there", "hub_x", /127\.0\.0\.1:\d+.*refused/iu],
      ["that a key is none", "hub_ x", /^the .*\n$/u]
    ])("says in one line %s", async (_, key, words) => {
      const url = `http://127.0.0.1:${await freePort()}`
      const [, interpreter, file] = sample
      const program = startProgram(interpreter, file, [url, "true"], { HUB_KEY: key })
      expect(await program.ended).not.toBe(0)
      expect(program.said()).toMatch(words)
      expect(program.said().trim().split("\n")).toHaveLength(1)
    })

    given(() => ownedDaemon(hub))("prints why a command was not done, and goes on", async (owned) => {
      const peer = await owned.connect()
      const program = start(owned, sample, [])
      const { data } = await peer.nextFrame("command")
      peer.send("command_result", { id: data.id, success: false, error: "no shell here", code: "no_shell" })
      expect(await program.ended).toBe(0)
      expect(program.said()).toContain("no shell here")
    })

    given(() => ownedDaemon(hub))("says what the hub says of a key that is none", async (owned) => {
      const program = start({ ...owned, key: "hub_wrong" }, sample, [])
      expect(await program.ended).not.toBe(0)
      expect(program.said()).toContain("AUTH_INVALID")
    })

    given(() => ownedDaemon(hub))("follows the events of the account", async (owned) => {
      const program = start(owned, sample, ["--follow"])
      await followed(owned, program)
      await program.until("daemon:disconnect")
      await program.kill("SIGKILL")
    })
  })
}

it("the integrator in TypeScript approves the prompt that it saw, when it is told to", async () => {
  const owned = await ownedDaemon(hub)
  const program = start(owned, samples[0], ["--follow", "--approve"])
  await followed(owned, program)
  const modal = { promptId: "p1", message: "May I?", buttons: ["Yes", "No"] }
  const peer = await owned.connect({ report: [reported("s1", { status: "waiting_approval", activeModal: modal })] })
  peer.answerWith(() => undefined)
  const asking = { event: "agent:waiting_approval", targetSessionId: "s1", promptId: "p1", modalMessage: "May I?" }
  peer.send("status_event", { id: "e1", timestamp: hub.now(), ...asking })
  await program.until("s1: approved")
  expect(peer.frames.map(({ data }) => data)).toContainEqual(
    expect.objectContaining({ type: "resolve_action", payload: expect.objectContaining({ promptId: "p1" }) })
  )
  await program.kill("SIGINT")
})
