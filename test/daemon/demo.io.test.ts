/** `hub demo`, from the first process it starts to the last it ends. It brings its own embedded database. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { describe, expect, it } from "vitest"
import { curl } from "../../daemon/demo/caller.ts"
import { hubProgram } from "../support/hub-program.ts"
import { inHaste } from "../support/run-sizes.ts"
import { longPatienceMillis, until } from "../support/until.ts"

/** Has a process stop, as by Ctrl-Z, once it has written this. */
const stopsAt = (words: string): string => {
  const script = `const { write } = process.stdout
    process.stdout.write = (...given) => {
      const taken = Reflect.apply(write, process.stdout, given)
      if (String(given[0]).includes(${JSON.stringify(words)})) process.kill(process.pid, "SIGSTOP")
      return taken
    }`
  return `--import=data:text/javascript,${encodeURIComponent(script)}`
}

/** Has a process interrupt itself once a daemon that it started has ended. */
const interruptsItself = (): string => {
  const script = `import { ChildProcess } from "node:child_process"
    const { emit } = ChildProcess.prototype
    ChildProcess.prototype.emit = function (event, ...given) {
      const heard = emit.call(this, event, ...given)
      if (event === "exit" && this.spawnargs[2] === "daemon") process.kill(process.pid, "SIGINT")
      return heard
    }`
  return `--import=data:text/javascript,${encodeURIComponent(script)}`
}

/** Runs it; what it wrote so far to stdout and stderr. */
const demo = (more: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [hubProgram, "demo"], { env: { TMPDIR: tmpdir(), ...more } })
  const said = { out: "", err: "" }
  child.stdout.on("data", (chunk) => {
    said.out += chunk
  })
  child.stderr.on("data", (chunk) => {
    said.err += chunk
  })
  return { child, said, closed: once(child, "close").then(([code]) => code as number | null) }
}

// each waits for a process of its own
describe.concurrent("hub demo", () => {
  it("walks every daemon and shortcut endpoint, exits with 0 and leaves nothing behind", async () => {
    const { said, closed } = demo()
    expect(await closed, said.out + said.err).toBe(0)
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
      const body = method === "POST" ? " -H 'content-type: application/json' -d '" : "\n"
      expect(said.out).toMatch(new RegExp(`^\\$ curl -s "\\$HUB/api/v1${path}" -H "[^"]+"${body}`, "mu"))
    }
    const folder = /its data in (\S+)/u.exec(said.out)?.[1]
    expect([folder !== undefined, existsSync(String(folder))]).toEqual([true, false])
  })

  it.skipIf(inHaste)(
    "that is interrupted makes no more calls, says nothing of a failure, cleans up and exits with 130",
    async () => {
      const { child, said, closed } = demo({ NODE_OPTIONS: stopsAt("# Read the chat") })
      const isStill = () => /\) T /u.test(readFileSync(`/proc/${child.pid}/stat`, "utf8"))
      await until("it stands still at a call", isStill, longPatienceMillis)
      child.kill("SIGINT")
      child.kill("SIGCONT")
      expect(await closed).toBe(130)
      expect([said.err, existsSync(String(/its data in (\S+)/u.exec(said.out)?.[1]))]).toEqual(["", false])
      expect(said.out).not.toContain("# Stop the agent")
    }
  )

  it.skipIf(inHaste)(
    "that is interrupted once all is answered and its daemon has ended cleans up all the same",
    async () => {
      const { said, closed } = demo({ NODE_OPTIONS: interruptsItself() })
      expect([await closed, said.err]).toEqual([0, ""])
      expect(existsSync(String(/its data in (\S+)/u.exec(said.out)?.[1]))).toBe(false)
    }
  )

  it("shows calls as they may be typed, quotes included", () => {
    expect(curl({ path: "/x", body: { say: "it's" } })).toBe(
      `curl -s "$HUB/x" -H "Authorization: Bearer $KEY" -H 'content-type: application/json' -d '{"say":"it'\\''s"}'`
    )
    expect(curl({ path: "/x", as: "none" })).toBe('curl -s "$HUB/x"')
  })
})
