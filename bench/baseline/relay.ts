/**
 * Baseline: the least relay there can be, REST → socket → REST, over bare uWebSockets.js: no credential, no limit, no
 * ownership, no schema; but written with the same care (what goes to another socket waits for the end of the tick, one
 * cork a socket). Speaks enough of the daemon protocol for the fleet. Prints its port as one JSON line.
 */
import type { HttpResponse, WebSocket } from "uWebSockets.js"
import { uWS } from "../../http/native/native-part.ts"

interface Kept {
  daemonId: string
  out: Array<string>
}
interface Waiting {
  readonly res: HttpResponse
  timer: NodeJS.Timeout | undefined
  aborted: boolean
}

const commandMillis = 60_000
const daemons = new Map<string, WebSocket<Kept>>()
const pending = new Map<string, Waiting>()
let commands = 0
let queue: Array<() => void> = []
let armed = false

const flush = (): void => {
  armed = false
  const due = queue
  queue = []
  for (const write of due) write()
}
const later = (write: () => void): void => {
  queue.push(write)
  if (armed) return
  armed = true
  setImmediate(flush)
}

const send = (ws: WebSocket<Kept>, text: string): void => {
  const kept = ws.getUserData()
  kept.out.push(text)
  if (kept.out.length > 1) return
  later(() => {
    const texts = kept.out
    kept.out = []
    if (daemons.get(kept.daemonId) !== ws) return
    ws.cork(() => {
      for (const one of texts) ws.send(one)
    })
  })
}

const answer = (of: Waiting, status: string, body: string): void =>
  later(() => {
    if (of.aborted) return
    of.res.cork(() => of.res.writeStatus(status).writeHeader("content-type", "application/json").end(body))
  })

const app = uWS.App()
app.ws<Kept>("/api/v1/daemons/connect", {
  idleTimeout: 120,
  maxPayloadLength: 1 << 20,
  upgrade: (res, req, context) =>
    res.upgrade<Kept>(
      // a daemon's token stands for its id
      { daemonId: req.getHeader("authorization").slice("Bearer ".length), out: [] },
      req.getHeader("sec-websocket-key"),
      req.getHeader("sec-websocket-protocol"),
      req.getHeader("sec-websocket-extensions"),
      context
    ),
  message: (ws, message) => {
    const frame = JSON.parse(Buffer.from(message).toString()) as {
      type: string
      data: { id: string; result: unknown }
    }
    if (frame.type === "auth") {
      const kept = ws.getUserData()
      daemons.set(kept.daemonId, ws)
      send(ws, JSON.stringify({ type: "auth_ok", data: { daemonId: kept.daemonId } }))
    } else if (frame.type === "command_result") {
      const of = pending.get(frame.data.id)
      if (of === undefined) return
      pending.delete(frame.data.id)
      clearTimeout(of.timer)
      answer(of, "200 OK", JSON.stringify({ success: true, result: frame.data.result }))
    }
  },
  close: (ws) => void daemons.delete(ws.getUserData().daemonId)
})

app.post("/api/v1/daemons/:daemonId/command", (res, req) => {
  const ws = daemons.get(req.getParameter(0)!)
  const of: Waiting = { res, timer: undefined, aborted: false }
  res.onAborted(() => {
    of.aborted = true
  })
  let body = Buffer.alloc(0)
  res.onData((piece, last) => {
    body = body.length === 0 ? Buffer.from(Buffer.from(piece)) : Buffer.concat([body, Buffer.from(piece)])
    if (!last) return
    if (ws === undefined) return answer(of, "404 Not Found", "{}")
    const { type, payload } = JSON.parse(body.toString()) as { type: string; payload: unknown }
    const id = `c${++commands}`
    pending.set(id, of)
    of.timer = setTimeout(() => {
      pending.delete(id)
      answer(of, "504 Gateway Timeout", "{}")
    }, commandMillis)
    // the fleet reads the id where the hub writes it
    send(ws, JSON.stringify({ type: "command", data: { id, type, payload } }))
  })
})

app.listen("127.0.0.1", 0, (token) => {
  if (token === false) throw new Error("the relay found no port")
  process.stdout.write(`${JSON.stringify({ port: uWS.us_socket_local_port(token) })}\n`)
})
process.on("SIGTERM", () => process.exit(0))
