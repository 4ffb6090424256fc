/** A hub with few descriptors, on the embedded database: the number of connections that it announces is true. */
import { connect, type Socket } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type RunningHub, runHub } from "../../support/hub-command.ts"
import { until } from "../../support/until.ts"
import { useDatabase } from "../../support/use-started.ts"

const descriptors = 1_024
const sockets = new Set<Socket>()

const database = useDatabase()
let hub: RunningHub
beforeAll(async () => {
  hub = await runHub({ HUB_DATA_DIR: database.settings.dataDir }, descriptors)
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await hub?.end("SIGKILL")
})

const gauge = async (name: string): Promise<number> => {
  const text = await (await fetch(`${hub.url}/metrics`, { headers: { connection: "close" } })).text()
  return Number(new RegExp(`^${name} (\\d+)$`, "mu").exec(text)![1])
}

/** Each is of another address, so that no share of an address is reached. */
const open = async (nth: number): Promise<Socket> => {
  const { hostname, port } = new URL(hub.url)
  const localAddress = `127.1.${(nth >> 7) + 1}.${(nth % 128) + 1}`
  const socket = connect({ host: hostname, port: Number(port), localAddress })
  socket.on("error", () => {}).on("close", () => sockets.delete(socket))
  await new Promise<void>((resolve) => void socket.once("connect", resolve).once("close", () => resolve()))
  return socket
}

it("a hub that may open 1,024 descriptors takes as many connections as it says, also once its tables are used, and closes the next", async () => {
  const key = /API key {7}(hub_\w{36})/u.exec(hub.greeting)![1]!
  const headers = { authorization: `Bearer ${key}`, connection: "close", "content-type": "application/json" }
  const uses = ["daemons", "webhooks", "keys", "me", "usage", "registry/providers"]
  for (const path of uses) await (await fetch(`${hub.url}/api/v1/${path}`, { headers })).text()
  const url = "https://example.com/hook"
  const body = JSON.stringify({ url, events: ["daemon:connect"] })
  await (await fetch(`${hub.url}/api/v1/webhooks`, { method: "POST", headers, body })).text()

  const max = await gauge("hub_connections_max")
  expect(max).toBe(descriptors / 2)
  await until("only the question's own is open", async () => (await gauge("hub_connections")) === 1)
  for (let nth = 0; nth < max; nth++) sockets.add(await open(nth))
  const beyond = await open(max)
  await until("the next is closed", () => beyond.closed)
  expect(sockets.size).toBe(max)
})
