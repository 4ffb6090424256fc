/** `hub demo`, from the first process it starts to the last it ends. It brings its own embedded database. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { curl } from "../../daemon/demo/caller.ts"
import { root } from "../support/root.ts"
import { until } from "../support/until.ts"

const patienceMillis = 240_000

describe("hub demo", () => {
  it(
    "walks every daemon and shortcut endpoint, exits with 0 and leaves nothing behind",
    async () => {
      const child = spawn(process.execPath, [join(root, "src/main.ts"), "demo"], { env: { TMPDIR: tmpdir() } })
      let said = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (chunk) => {
          said += chunk
        })
      }
      const [code] = await once(child, "close")
      expect(code, said).toBe(0)
      const id = `dmn_[0-9a-z]{20}`
      for (const [method, path] of [
        ["GET", `/daemons`],
        ["GET", `/daemons/${id}/status`],
        ["POST", `/daemons/${id}/command`],
        ["POST", `/daemons/${id}/terminal`],
        ["POST", `/daemons/${id}/disconnect`],
        ["POST", `/daemons/${id}/revoke`],
        ["POST", `/shortcuts/${id}/launch`],
        ["POST", `/shortcuts/${id}/stop`],
        ["POST", `/shortcuts/${id}:acp:sample-agent/chat`],
        ["GET", `/shortcuts/${id}:acp:sample-agent/chat`],
        ["GET", `/shortcuts/${id}:acp:sample-agent/chat/debug`],
        ["POST", `/shortcuts/${id}:acp:sample-agent/chat/debug`],
        ["POST", `/shortcuts/${id}:acp:sample-agent/approve`],
        ["GET", `/shortcuts/${id}:acp:sample-agent/status`]
      ]) {
        const body = method === "POST" ? " --json '" : "\n"
        expect(said).toMatch(new RegExp(`^\\$ curl -s "\\$HUB/api/v1${path}" -H "[^"]+"${body}`, "mu"))
      }
      const folder = /its data in (\S+)/u.exec(said)?.[1]
      expect([folder !== undefined, existsSync(String(folder))]).toEqual([true, false])
    },
    patienceMillis
  )

  it("that is interrupted makes no more calls, says nothing of a failure, cleans up and exits with 130", async () => {
    const child = spawn(process.execPath, [join(root, "src/main.ts"), "demo"], { env: { TMPDIR: tmpdir() } })
    let said = ""
    let complained = ""
    child.stdout.on("data", (chunk) => {
      said += chunk
    })
    child.stderr.on("data", (chunk) => {
      complained += chunk
    })
    const closed = once(child, "close")
    await until("a call", () => said.includes("# Read the chat"))
    child.kill("SIGINT")
    expect((await closed)[0]).toBe(130)
    expect([complained, existsSync(String(/its data in (\S+)/u.exec(said)?.[1]))]).toEqual(["", false])
    expect(said).not.toContain("# Stop the agent")
  })

  it("exits with 2 and says how it is called when it is called otherwise", async () => {
    const child = spawn(process.execPath, [join(root, "src/main.ts"), "demo", "--loop"], { env: { TMPDIR: tmpdir() } })
    expect((await once(child, "close"))[0]).toBe(2)
  })

  it("shows calls as they may be typed, quotes included", () => {
    expect(curl({ path: "/x", body: { say: "it's" } })).toBe(
      `curl -s "$HUB/x" -H "Authorization: Bearer $KEY" --json '{"say":"it'\\''s"}'`
    )
    expect(curl({ path: "/x", as: "none" })).toBe('curl -s "$HUB/x"')
  })
})
