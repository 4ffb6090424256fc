/** A webhook receiver with Koa. Owns its route; what a delivery means is in receive.js. */
import Koa from "koa"
import { bodyBytesMax, listening, port, receive } from "./receive.js"

const app = new Koa()

/** The raw body; undefined where it is too large. */
const rawBody = async (request) => {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > bodyBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

app.use(async (context) => {
  if (context.method !== "POST" || context.path !== "/hooks") return
  const body = await rawBody(context.req)
  context.status = body === undefined ? 413 : await receive(body, context.headers)
})

const server = app.listen(port, "127.0.0.1", () => listening(server))
