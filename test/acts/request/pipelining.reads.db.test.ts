/**
 * Five reads in one segment get five answers, in order, each charged once, when the node has the key and the data in
 * memory.
 */
import { afterAll, beforeAll, expect, it } from "vitest"
import { useHub } from "../../support/hub.ts"
import { openWire } from "../../support/raw-http-connection.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"

const hub = useHub({ virtual: true })
let key: string
let peer: Peer
let daemonId: string
const registry = "/api/v1/registry/providers"
beforeAll(async () => {
  const account = await hub.account({ admin: true })
  key = await account.key(["ide:read", "registry:publish"])
  const daemon = await account.daemonToken()
  daemonId = daemon.daemonId
  peer = await connectDaemon(hub, daemon.token, { report: [] })
  const artifact = Buffer.alloc(60_000, "a").toString("base64")
  const body = { type: "row", version: "1.0.0", channel: "preview", artifact }
  expect((await hub.request("POST", registry, { key, body })).status).toBe(201)
})
afterAll(async () => {
  peer?.leave()
})

const used = async () => (await hub.request("GET", "/api/v1/usage", { key })).body as { used: number }

it.each<[string, () => string, number]>([
  ["me", () => "/api/v1/me", 5],
  ["usage", () => "/api/v1/usage", 5],
  ["the list", () => "/api/v1/daemons", 5],
  ["a status", () => `/api/v1/daemons/${daemonId}/status`, 5],
  ["the registry's list", () => `${registry}?channel=preview`, 0],
  ["a type", () => `${registry}/row?channel=preview`, 0],
  ["a version", () => `${registry}/row/1.0.0?channel=preview`, 0],
  ["a download", () => `${registry}/row/1.0.0/download?channel=preview`, 0]
])("reads in one segment answer %s five times", async (_, path, charged) => {
  const before = await used()
  expect((await hub.request("GET", path(), { key })).status).toBe(200)
  const wire = await openWire(hub.url)
  wire.write(`GET ${path()} HTTP/1.1\r\nhost: h\r\nauthorization: Bearer ${key}\r\n\r\n`.repeat(5))
  const lengths = new Set<number>()
  for (let nth = 0; nth < 5; nth++) {
    const answer = await wire.answer()
    expect(answer?.status).toBe(200)
    lengths.add(Math.round((answer?.body.length ?? 0) / 100))
  }
  expect(lengths.size).toBe(1)
  wire.destroy()
  // the reading of usage itself, and the call that made the answer known
  expect((await used()).used - before.used).toBe(charged === 0 ? 1 : charged + 2)
})
