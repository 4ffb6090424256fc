/**
 * A receiver of traces for benches, a process of its own: takes what comes (OTLP over HTTP) and reads none of it. Owns
 * `/v1/traces` and `/taken` (`{requests, bytes}`). Prints its port as one JSON line once it listens.
 */
import { uWS } from "../../http/native/native-part.ts"

let requests = 0
let bytes = 0

const app = uWS.App()
app.get("/taken", (response) => void response.end(JSON.stringify({ requests, bytes })))
app.post("/v1/traces", (response) => {
  response.onAborted(() => undefined)
  response.onData((piece, last) => {
    bytes += piece.byteLength
    if (!last) return
    requests += 1
    response.cork(() => void response.writeHeader("content-type", "application/x-protobuf").end())
  })
})
app.listen("127.0.0.1", 0, (token) => {
  if (token === false) throw new Error("the receiver found no port")
  process.stdout.write(`${JSON.stringify({ port: uWS.us_socket_local_port(token) })}\n`)
})
process.on("SIGTERM", () => process.exit(0))
