/** What a connection is kept for, and what an exchange keeps of its bytes. */
import { Socket } from "node:net"
import { expect, it } from "vitest"
import { exchange, type Reply, requestText } from "../../../src/outbound/http-client.ts"
import { Connections, type Sending } from "../../../src/outbound/http-connections.ts"

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

/** Posts to a receiver that answers at once, and reads the request or leaves it unsent. */
const post = async (reads: boolean) => {
  const socket = new Socket()
  socket._read = () => undefined
  socket._write = (_chunk, _encoding, done) => {
    socket.push(ok)
    if (reads) done()
  }
  const connections = new Connections("http://receiver.example", (_, opened) => opened(null, socket))
  const text = requestText("POST / HTTP/1.1\r\nhost: receiver.example\r\n", {}, "{}")
  const reply = await new Promise<Reply>((resolve) => {
    exchange(connections, text, resolve)
  })
  const kept = !socket.destroyed
  connections.destroy()
  return { reply, kept }
}

it("a connection is kept when its request is sent and answered", async () =>
  expect(await post(true)).toMatchObject({ reply: { statusCode: 200, body: "ok" }, kept: true }))

it("a connection is closed when its receiver answers before the request is sent", async () =>
  expect(await post(false)).toMatchObject({ reply: { statusCode: 200, body: "ok" }, kept: false }))

it("an exchange keeps a copy of the body, not all that came with it", () => {
  let given: Sending | undefined
  const replies: Array<Reply> = []
  const send = (sending: Sending): void => {
    given = sending
  }
  exchange({ send }, "POST / HTTP/1.1\r\n\r\n", (reply) => replies.push(reply))
  const piece = Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n")
  given!.received(piece)
  piece.fill(0)
  given!.received(Buffer.from("0\r\n\r\n"))
  expect(replies).toMatchObject([{ statusCode: 200, body: "ok" }])
})
