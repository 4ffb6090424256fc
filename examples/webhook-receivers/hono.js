/** A webhook receiver with Hono. Owns its route; what a delivery means is in receive.js. */
import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { bodyBytesMax, listening, port, receive } from "./receive.js"

const app = new Hono()

app.post("/hooks", bodyLimit({ maxSize: bodyBytesMax }), async ({ req }) => {
  const body = new Uint8Array(await req.arrayBuffer())
  return new Response(null, { status: await receive(body, req.raw.headers) })
})

const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, () => listening(server))
