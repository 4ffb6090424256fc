/** The program of an agent, and what of it a daemon holds. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { isAlive, startAdmitted, testProvider } from "../support/reference-daemon.ts"
import { until } from "../support/until.ts"

/** The pipes and sockets that are open: where each leads. */
const open = (): ReadonlySet<string> =>
  new Set(
    readdirSync("/proc/self/fd").flatMap((file) => {
      try {
        return /^(?:pipe|socket):.*/u.exec(readlinkSync(`/proc/self/fd/${file}`)) ?? []
      } catch {
        return []
      }
    })
  )

it("an agent that has ended holds no descriptor of the daemon, whatever it left behind holds its output", async () => {
  const { rig, clock, hub, base } = await startAdmitted({
    providers: (folder) => {
      const { command, args, ...provider } = testProvider()
      const shell = `setsid sleep 600 & echo $! > ${join(folder, "left")}; exec "$0" "$@"`
      return [{ ...provider, command: "/bin/sh", args: ["-c", shell, command, ...args] }]
    }
  })
  onTestFinished(() => rig.close())
  const before = open()
  await hub.ask({ type: "launch_cli", payload: { cliType: "tester" } })
  const left = Number(readFileSync(join(base, "left"), "utf8"))
  onTestFinished(() => void process.kill(left, "SIGKILL"))
  const its = [...open()].filter((one) => !before.has(one))
  expect(its.length).toBeGreaterThan(2)
  hub.send("command", { id: "stop", type: "stop_cli", payload: { cliType: "tester" }, deadlineMs: 60_000 })
  await until("its descriptors are closed", () => {
    clock.advance(20)
    const now = open()
    return !its.some((one) => now.has(one))
  })
  expect(isAlive(left)).toBe(true)
})
