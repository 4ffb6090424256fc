/** Large bodies over real connections, in turns of the event loop that have no more room. */
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { bodyBytesPerTurnMax } from "../../../src/limits/edge.ts"
import { useEdge } from "../../support/edge.ts"
import { openWire } from "../../support/raw-http-connection.ts"
import { until } from "../../support/until.ts"

const Payload = Schema.Struct({ name: Schema.String })
const Uploads = HttpApiGroup.make("uploads").add(
  HttpApiEndpoint.post("echo", "/echo", { payload: Payload, success: Payload }).annotateMerge(
    access({ kind: "public", onHangUp: "cancel" })
  )
)
const routes = { uploads: { echo: ({ payload }: { payload: { name: string } }) => Effect.succeed(payload) } }
const edge = useEdge({}, routes, HttpApi.make("uploads").add(Uploads))

const request = (name: string) => {
  const body = JSON.stringify({ name })
  return `POST /echo HTTP/1.1\r\nhost: h\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

it("large bodies for which a turn of the event loop has no room are read later, whole, and their connections go on", async () => {
  const { exchanges } = edge.edge.server
  const { bodyTurns } = exchanges
  let othersHeld = 0
  const filler = {
    pause: () => {},
    resume: () => {
      othersHeld = Math.max(othersHeld, bodyTurns.size)
      if (othersHeld === 0) bodyTurns.take(filler, bodyBytesPerTurnMax)
    }
  }
  bodyTurns.take(filler, bodyBytesPerTurnMax)
  const names = [..."abcdef"].map((letter) => letter.repeat(900_000))
  const wires = await Promise.all(names.map(() => openWire(edge.url)))
  const leaves = await openWire(edge.url)
  for (const [at, wire] of wires.entries()) wire.write(request(names[at]!))
  leaves.write(request("x".repeat(900_000)))
  await until("a connection is not read", () => othersHeld > 0)
  leaves.destroy()
  for (const [at, wire] of wires.entries()) {
    const answer = await wire.answer()
    expect(answer?.status).toBe(200)
    expect(answer?.body === JSON.stringify({ name: names[at] }), `the body of ${names[at]![0]}`).toBe(true)
    wire.write(request("next"))
    expect(await wire.answer()).toMatchObject({ status: 200, body: JSON.stringify({ name: "next" }) })
    wire.destroy()
  }
  bodyTurns.end(filler)
  await until("nothing is held", () => exchanges.live === 0 && exchanges.bodies.size === 0)
  expect(bodyTurns.size).toBe(0)
})
