/** An agent that did not give up its turn, while it is started anew. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { interruptMillis } from "../../daemon/limits.ts"
import { isAlive, startAdmitted, testProvider } from "../support/reference-daemon.ts"
import { until } from "../support/until.ts"

it("an agent that is stopped while it is started anew leaves no program behind", async () => {
  const { rig, clock, hub, base } = await startAdmitted({
    providers: (folder) => {
      const pid = join(folder, "pid")
      const shell = `if [ -e ${pid} ]; then echo $$ > ${pid}; exec sleep 1000; fi; touch ${pid}; exec "$0" "$@"`
      const { command, args, ...provider } = testProvider()
      return [{ ...provider, command: "/bin/sh", args: ["-c", shell, command, ...args] }]
    }
  })
  onTestFinished(() => rig.close())
  await hub.ask({ type: "launch_cli", payload: { cliType: "tester" } })
  await hub.ask({ type: "send_chat", payload: { message: "deaf" } })
  await hub.ask({ type: "interrupt" })
  clock.advance(interruptMillis)
  const second = await until("it is started anew", () => {
    clock.advance(20)
    return Number(readFileSync(join(base, "pid"), "utf8")) || undefined
  })
  expect(isAlive(second)).toBe(true)
  const answers = hub.frames.length
  void hub.ask({ type: "stop_cli", payload: { cliType: "tester" } })
  const stopped = await until("it is stopped", () => {
    clock.advance(20)
    return hub.frames.slice(answers).find(({ type }) => type === "command_result")?.data
  })
  expect(stopped["success"]).toBe(true)
  await until("it is ended", () => !isAlive(second))
})
