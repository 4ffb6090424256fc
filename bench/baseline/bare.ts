/**
 * Baseline: bare uWebSockets.js sending what the hub sends: `/list` serialises the same JSON for each call, `/bytes`
 * sends the same bytes and knows their ETag (304), `/file` serves a file in pieces as the
 * reader takes them, `/hello`
 * says hello. Prints its port as one JSON line. Arguments: a file of JSON, a file of bytes.
 */

import { createReadStream, readFileSync, statSync } from "node:fs"
import { uWS } from "../../http/native/native-part.ts"

const [jsonFile, bytesFile] = process.argv.slice(2)
const list = JSON.parse(readFileSync(jsonFile!, "utf8")) as unknown
const text = JSON.stringify(list)
const size = statSync(bytesFile!).size
const pieceBytes = 262_144
const tag = '"bench"'

const app = uWS.App()
app.get("/hello", (res) => void res.end("hello"))
app.get("/list", (res) => void res.writeHeader("content-type", "application/json").end(JSON.stringify(list)))
app.get("/bytes", (res, req) => {
  if (req.getHeader("if-none-match") === tag)
    return void res.writeStatus("304 Not Modified").writeHeader("etag", tag).endWithoutBody()
  res.writeHeader("content-type", "application/json").writeHeader("etag", tag).end(text)
})
app.get("/file", (res) => {
  const stream = createReadStream(bytesFile!, { highWaterMark: pieceBytes })
  let held: Buffer | undefined
  let heldFrom = 0
  const give = (piece: Buffer): boolean => {
    const [taken, done] = res.tryEnd(piece, size)
    if (done) stream.destroy()
    return taken
  }
  res.onAborted(() => stream.destroy())
  res.onWritable((offset) => {
    const taken = held === undefined || give(held.subarray(offset - heldFrom))
    if (taken) stream.resume()
    return taken
  })
  stream.on("data", (chunk) => {
    const piece = chunk as Buffer
    res.cork(() => {
      heldFrom = res.getWriteOffset()
      if (give(piece)) return
      held = piece
      stream.pause()
    })
  })
})
app.listen("127.0.0.1", 0, (token) => {
  if (token === false) throw new Error("the bare server found no port")
  process.stdout.write(`${JSON.stringify({ port: uWS.us_socket_local_port(token) })}\n`)
})
process.on("SIGTERM", () => process.exit(0))
