/** 404, 500, 503 and 504, each reached by a real situation under virtual time. */
import { beforeAll, expect, it } from "vitest"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { session } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })
let account: TestAccount
let key: string
beforeAll(async () => {
  account = await hub.account()
  key = await account.key(["ide:read", "ide:control", "agent:read", "agent:control", "terminal:exec"])
})

const status = (daemonId: string) => hub.request("GET", `/api/v1/daemons/${daemonId}/status`, { key })
const chat = (daemonId: string) => hub.request("GET", `/api/v1/shortcuts/${daemonId}:session:s1/chat`, { key })
const terminal = (daemonId: string) =>
  hub.request("POST", `/api/v1/daemons/${daemonId}/terminal`, { key, body: { command: "ls" } })

const online = async (): Promise<{ readonly daemonId: string; readonly token: string; readonly peer: Peer }> => {
  const { daemonId, token } = await account.daemonToken()
  const peer = await connectDaemon(hub, token, { report: [session("s1")] })
  await until("the daemon's session is known", async () => (await status(daemonId)).body.sessions.length === 1)
  return { daemonId, token, peer }
}

it("answers 500 for a daemon that is known and never came, and still gives its status", async () => {
  const { daemonId } = await account.daemonToken()
  expect(await terminal(daemonId)).toMatchObject({ status: 500, body: { reason: "DAEMON_OFFLINE" } })
  expect(await status(daemonId)).toMatchObject({ status: 200, body: { online: false, connectedAt: null, ides: [] } })
})

it("answers 500 for a daemon that said goodbye, and its last known state to whoever reads", async () => {
  const { daemonId, peer } = await online()
  await peer.leave()
  await until("it is offline", async () => (await status(daemonId)).body.online === false)
  expect(await chat(daemonId)).toMatchObject({ status: 500, body: { reason: "DAEMON_OFFLINE" } })
  expect((await status(daemonId)).body).toMatchObject({ online: false, sessions: [{ id: "s1" }] })
  const agent = await hub.request("GET", `/api/v1/shortcuts/${daemonId}:cli:codex-cli/status`, { key })
  expect(agent).toMatchObject({ status: 200, body: { online: false, sessionId: "s1" } })
})

it("answers 503 inside the grace of a daemon that was cut off, and 500 after it", async () => {
  // on a whole second, as at the start: the wheel that ends the grace has steps
  await hub.advance(1_000 - (hub.now() % 1_000))
  const { daemonId, peer } = await online()
  await peer.cut()
  await until("the loss is noticed", async () => (await terminal(daemonId)).status === 503)
  const lost = await chat(daemonId)
  expect(lost).toMatchObject({ status: 503, body: { reason: "DAEMON_SOCKET_LOST", retryAfter: 2 } })
  expect(lost.headers.get("retry-after")).toBe("2")
  expect((await status(daemonId)).body.online).toBe(true)
  await hub.advance(14_999)
  expect((await terminal(daemonId)).status).toBe(503)
  await hub.advance(2)
  await until("the grace is over", async () => (await terminal(daemonId)).status === 500)
  expect((await status(daemonId)).body.online).toBe(false)
})
