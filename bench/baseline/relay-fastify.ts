/**
 * Baseline: the same relay as one would write it with fastify and @fastify/websocket: a bearer key looked up by its
 * hash, ownership by a map, a deadline. Speaks enough of the daemon protocol for the fleet. Prints its port as one JSON
 * line. Argument: the key that is good.
 */
import { createHash } from "node:crypto"
import type { AddressInfo } from "node:net"
import websocket from "@fastify/websocket"
import fastify, { type FastifyReply } from "fastify"
import type { WebSocket } from "ws"

const commandMillis = 60_000
const hash = (text: string): string => createHash("sha256").update(text).digest("base64")
const keys = new Map([[hash(process.argv[2] ?? ""), { accountId: "acc_bench", scopes: new Set(["ide:control"]) }]])
const daemons = new Map<string, { readonly accountId: string; readonly socket: WebSocket }>()
const pending = new Map<string, { readonly reply: FastifyReply; readonly timer: NodeJS.Timeout }>()
let commands = 0

const app = fastify({ logger: false })
await app.register(websocket)

app.get("/api/v1/daemons/connect", { websocket: true }, (socket, request) => {
  // a daemon's token stands for its id
  const daemonId = request.headers.authorization?.slice("Bearer ".length) ?? ""
  socket.on("message", (bytes: Buffer) => {
    const frame = JSON.parse(bytes.toString()) as {
      type: string
      data: { id: string; result: unknown }
    }
    if (frame.type === "auth") {
      daemons.set(daemonId, { accountId: "acc_bench", socket })
      socket.send(JSON.stringify({ type: "auth_ok", data: { daemonId } }))
    } else if (frame.type === "command_result") {
      const of = pending.get(frame.data.id)
      if (of === undefined) return
      pending.delete(frame.data.id)
      clearTimeout(of.timer)
      of.reply.send({ success: true, result: frame.data.result })
    }
  })
  socket.on("close", () => daemons.delete(daemonId))
})

app.post<{ Params: { daemonId: string }; Body: { type: string; payload: unknown } }>(
  "/api/v1/daemons/:daemonId/command",
  (request, reply) => {
    const key = keys.get(hash(request.headers.authorization?.slice("Bearer ".length) ?? ""))
    if (key === undefined) return reply.code(401).send({ error: "unauthorized" })
    if (!key.scopes.has("ide:control")) return reply.code(403).send({ error: "forbidden" })
    const daemon = daemons.get(request.params.daemonId)
    if (daemon?.accountId !== key.accountId) return reply.code(404).send({ error: "not found" })
    const id = `c${++commands}`
    const timer = setTimeout(() => {
      pending.delete(id)
      reply.code(504).send({ error: "timeout" })
    }, commandMillis)
    pending.set(id, { reply, timer })
    const { type, payload } = request.body
    daemon.socket.send(JSON.stringify({ type: "command", data: { id, type, payload } }))
  }
)

await app.listen({ host: "127.0.0.1", port: 0 })
process.stdout.write(`${JSON.stringify({ port: (app.server.address() as AddressInfo).port })}\n`)
process.on("SIGTERM", () => process.exit(0))
