/** `hub-daemon run`, the daemon as a program of its own: that its process ends with it, and with nothing else. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { startFakeHub } from "../support/fake-hub.ts"
import { testProvider } from "../support/reference-daemon.ts"
import { root } from "../support/root.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { useStarted } from "../support/use-started.ts"

const hub = useStarted(() => startFakeHub(), "test")

const run = (log: "ignore" | number, ...words: ReadonlyArray<string>) => {
  const all = [join(root, "daemon/program.ts"), "run", "--url", hub.url, "--token", "t", ...words]
  const child = spawn(process.execPath, all, { stdio: ["ignore", "ignore", log] })
  onTestFinished(() => void child.kill("SIGKILL"))
  return child
}

it("hub-daemon goes on where its log cannot be written", async () => {
  const full = openSync("/dev/full", "w")
  onTestFinished(() => closeSync(full))
  const child = run(full)
  const connection = await hub.connection(1)
  expect(await connection.ask({ type: "terminal_exec", payload: { command: "true" } })).toMatchObject({ success: true })
  child.kill("SIGTERM")
  expect(await once(child, "exit")).toEqual([0, null])
})

it("hub-daemon ends on SIGTERM, whatever holds the output of its agent", async () => {
  const folder = testFolder("program")
  const [providers, left] = [join(folder, "providers.json"), join(folder, "left")]
  const { command, args, ...provider } = testProvider()
  const shell = `setsid sleep 600 & echo $! > ${left}; exec "$0" "$@"`
  writeFileSync(providers, JSON.stringify([{ ...provider, command: "/bin/sh", args: ["-c", shell, command, ...args] }]))
  const child = run("ignore", "--providers", providers)
  onTestFinished(() => void process.kill(Number(readFileSync(left, "utf8")), "SIGKILL"))
  const connection = await hub.connection(1)
  expect(await connection.ask({ type: "launch_cli", payload: { cliType: "tester" } })).toMatchObject({ success: true })
  child.kill("SIGTERM")
  expect(await once(child, "exit")).toEqual([0, null])
})
