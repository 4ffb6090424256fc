/** docs/daemon-protocol.md: updates, of the reference daemon in processes of its own, under its launcher. */
import { spawn } from "node:child_process"
import { hash } from "node:crypto"
import { once } from "node:events"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { Rollouts } from "../../../actors/daemon-versions/rollouts.ts"
import { launcherText } from "../../../daemon/install/launcher.ts"
import { startHub } from "../../support/hub.ts"
import { root } from "../../support/root.ts"
import { testFolder } from "../../support/temporary-folder.ts"
import { until } from "../../support/until.ts"

/** The daemon from its sources, as a program that says it is of this version. */
const programOf = (version: string): string =>
  `process.env.HUB_DAEMON_VERSION = "${version}"; await import("${join(root, "daemon/program.ts")}")`

/** A machine whose daemon is of version 1.0.0, and a hub that serves this program as version 9.0.0. */
const scene = async (program: string, sha256 = hash("sha256", program, "hex")) => {
  const release = { version: "9.0.0", sha256, minNode: "20.12", program: Buffer.from(program) }
  const hub = await startHub({ release })
  onTestFinished(() => hub.close())
  const { account, session } = await hub.signedIn()
  const { daemonId, token } = await account.daemonToken()
  const folder = testFolder("machine")
  const updates = join(folder, "program")
  mkdirSync(updates)
  writeFileSync(join(folder, "hub-daemon.mjs"), programOf("1.0.0"))
  writeFileSync(join(folder, "launch.sh"), launcherText)
  const words = [join(folder, "launch.sh"), process.execPath, folder, updates, "--url", hub.url]
  const child = spawn("/bin/sh", words, { env: { PATH: process.env["PATH"], HUB_TOKEN: token }, stdio: "ignore" })
  const ended = once(child, "close")
  onTestFinished(async () => {
    child.kill("SIGTERM")
    await ended
  })
  const status = async () => (await hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { session })).body
  const shows = (what: string, is: (status: { version: string; update: Record<string, unknown> }) => boolean) =>
    until(what, async () => {
      await hub.inside(Effect.flatMap(Rollouts, ({ round }) => round))
      const now = await status()
      return now.online === true && is(now) ? now : undefined
    })
  await shows("the daemon is here", ({ version }) => version === "1.0.0")
  await hub.request("PUT", "/api/v1/daemon-versions/all", { session, body: { version: "hub" } })
  return { shows, has: (name: string) => existsSync(join(updates, name)) }
}

describe("the daemon under its launcher", () => {
  it("P124: loads the program that the hub names, and comes back with its version", async () => {
    const { shows, has } = await scene(programOf("9.0.0"))
    const { update } = await shows("it is back", ({ version }) => version === "9.0.0")
    expect(update).toMatchObject({ state: "updating" })
    // on trial until it has run on for a while
    await until("it is let in", () => has("admitted"))
    expect(has("trial")).toBe(true)
  })

  it("P124: runs nothing of a program whose checksum is another, and says so", async () => {
    const { shows, has } = await scene(programOf("9.0.0"), "ab".repeat(32))
    const { version, update } = await shows("it has failed", (now) => now.update?.["state"] === "failed")
    expect([version, update["reason"]]).toEqual(["1.0.0", "the program that came has another checksum"])
    expect(has("current")).toBe(false)
  })

  it("P125: is put back to what it was where the new program ends, and says which it was", async () => {
    const { shows, has } = await scene("process.exit(3)")
    const { version, update } = await shows("it has failed", (now) => now.update?.["state"] === "failed")
    expect([version, update["reason"]]).toEqual(["1.0.0", "the new program ended with code 3"])
    expect(has("current")).toBe(false)
  })
})
