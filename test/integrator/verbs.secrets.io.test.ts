/** What makes a secret, whose answer is lost on the way: a server that answers no such call. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { testFolder } from "../support/temporary-folder.ts"
import { integratorCommands } from "./integrator-commands.ts"

const { run } = integratorCommands(() => testFolder("profiles"))

it.each([
  ["joinkey", ["create", "build"]],
  ["invitation", ["create", "a@example.org"]],
  ["service-account", ["key", "sva_1"]],
  ["webhook", ["create", "https://example.org", "--event", "*"]],
  ["webhook", ["rotate", "whk_1"]],
  ["trigger", ["daemon:connect"]]
] as const)("hub %s %j is not repeated: the repeat would lack the secret", async (command, args) => {
  const made: Array<string | undefined> = []
  const server = createServer((request, answer) => {
    if (request.url === "/api/v1/auth/login")
      return answer
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ token: "t", account: { id: "acc" } }))
    made.push(request.headers["idempotency-key"] as string | undefined)
    return request.socket.destroy()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close().closeAllConnections())
  const env = { HUB_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, HUB_KEY: "hub_any" }
  const { code, said } = await run(command, args, env, ["a@example.org", "correct horse"], true)
  expect([code, said, made]).toEqual([1, [], [undefined]])
})
