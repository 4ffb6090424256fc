/** A webhook receiver with Fastify. Owns its route; what a delivery means is in receive.js. */
import fastify from "fastify"
import { bodyBytesMax, listening, port, receive } from "./receive.js"

const app = fastify({ bodyLimit: bodyBytesMax })

// the raw body: a parsed one has other bytes than those that were signed
app.removeAllContentTypeParsers()
app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
app.post("/hooks", async (request, reply) => reply.code(await receive(request.body, request.headers)).send())

await app.listen({ port, host: "127.0.0.1" })
listening(app.server)
