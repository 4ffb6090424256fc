/**
 * Baseline: the list of daemons as one would write it with fastify: a bearer key looked up by its hash, the object
 * serialised for each call. Prints its port as one JSON line. Arguments: a file of JSON, the key that is good.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import fastify from "fastify"

const [jsonFile, key] = process.argv.slice(2)
const list = JSON.parse(readFileSync(jsonFile!, "utf8")) as unknown
const hash = (text: string): string => createHash("sha256").update(text).digest("base64")
const keys = new Map([[hash(key ?? ""), { scopes: new Set(["ide:read"]) }]])

const app = fastify({ logger: false })
app.get("/list", (request, reply) => {
  const known = keys.get(hash(request.headers.authorization?.slice("Bearer ".length) ?? ""))
  if (known === undefined) return reply.code(401).send({ error: "unauthorized" })
  if (!known.scopes.has("ide:read")) return reply.code(403).send({ error: "forbidden" })
  reply.send(list)
})
await app.listen({ host: "127.0.0.1", port: 0 })
process.stdout.write(`${JSON.stringify({ port: (app.server.address() as AddressInfo).port })}\n`)
process.on("SIGTERM", () => process.exit(0))
