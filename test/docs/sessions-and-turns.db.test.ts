/** The samples of docs/sessions-and-turns.md compile, and do with a whole hub what the page says. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { ownedDaemon, reported } from "../support/connected-daemon.ts"
import { DaemonLogs } from "../support/daemon-logs.ts"
import { useHub } from "../support/hub.ts"
import { root } from "../support/root.ts"
import { until } from "../support/until.ts"

const page = readFileSync(join(root, "docs/sessions-and-turns.md"), "utf8")
const names = [...page.matchAll(/```ts (\w+)\n/gu)].map(([, name]) => name!)
const samples = [...page.matchAll(/```ts \w+\n([\s\S]*?)```/gu)].map(([, text]) => text!).join("\n")

/** All of them, for one caller. */
const samplesFor = (hub: string, key: string) =>
  new Function("hub", "key", `${stripTypeScriptTypes(samples)}\nreturn { ${names.join(", ")} }`)(hub, key)

it("the samples of the page compile together, without further declarations", () => {
  const folder = mkdtempSync(join(tmpdir(), "hub-samples-"))
  const file = join(folder, "samples.ts")
  writeFileSync(file, `declare const hub: string, key: string\n${samples}\nexport { ${names.join(", ")} }\n`)
  const words = ["--noEmit", "--strict", "--target", "es2024", "--lib", "es2024,dom,dom.asynciterable"]
  try {
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), ...words, file], {
      cwd: folder,
      encoding: "utf8",
      stdio: "pipe"
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
  expect(names).toEqual(["turn", "settle", "approve", "follow", "run"])
})

describe("a sample of the page", () => {
  const hub = useHub()

  /** A daemon whose session `s1` asks to push. */
  const connected = async () => {
    const mine = await ownedDaemon(hub)
    const activeModal = { promptId: "prompt-2", message: "Push?", buttons: ["Yes", "No"] }
    const auth = { capabilities: ["session_log", "durable_commands"] }
    const peer = await mine.connect({ auth, report: [reported("s1", { status: "waiting_approval", activeModal })] })
    const logs = new DaemonLogs(peer.send)
    peer.socket.on("message", (bytes) => {
      const { type, data } = JSON.parse(bytes.toString())
      // its log is there before the caller hears of the command
      if (type === "command" && data.type === "terminal_exec") logs.begin(data.id, "log-1", "command")
      logs.take({ type, data })
    })
    const target = `${mine.daemonId}:session:s1`
    const status = `/api/v1/shortcuts/${target}/status`
    await until("the session is known", async () => (await mine.get(status)).status === 200)
    return { ...mine, peer, logs, target, samples: samplesFor(hub.url, mine.key) }
  }

  it("approves what was seen, and nothing else", async () => {
    const { peer, target, samples } = await connected()
    expect(await samples.approve(target, { promptId: "prompt-1" })).toBe("changed")
    const done = samples.approve(target, { promptId: "prompt-2" })
    ;(await peer.nextCommand()).succeed({})
    expect(await done).toBe("done")
  })

  it("follows a session up to what it waits for, and goes on at the place that it gave", async () => {
    const { logs, daemonId, samples } = await connected()
    logs.begin("s1", "log-1")
    for (const text of ["One", "Two", "Three"]) logs.happen("s1", "message", { messageId: text, role: "agent", text })
    const log = `/api/v1/daemons/${daemonId}/sessions/s1/events`
    const seen: Array<string> = []
    const upTo = (text: string) => (_: string, data: { readonly text: string }) => {
      seen.push(data.text)
      return data.text === text
    }
    const place = await samples.follow(log, "0", upTo("Two"))
    await samples.follow(log, place, upTo("Three"))
    expect(seen).toEqual(["One", "Two", "Three"])
  })

  it("runs a long command: shows its output while it is written, and gives its result", async () => {
    const { logs, peer, daemonId, samples } = await connected()
    let output = ""
    const done = samples.run(daemonId, "make", (text: string) => {
      output += text
    })
    const sent = await peer.nextCommand()
    const log = { kind: "command", id: sent.id }
    for (const text of ["1\n", "2\n"]) logs.happenIn(log, "output", { stream: "stdout", text })
    await until("it is shown", () => output === "1\n2\n")
    const result = { exitCode: 0, stdout: output, stderr: "", durationMs: 5 }
    sent.succeed(result)
    logs.happenIn(log, "exit", { exitCode: 0 })
    expect(await done).toMatchObject({ state: "succeeded", result })
  })
})
