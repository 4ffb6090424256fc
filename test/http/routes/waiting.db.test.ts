/** Long polls of an agent's status, over a whole hub under virtual time. */
import { describe, expect, it } from "vitest"
import { knownDaemon, type Mine, pending, shortcut, show, watched } from "../../support/agent-waits.ts"
import { reported } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import { startHub, useHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

const connected = (): Promise<Mine> => knownDaemon(hub)

describe("a long poll of a status", () => {
  const poll = (mine: Mine, query: string) => mine.get(shortcut(mine, `status?waitFor=change${query}`))
  const waits = (mine: Mine) => until("it waits", async () => (await watched(hub, mine.daemonId)) === 1)
  const version = async (mine: Mine): Promise<string> => (await mine.get(shortcut(mine, "status"))).body.version

  given(connected)("is answered once the status is another, and at once when it is already", async (mine) => {
    const since = await version(mine)
    const answer = poll(mine, `&since=${since}`)
    expect(await pending(answer)).toBe(true)
    await show(mine, "idle", { title: "nothing that is shown" })
    expect(await pending(answer)).toBe(true)
    await show(mine, "generating")
    const { body } = await answer
    expect(body).toMatchObject({ status: "generating", sessionId: "s1" })
    expect(body.version).not.toBe(since)
    expect((await poll(mine, `&since=${since}`)).body.version).toBe(body.version)
    expect((await poll(mine, "&since=of-no-one")).body.version).toBe(body.version)
    expect(await watched(hub, mine.daemonId)).toBe(0)
  })

  given(connected)("is answered with the same version when the time is over", async (mine) => {
    const answer = poll(mine, "&timeoutSeconds=3")
    await waits(mine)
    await hub.advance(3_100)
    expect((await answer).body.version).toBe(await version(mine))
  })

  given(connected)("is answered when the daemon goes offline, and when it is back", async (mine) => {
    const answer = poll(mine, "")
    await waits(mine)
    await mine.peer.leave()
    const { body } = await answer
    expect(body.online).toBe(false)
    const back = poll(mine, `&since=${body.version}`)
    expect(await pending(back)).toBe(true)
    await mine.connect({ report: [reported("s1")] })
    // the store is looked into now and then
    await until("it is answered", async () => {
      await hub.advance(1_000)
      return !(await pending(back))
    })
    expect(await back).toMatchObject({ status: 200, body: { online: true } })
  })

  given(connected)("is 404 when the session is gone, as without waiting", async (mine) => {
    const answer = poll(mine, "")
    await waits(mine)
    mine.peer.report([])
    expect(await answer).toMatchObject({ status: 404 })
  })

  given(connected)("is 404 for a key that is bound to daemons of which its own is none any more", async (mine) => {
    const session = await mine.account.session()
    const tag = (env: string) =>
      hub.request("PUT", `/api/v1/daemons/${mine.daemonId}/tags`, { session, body: { tags: { env } } })
    await tag("prod")
    const bound = { name: "bound", scopes: ["ide:read", "agent:read"], selector: "env=prod" }
    const { key } = (await hub.request("POST", "/api/v1/api-keys", { session, body: bound })).body
    const answer = hub.request("GET", shortcut(mine, "status?waitFor=change"), { key })
    await waits(mine)
    await tag("test")
    await show(mine, "generating")
    expect(await answer).toMatchObject({ status: 404, body: { reason: "NOT_FOUND" } })
  })

  given(connected)("leaves neither listener nor place behind when its caller hangs up", async (mine) => {
    const abort = new AbortController()
    const url = `${hub.url}${shortcut(mine, "status?waitFor=change")}`
    const asked = fetch(url, { headers: { authorization: `Bearer ${mine.key}` }, signal: abort.signal }).catch(() => {})
    await waits(mine)
    abort.abort()
    await asked
    await until("its end is noticed", async () => {
      await hub.advance(1_000)
      return (await watched(hub, mine.daemonId)) === 0
    })
  })

  given(() => startHub({ virtual: true }))("is answered as it is when its node drains", async (own) => {
    const mine = await knownDaemon(own)
    const since = await version(mine)
    const answer = poll(mine, `&since=${since}`)
    await until("it waits", async () => (await watched(own, mine.daemonId)) === 1)
    const closing = own.close()
    const { status, body } = await answer
    expect([status, body.version]).toEqual([200, since])
    await closing
  })

  it.each(["&timeoutSeconds=-1", `&since=${"x".repeat(65)}`])("answers 400 to %s", async (query) => {
    const mine = await connected()
    expect(await poll(mine, query)).toMatchObject({ status: 400 })
    expect(await mine.get(shortcut(mine, "status?waitFor=idle"))).toMatchObject({ status: 400 })
  })
})
