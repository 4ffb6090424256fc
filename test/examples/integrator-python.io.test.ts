/** The integrator in Python before a hub, or a proxy, that breaks off or sends it elsewhere. */
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { pythonMissing, startProgram } from "./program.ts"

type Answer = RequestListener

/** Answers in this order; what comes then is answered that there is nothing. */
const follower = async (...answers: ReadonlyArray<Answer>) => {
  const asked: Array<string> = []
  const server = createServer((request, response) => {
    asked.push(`${request.url} ${request.headers["last-event-id"] ?? ""}`.trim())
    const next = answers[asked.length - 1]
    if (next === undefined) response.writeHead(404).end('{"reason": "NOT_FOUND"}')
    else next(request, response)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const program = startProgram("python3", "integrator-python/integrator.py", [url, "true", "--follow"], {
    HUB_KEY: "hub_x"
  })
  onTestFinished(async () => {
    await program.kill("SIGKILL")
    server.closeAllConnections()
    server.close()
  })
  return { program, asked }
}

const none: Answer = (_, response) => void response.end('{"daemons": []}')
const breaksOff: Answer = (_, response) => {
  response.writeHead(200, { "content-length": 100 })
  response.write('{"daemons": [', () => response.destroy())
}
const event =
  (id: number): Answer =>
  (_, response) =>
    void response.write(`id: ${id}\nevent: event-${id}\ndata: {}\n\n`, () => response.destroy())
const [list, events] = ["/api/v1/daemons?limit=100&include=offline", "/api/v1/events?"]

describe.skipIf(pythonMissing)("the integrator in Python", () => {
  it("calls again where an answer breaks off in its body", async () => {
    const { program, asked } = await follower(breaksOff, none)
    await program.ended
    expect(asked).toEqual([list, list, events])
  })

  it("goes on behind the last event where the stream breaks off", async () => {
    const { program, asked } = await follower(none, event(1), event(2))
    await program.ended
    expect(program.said()).toMatch(/^event-1 *\nevent-2/u)
    expect(asked).toEqual([list, events, `${events} 1`, `${events} 2`])
  })

  it("waits where a proxy tells it when by a date", async () => {
    const busy: Answer = (_, response) =>
      void response.writeHead(503, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }).end()
    const { program, asked } = await follower(busy, none)
    await program.ended
    expect(asked).toEqual([list, list, events])
  })

  it("follows no redirect, which would carry its key to another", async () => {
    const { program, asked } = await follower((_, response) => void response.writeHead(307, { location: "/x" }).end())
    await program.ended
    expect(asked).toEqual([list])
    expect(program.said()).toMatch(/^307/u)
  })
})
