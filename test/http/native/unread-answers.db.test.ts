/** Large unread answers over real connections: how many wait, which are cut off, and that other readers get theirs. */
import { connect, type Socket } from "node:net"
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { afterAll, describe, expect, it } from "vitest"
import { access } from "../../../http/api/access.ts"
import { Answer } from "../../../http/pipeline/response.ts"
import { unreadAnswersBytesPerOwnerMax } from "../../../src/limits.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { useEdge } from "../../support/edge.ts"
import { until } from "../../support/until.ts"
import { turns } from "../../support/virtual-hub-clock.ts"

/** More than the system takes for a reader that does not read. */
const large = new Uint8Array(unreadAnswersBytesPerOwnerMax / 4)
const small = new Uint8Array(32_768)
const askedBytes = 256 * 1_048_576
const open = access({ kind: "public", onHangUp: "cancel" })
const Large = HttpApiGroup.make("large").add(
  HttpApiEndpoint.get("large", "/large", { success: Schema.String }).annotateMerge(open),
  HttpApiEndpoint.get("small", "/small", { success: Schema.String }).annotateMerge(open)
)

describe("a connection whose answers are not read", () => {
  let served = 0
  const answered = () =>
    Effect.sync(() => {
      served++
      return new Answer(200, [], small)
    })
  const edge = useEdge({}, { large: { small: answered } }, HttpApi.make("kept").add(Large))

  it("is ended by the next request once the system takes no more, however small each answer is", async () => {
    const { hostname, port } = new URL(edge.url)
    const socket = connect(Number(port), hostname)
      .pause()
      .on("error", () => {})
    // more than any system takes: it is ended long before that
    for (let nth = 0; nth * small.byteLength < askedBytes && !socket.destroyed; nth++) {
      socket.write("GET /small HTTP/1.1\r\nHost: hub\r\n\r\n")
      await turns()
    }
    expect([served > 0, socket.destroyed]).toEqual([true, true])
    await until("nothing waits", () => edge.edge.server.exchanges.live === 0)
    expect(edge.edge.server.exchanges.answers.size).toBe(0)
  })
})

describe("an address that reads none of its large answers", () => {
  const routes = { large: { large: () => Effect.sync(() => new Answer(200, [], large)) } }
  const edge = useEdge({}, routes, HttpApi.make("unread").add(Large))
  const sockets: Array<Socket> = []
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
  })

  const ask = (localAddress: string): Socket => {
    const { hostname, port } = new URL(edge.url)
    const socket = connect({ host: hostname, port: Number(port), localAddress }).pause()
    sockets.push(socket)
    socket.on("error", () => {})
    socket.write("GET /large HTTP/1.1\r\nHost: hub\r\n\r\n")
    return socket
  }
  const exchanges = () => edge.edge.server.exchanges

  it("has its oldest reader cut off for one more than its share, and keeps nobody else from theirs", async () => {
    const before = counted("hub_answers_cut_total")
    for (let nth = 1; nth <= 4; nth++) {
      ask("127.0.0.2")
      await until("it waits", () => exchanges().answers.size === nth * large.byteLength)
    }
    ask("127.0.0.2")
    await until("one is cut off", () => counted("hub_answers_cut_total") === before + 1)
    await until("it is gone", () => exchanges().live === 4)
    expect(exchanges().answers.size).toBe(unreadAnswersBytesPerOwnerMax)

    let came = 0
    const reader = ask("127.0.0.3")
    reader.on("data", (bytes) => {
      came += bytes.byteLength
    })
    reader.resume()
    await until("all of it came", () => came > large.byteLength)
    expect(counted("hub_answers_cut_total")).toBe(before + 1)
  })

  it("holds nothing any more once it hung up", async () => {
    for (const socket of sockets) socket.destroy()
    await until("nothing waits", () => exchanges().answers.size === 0 && exchanges().live === 0)
  })
})
