/**
 * A webhook receiver for benches, a process of its own: counts what arrives and how long it took since the event, and
 * can play a broken endpoint. Owns `/h/*` (answers 204), `/hang`, `/fail`, `/drip`, `/count` and `/different` (cheap:
 * asked while a load runs), `/figures` (sorts all samples: asked after it) and `/lap` (the same, then forgets the
 * samples alone); checks no signature. Prints its port as one JSON line once it listens.
 */
import type { HttpResponse } from "uWebSockets.js"
import { uWS } from "../../http/native/native-part.ts"

const samplesMax = 4_000_000
/** Events and endpoints told apart; others are counted as calls only. */
const numbersMax = 1 << 20
const endpointsMax = 64
let samples = new Float64Array(1 << 16)
let taken = 0
let calls = 0
/** A bit for each endpoint of each numbered event: what comes twice counts once. */
let seen = new Uint8Array(0)
let different = 0

const tell = (endpoint: number, number: number): void => {
  if (!(endpoint < endpointsMax && number < numbersMax)) return
  if (seen.length === 0) seen = new Uint8Array((numbersMax * endpointsMax) / 8)
  const at = number * endpointsMax + endpoint
  const [byte, bit] = [at >> 3, 1 << (at & 7)]
  if ((seen[byte]! & bit) !== 0) return
  seen[byte]! |= bit
  different++
}

const record = (millis: number): void => {
  if (taken >= samplesMax) return
  if (taken === samples.length) {
    const wider = new Float64Array(samples.length * 2)
    wider.set(samples)
    samples = wider
  }
  samples[taken++] = millis
}

const quantiles = () => {
  const sorted = samples.slice(0, taken).sort()
  const at = (share: number) => (taken === 0 ? 0 : sorted[Math.min(taken - 1, Math.floor(taken * share))]!)
  return { calls, samples: taken, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
}

const bodyOf = (response: HttpResponse, done: (body: string) => void): void => {
  let text = ""
  response.onData((piece, last) => {
    text += Buffer.from(piece).toString("latin1")
    if (last) done(text)
  })
}

const app = uWS.App()
app.get("/count", (response) => void response.end(String(calls)))
app.get("/figures", (response) => void response.end(JSON.stringify(quantiles())))
app.get("/different", (response) => void response.end(String(different)))
app.get("/lap", (response) => {
  response.end(JSON.stringify(quantiles()))
  taken = 0
})
app.get("/reset", (response) => {
  taken = 0
  calls = 0
  seen = new Uint8Array(0)
  different = 0
  response.end()
})
app.post("/hang", (response) => void response.onAborted(() => undefined))
app.post("/fail", (response) => {
  response.onAborted(() => undefined)
  bodyOf(response, () => response.cork(() => void response.writeStatus("500 Internal Server Error").end("no")))
})
app.post("/drip", (response) => {
  response.writeHeader("x-drip", "1").write("x")
  const drip = setInterval(() => response.cork(() => void response.write("x")), 1_000)
  response.onAborted(() => clearInterval(drip))
})
app.post("/h/:endpoint", (response, request) => {
  const endpoint = Number(request.getParameter(0))
  response.onAborted(() => undefined)
  bodyOf(response, (body) => {
    calls += 1
    // the bench puts the moment of the event, in microseconds, into a field that the hub passes on
    const stamp = /"targetSessionId":"t(\d+)(?:-(\d+))?"/u.exec(body)
    if (stamp !== null) record(performance.timeOrigin + performance.now() - Number(stamp[1]) / 1_000)
    if (stamp?.[2] !== undefined) tell(endpoint, Number(stamp[2]))
    response.cork(() => void response.writeStatus("204 No Content").endWithoutBody())
  })
})
app.listen("127.0.0.1", 0, (token) => {
  if (token === false) throw new Error("the receiver found no port")
  process.stdout.write(`${JSON.stringify({ port: uWS.us_socket_local_port(token) })}\n`)
})
process.on("SIGTERM", () => process.exit(0))
