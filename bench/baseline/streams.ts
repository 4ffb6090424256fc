/**
 * Baseline: the least there can be between daemons that talk and readers of their sessions, over bare uWebSockets.js:
 * each frame is parsed, and its events written to the streams of that session, at the end of the tick, one cork a
 * stream. No credential, no ownership, no order to keep. Prints its port as one JSON line.
 */
import type { HttpResponse } from "uWebSockets.js"
import { uWS } from "../../http/native/native-part.ts"

interface Kept {
  readonly daemonId: string
}
interface Reading {
  readonly res: HttpResponse
  out: Array<string>
  gone: boolean
}
interface Frame {
  readonly type: string
  readonly data: {
    readonly log: { readonly id: string }
    readonly logId: string
    readonly events: ReadonlyArray<{ readonly seq: number; readonly type: string }>
  }
}

const readers = new Map<string, Set<Reading>>()
let due: Array<Reading> = []

const flush = (): void => {
  const all = due
  due = []
  for (const reading of all) {
    const text = reading.out.join("")
    reading.out = []
    if (!reading.gone) reading.res.cork(() => reading.res.write(text))
  }
}

const write = (reading: Reading, text: string): void => {
  reading.out.push(text)
  if (reading.out.length > 1) return
  due.push(reading)
  if (due.length === 1) setImmediate(flush)
}

const app = uWS.App()
app.ws<Kept>("/api/v1/daemons/connect", {
  idleTimeout: 120,
  maxPayloadLength: 1 << 20,
  upgrade: (res, req, context) =>
    res.upgrade<Kept>(
      { daemonId: req.getHeader("authorization").slice("Bearer ".length) },
      req.getHeader("sec-websocket-key"),
      req.getHeader("sec-websocket-protocol"),
      req.getHeader("sec-websocket-extensions"),
      context
    ),
  message: (ws, message) => {
    const { type, data } = JSON.parse(Buffer.from(message).toString()) as Frame
    const { daemonId } = ws.getUserData()
    if (type === "auth") ws.send(JSON.stringify({ type: "auth_ok", data: { daemonId } }))
    if (type !== "log_events") return
    const of = readers.get(`${daemonId} ${data.log.id}`)
    if (of === undefined) return
    for (const event of data.events) {
      const text = `id: ${data.logId}.${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
      for (const reading of of) write(reading, text)
    }
  }
})
app.get("/api/v1/daemons/:daemonId/sessions/:sessionId/events/stream", (res, req) => {
  const name = `${req.getParameter(0)} ${req.getParameter(1)}`
  const of = readers.get(name) ?? new Set()
  const reading: Reading = { res, out: [], gone: false }
  readers.set(name, of.add(reading))
  res.onAborted(() => {
    reading.gone = true
    of.delete(reading)
  })
  res.writeHeader("content-type", "text/event-stream; charset=utf-8")
  res.write("retry: 2000\nid: 0\n\n")
})
app.listen("127.0.0.1", 0, (token) => {
  if (token === false) throw new Error("the baseline found no port")
  process.stdout.write(`${JSON.stringify({ port: uWS.us_socket_local_port(token) })}\n`)
})
process.on("SIGTERM", () => process.exit(0))
