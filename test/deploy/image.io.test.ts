/** A hub as the image runs it: process 1, without rights, on a file system that it cannot write; and how it ends. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { constants } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { hubProgram } from "../support/hub-program.ts"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { containedHub, containedMissing, endContainedHubs } from "./contained-hub.ts"

describe.skipIf(containedMissing)("a hub that is process 1", () => {
  const daemons: Array<ChildProcess> = []
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) {
      const gone = once(daemon, "exit")
      daemon.kill("SIGKILL")
      await gone
    }
    await endContainedHubs()
  })

  const dataDir = testFolder("contained")
  /** What the daemon keeps of having joined. */
  const state = join(testFolder("state"), "daemon.json")
  /** The first credentials, which the first start shows. */
  let key = ""
  let joinKey = ""

  const started = async () => {
    const hub = await containedHub(dataDir, { HUB_DRAIN: "20s", HUB_RATE_KEY_PER_MINUTE: "1000000" })
    const shown = readFileSync(join(dataDir, "first-start.txt"), "utf8")
    key ||= /hub_\w{36}/u.exec(shown)![0]
    joinKey ||= /hubj_\w{36}/u.exec(shown)![0]
    const ask = (path: string, body?: unknown) =>
      fetch(`${hub.url}/api/v1/daemons${path}`, {
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body !== undefined && { method: "POST", body: JSON.stringify(body) })
      })
    // the hub's next start has another port, and the key is good for one machine
    const env = existsSync(state)
      ? { HUB_TOKEN: JSON.parse(readFileSync(state, "utf8")).token as string }
      : { HUB_JOIN_KEY: joinKey }
    const args = ["daemon", "--url", hub.url, "--state", state]
    const daemon = spawn(process.execPath, [hubProgram, ...args], {
      env: { PATH: process.env["PATH"], ...env },
      stdio: ["ignore", "ignore", "pipe"]
    })
    daemons.push(daemon)
    let said = ""
    daemon.stderr.setEncoding("utf8").on("data", (text) => {
      said += text
    })
    // its own word: in the list it is online for a while after the hub before was ended
    const id = await until("the daemon is connected", () => / connected daemonId=(\S+)/u.exec(said)?.[1])
    /** A command that waits for a file, and has begun: it answers once the file is there. */
    const begun = async (name: string): Promise<{ release: string; answer: Promise<Response> }> => {
      const file = join(testFolder(name), "begun")
      const command = `touch ${file}; until [ -e ${file}.end ]; do sleep 0.05; done; echo done`
      const answer = ask(`/${id}/terminal`, { command })
      answer.catch(() => {})
      await until("the command has begun", () => existsSync(file))
      return { release: `${file}.end`, answer }
    }
    return { hub, begun }
  }

  it("has no capability, writes nothing but its data folder, shares that with none, and drains to an end with 0", async () => {
    const { hub, begun } = await started()
    expect(hub.status("NSpid")).toMatch(/\t1$/u)
    expect(hub.status("Uid")).toBe("1000\t1000\t1000\t1000")
    for (const set of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) expect(hub.status(set)).toMatch(/^0+$/u)
    expect(hub.status("NoNewPrivs")).toBe("1")
    for (const path of ["/", "/tmp", "/var/tmp", root]) expect(hub.may("-w", path), path).toBe(false)
    expect(hub.may("-w", dataDir)).toBe(true)
    // another container's process 1
    const refusal = /ended with 1: .*in use by process 1 of another container/su
    await expect(containedHub(dataDir, {})).rejects.toThrow(refusal)

    const { release, answer } = await begun("drained")
    hub.signal("SIGTERM")
    await until("it drains", () => hub.said().includes('"message":"draining"'))
    writeFileSync(release, "")
    const answered = await answer
    expect(answered.status).toBe(200)
    expect(await answered.json()).toMatchObject({ result: { exitCode: 0, stdout: "done\n" } })
    expect(await hub.ended).toBe(0)
  })

  it("ends at once of a second signal, though the kernel lets process 1 live", async () => {
    const { hub, begun } = await started()
    const { release, answer } = await begun("cut-off")
    hub.signal("SIGTERM")
    await until("it drains", () => hub.said().includes('"message":"draining"'))
    hub.signal("SIGTERM")
    expect(await hub.ended).toBe(128 + constants.signals.SIGTERM)
    await expect(answer).rejects.toThrow()
    // the command's shell outlives its daemon
    writeFileSync(release, "")
  })
})
