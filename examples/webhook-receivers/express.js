/** A webhook receiver with Express. Owns its route; what a delivery means is in receive.js. */
import express from "express"
import { bodyBytesMax, listening, port, receive } from "./receive.js"

const app = express()

// the raw body: a parsed one has other bytes than those that were signed
app.post("/hooks", express.raw({ type: () => true, limit: bodyBytesMax }), async (request, response) => {
  response.status(await receive(request.body, request.headers)).end()
})

const server = app.listen(port, "127.0.0.1", () => listening(server))
