/** The groups of processes that a daemon starts. */
import { once } from "node:events"
import { expect, it, vi } from "vitest"
import { realClock } from "../../daemon/clock.ts"
import { endGroup, startGroup } from "../../daemon/process-group.ts"

it("a group whose leader has ended is signalled no more: its number may be another's", async () => {
  const child = startGroup("/bin/sh", ["-c", "exit 3"], { stdio: "ignore" })
  await once(child, "exit")
  const kill = vi.spyOn(process, "kill").mockReturnValue(true)
  await endGroup(child, realClock)
  expect(kill.mock.calls).toEqual([])
  kill.mockRestore()
})
