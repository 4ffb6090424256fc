/** The proxy of compose.yaml in front of two nodes of one hub, as callers and daemons see it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { freePort } from "../../../bench/servers/free-port.ts"
import { hasNginx, startNginx, type TestNginx } from "../../acts/request/nginx.ts"
import { startHub, type TestHub } from "../../support/hub.ts"
import { requester } from "../../support/hub-requests.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useDatabase, useRedis } from "../../support/use-started.ts"

describe.runIf(hasNginx)("two hubs behind the proxy", () => {
  const redis = useRedis()
  const database = useDatabase()
  let one: TestHub
  let other: TestHub
  let proxy: TestNginx
  let proxied: TestHub
  let left = false
  beforeAll(async () => {
    const settings = { redisUrl: redis.url, trustedProxies: ["127.0.0.1/32"] }
    one = await startHub({ database, settings: { ...settings, port: await freePort() } })
    other = await startHub({ database, settings })
    proxy = await startNginx([one, other].map(({ url }) => new URL(url).host))
    proxied = { ...one, url: proxy.url, request: requester(() => proxy.url) }
  })
  afterAll(async () => {
    await proxy?.close()
    await one?.close()
    await other?.close()
  })

  it("take a caller for who it is, not for the proxy: the figures are not shown", async () => {
    expect((await one.request("GET", "/metrics")).status).toBe(200)
    expect((await proxied.request("GET", "/metrics")).status).not.toBe(200)
  })

  it("serve a daemon and its commands, whichever node holds the daemon", async () => {
    const { account, key } = await one.withKey(["ide:read", "ide:control"])
    const { daemonId, token } = await account.daemonToken()
    const daemon = await connectDaemon(proxied, token, { report: [] })
    daemon.answerWith(() => ({ from: "behind" }))
    const path = `/api/v1/daemons/${daemonId}/command`
    const command = () => proxied.request("POST", path, { key, body: { type: "read_chat", payload: {} } })
    await until("both nodes know the daemon", async () => {
      const answers = await Promise.all([command(), command(), command(), command()])
      return answers.every(({ status }) => status === 200)
    })
    await daemon.leave()
  })

  it("stream events as they happen", async () => {
    const { session } = await one.signedIn()
    const abort = new AbortController()
    const answer = await fetch(`${proxy.url}/api/v1/events`, {
      headers: { authorization: `Bearer ${session}` },
      signal: abort.signal
    })
    expect(answer.status).toBe(200)
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).done).toBe(false)
    abort.abort()
  })

  it("go on when one of them leaves: callers notice nothing, its daemon is back through the other", async () => {
    // a try after one in which it left finds it there again, where the proxy looks for it
    if (left) await one.restart()
    const { account, key } = await other.withKey(["ide:read", "ide:control"])
    const { daemonId, token } = await account.daemonToken()
    const before = await connectDaemon(one, token, { report: [] })
    left = true
    await one.close()
    await before.closed
    for (let n = 0; n < 20; n++) expect((await proxied.request("GET", "/api/v1/daemons", { key })).status).toBe(200)
    const after = await connectDaemon(proxied, token, { report: [] })
    after.answerWith(() => ({ from: "the other" }))
    const path = `/api/v1/daemons/${daemonId}/command`
    expect(await proxied.request("POST", path, { key, body: { type: "read_chat", payload: {} } })).toMatchObject({
      status: 200,
      body: { result: { from: "the other" } }
    })
    await after.leave()
  })
})
