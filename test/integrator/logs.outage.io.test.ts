/** `hub logs tail` while the hub fails for a while: a server of a few answers. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { testFolder } from "../support/temporary-folder.ts"
import { until } from "../support/until.ts"
import { integratorCommands } from "./integrator-commands.ts"

const { start } = integratorCommands(() => testFolder("profiles"))

const startServer = async () => {
  let answer = { status: 200, requests: [] as ReadonlyArray<object> }
  let asked = 0
  const server = createServer((_, response) => {
    asked++
    response.writeHead(answer.status, { "content-type": "application/json" })
    response.end(
      JSON.stringify({ requests: answer.requests, omitted: 0, reason: "INTERNAL", error: "no", requestId: "r" })
    )
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    answers: (status: number, requests: ReadonlyArray<object> = []) => {
      answer = { status, requests }
    }
  }
}

it("says once that the hub fails, and shows what came meanwhile; what is refused ends it", async () => {
  const server = await startServer()
  const tail = start("logs", ["tail", "--json"], { HUB_URL: server.url, HUB_KEY: "hub_any" })
  await until("it follows", () => tail.complained.length === 1)
  const before = server.asked()
  server.answers(500)
  await until("it is asked twice", () => server.asked() >= before + 2)
  server.answers(200, [{ id: "lrq_1", at: 1 }])
  await until("what is new is shown", () => tail.said.length === 1)
  expect(tail.complained.slice(1)).toEqual([expect.stringMatching(/500 INTERNAL.*; it is asked again$/u)])
  server.answers(403)
  expect(await tail.ended).toBe(1)
  expect(tail.said).toHaveLength(1)
})
