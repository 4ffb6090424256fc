/** A job that is followed from a node that does not learn of its end: a server of a few answers. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { integratorCommands } from "./integrator-commands.ts"

it("hub job --follow ends with the job, also where no event of its end comes", async () => {
  let state = "running"
  const looks: Array<string> = []
  const server = createServer(({ url = "" }, answer) => {
    if (url.startsWith("/api/v1/events")) {
      answer.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      return
    }
    looks.push(state)
    const counts = { pending: state === "running" ? 1 : 0, succeeded: state === "running" ? 0 : 1 }
    answer.writeHead(200, { "content-type": "application/json" })
    answer.end(JSON.stringify({ jobId: "job_1", state, targets: 1, counts }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  const waiting: Array<() => void> = []
  const pause = () => new Promise<void>((resolve) => waiting.push(resolve))
  const { start } = integratorCommands(() => testFolder("profiles"), pause)
  const env = { HUB_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, HUB_KEY: "hub_any" }
  const { ended, said } = start("job", ["show", "job_1", "--follow"], env)
  await until("it follows, and has looked once more", () => looks.length === 2 && waiting.length === 1)
  state = "completed"
  waiting[0]!()
  expect(await ended).toBe(0)
  expect(said).toEqual(["job_1 completed: 1 succeeded"])
})
