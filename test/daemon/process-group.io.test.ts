/** The groups of processes that a daemon starts. */
import { spawnSync } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { realClock } from "../../daemon/clock.ts"
import { endGroup, startGroup } from "../../daemon/process-group.ts"
import { root } from "../support/root.ts"

it("a program for which there are no file descriptors is not started, and the error says so", () => {
  const script = `import { openSync } from "node:fs"
    import { startGroup } from ${JSON.stringify(join(root, "daemon/process-group.ts"))}
    try { for (;;) openSync("/dev/null") } catch {}
    try { startGroup("true", [], { stdio: ["ignore", "pipe", "pipe"] }) } catch ({ message }) { console.log(message) }`
  const words = ["-c", 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, script]
  expect(spawnSync("sh", words, { encoding: "utf8" }).stdout).toBe("there are no file descriptors left\n")
})

it("a group whose leader has ended is signalled no more: its number may be another's", async () => {
  const child = startGroup("/bin/sh", ["-c", "exit 3"], { stdio: "ignore" })
  await once(child, "exit")
  const kill = vi.spyOn(process, "kill").mockReturnValue(true)
  await endGroup(child, realClock)
  expect(kill.mock.calls).toEqual([])
  kill.mockRestore()
})
