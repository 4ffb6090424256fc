/** The daemon in Python before a hub of a few lines: one that restarts, and a command whose time is over. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { startFakeHub } from "../support/fake-hub.ts"
import { isAlive } from "../support/reference-daemon.ts"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { useStarted } from "../support/use-started.ts"
import { pythonMissing, startProgram } from "./program.ts"

const hub = useStarted(() => startFakeHub(), "test")
const start = () => {
  const url = hub.url.replace("ws", "http").replace("/api/v1/daemons/connect", "")
  return startProgram("python3", "daemon-python/daemon.py", [url], { HUB_TOKEN: "hubd_x" })
}

/** Its hub asks it to come back after so long, while a command runs. */
const askedBack = async (afterMs: number) => {
  const folder = testFolder("python")
  const program = start()
  const connection = await hub.connection(1)
  const payload = { command: "until test -e go; do sleep 0.01; done; echo done", cwd: folder }
  const answer = connection.ask({ type: "terminal_exec", payload })
  connection.send("reconnect", { afterMs })
  return { program, ...connection, answer, go: () => writeFileSync(join(folder, "go"), "") }
}

describe.skipIf(pythonMissing)("the daemon in Python", () => {
  it("P61: stays at its slot as long as a command has no answer", async () => {
    const { program, answer, go, saw } = await askedBack(1)
    await saw("status_report") // two seconds later
    go()
    expect(await answer).toMatchObject({ success: true, result: { stdout: "done\n" } })
    await program.kill()
  })

  it("keeps away as long as it is told, also where its slot is sooner", async () => {
    const { program, socket, answer, go } = await askedBack(60_000)
    go()
    await answer
    socket.close(4423, JSON.stringify({ afterMs: 3_600_000 }))
    await program.until("again in 3600.0 s")
    await program.kill()
  })

  it("ends at once where its slot is far", async () => {
    const { program, answer, go } = await askedBack(3_600_000)
    go()
    await answer
    await program.kill()
    expect(await program.ended).toBe(0)
  })

  it("ends all that a command has started when its time is over, also what is deaf to SIGTERM", async () => {
    const program = start()
    const { ask } = await hub.connection(1)
    const payload = { command: "trap '' TERM; sleep 600 & echo $!; trap - TERM; exec sleep 600" }
    const deaf = await until("it has begun in time", async () => {
      const { result } = await ask({ type: "terminal_exec", payload, deadlineMs: 500 })
      return Number((result as { stdout: string }).stdout) || undefined
    })
    await until("it is gone", () => !isAlive(deaf))
    await program.kill()
  })
})
