/** docs/daemon-protocol.md: updates. What a daemon makes of an `update` that is odd, or that comes at a bad time. */
import { hash } from "node:crypto"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { type Clock, realClock } from "../../daemon/clock.ts"
import { busyLookMillis, programBytesMax, updateProvenMillis } from "../../daemon/limits.ts"
import { Updates } from "../../daemon/updates.ts"
import { startAdmitted } from "../support/reference-daemon.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { virtualClock } from "../support/virtual-clock.ts"

const program = "// the new program\n"
const sha256 = hash("sha256", program, "hex")

const machine = async (
  answer: (response: ServerResponse) => void = (response) => void response.end(program),
  clock: Clock = realClock,
  sends: () => void = () => undefined
) => {
  const asked: Array<string | undefined> = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    answer(response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const folder = testFolder("updates")
  const said: Array<{ readonly error: string }> = []
  let restarts = 0
  const hub = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const updates = new Updates({
    folder,
    hub,
    restart: () => void restarts++,
    clock,
    log: () => undefined,
    send: (text) => {
      sends()
      return said.push(JSON.parse(text).data) > 0
    },
    busy: () => false
  })
  onTestFinished(() => {
    updates.stop()
    server.closeAllConnections()
    server.close()
  })
  const told = (order: Readonly<Record<string, unknown>>) =>
    updates.told({ version: "9.0.0", url: `/daemon/${sha256}/hub-daemon.mjs`, sha256, deadlineMs: 60_000, ...order })
  return { folder, hub, asked, said, told, restarts: () => restarts, updates }
}

describe("an update", () => {
  it("is written under its checksum, whatever its version is, and the daemon ends once", async () => {
    const { folder, told, said, restarts } = await machine()
    await told({ version: { toString: "../../x" } })
    expect(readFileSync(join(folder, "current"), "utf8")).toBe(`releases/${sha256}`)
    expect(readdirSync(join(folder, "releases"))).toEqual([sha256])
    await told({})
    expect([said, restarts()]).toEqual([[], 1])
  })

  it.each([
    ["at another host", "https://other.example/x"],
    ["at another host, as of the same scheme", "//other.example/x"],
    ["at another host behind backslashes", "/\\\\/\\/other.example/x"],
    ["at another port", "http://127.0.0.1:1/x"],
    ["that is a file", "file:///etc/passwd"]
  ])("from %s is refused, and nobody is asked", async (_, url) => {
    const { asked, said, told, folder } = await machine()
    await told({ url })
    expect([asked, readdirSync(folder)]).toEqual([[], []])
    expect(said).toMatchObject([{ error: "the address is not one of this hub" }])
  })

  it("whose checksum is a path is ignored", async () => {
    const { asked, said, told } = await machine()
    await told({ sha256: `../${sha256}` })
    expect([asked, said]).toEqual([[], []])
  })

  it("that is larger than a program may be, or has another checksum, is asked for once and leaves nothing", async () => {
    for (const [answer, error] of [
      [Buffer.alloc(programBytesMax + 1), /too large/u],
      ["another", /has another checksum/u]
    ] as const) {
      const { asked, folder, said, told, restarts } = await machine((response) => void response.end(answer))
      await told({})
      expect(said[0]?.error).toMatch(error)
      expect([asked.length, readdirSync(folder), restarts()]).toEqual([1, [], 0])
    }
  })

  it("that comes while another is loaded is not looked at", async () => {
    let finish: (() => void) | undefined
    const { asked, told, restarts } = await machine((response) => {
      finish = () => void response.end(program)
      void told({ sha256: "ab".repeat(32), url: "/another" }).then(() => finish?.())
    })
    await told({})
    expect([asked, restarts()]).toEqual([[`/daemon/${sha256}/hub-daemon.mjs`], 1])
  })

  it("waits for a durable command, which the end of its daemon would break off", async () => {
    const { folder, hub: address } = await machine()
    let restarts = 0
    const updates = { folder, hub: address, restart: () => void restarts++ }
    const { rig, clock, hub } = await startAdmitted({ updates })
    onTestFinished(() => rig.close())
    const command = { id: "d1", type: "terminal_exec", payload: { command: "sleep 1000" }, deadlineMs: 3_600_000 }
    hub.send("command", { ...command, durable: true })
    hub.send("update", { version: "9.0.0", url: "/program", sha256, deadlineMs: 900_000 })
    await until("it waits, or ends", () => restarts > 0 || clock.waits().includes(busyLookMillis))
    expect(restarts).toBe(0)
    hub.send("command_cancel", { id: "d1" })
    await hub.saw("command_result", ({ id }) => id === "d1")
    await until("the daemon ends", () => {
      clock.advance(busyLookMillis)
      return restarts === 1
    })
  })

  it("that the end of its daemon breaks off has not failed", async () => {
    let stop = (): void => undefined
    const rig = await machine(() => stop())
    stop = () => rig.updates.stop()
    await rig.told({})
    expect([rig.asked.length, rig.said, rig.restarts()]).toEqual([1, [], 0])
  })

  it("that cannot be put in place leaves the program that runs on no trial", async () => {
    const { folder, said, told, restarts } = await machine()
    mkdirSync(join(folder, "current.new"))
    await told({})
    expect(said).toHaveLength(1)
    expect([existsSync(join(folder, "trial")), restarts()]).toEqual([false, 0])
  })

  it("that its daemon cannot note as let in is noted once it can, and is good then", async () => {
    const clock = virtualClock()
    const { folder, updates } = await machine(undefined, clock)
    writeFileSync(join(folder, "trial"), "")
    mkdirSync(join(folder, "admitted.new"))
    updates.admitted()
    rmdirSync(join(folder, "admitted.new"))
    clock.advance(busyLookMillis + updateProvenMillis)
    expect(readdirSync(folder)).toEqual(["admitted"])
  })

  it("that was put back, or is good, ends no daemon where the file that says so cannot be removed", async () => {
    const clock = virtualClock()
    const { folder, said, updates } = await machine(undefined, clock, () => cannotBeRemoved("failed"))
    const cannotBeRemoved = (name: string): void => {
      rmSync(join(folder, name))
      mkdirSync(join(folder, name))
    }
    for (const name of ["failed", "trial"]) writeFileSync(join(folder, name), "releases/x\nended with code 1\n")
    updates.admitted()
    cannotBeRemoved("trial")
    clock.advance(updateProvenMillis)
    expect(said).toMatchObject([{ error: "the new program ended with code 1" }])
  })
})
