/** The request log as its account sees it: what is in it, whose it is, its filters and pages, its bounds. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { RequestLog } from "../../../actors/request-log/request-log.ts"
import { daemonTokens } from "../../../src/auth/checksummed-token.ts"
import { makeDeviceCode } from "../../../src/auth/device-code.ts"
import { loggedPathCharsMax, loggedPerFlushMax, requestLogFlushMillis } from "../../../src/limits/request-log.ts"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import { startHub, useHub } from "../../support/hub.ts"
import { nextMillisecond, until } from "../../support/until.ts"

describe("the request log", () => {
  const hub = useHub()

  const flush = () => hub.inside(Effect.flatMap(RequestLog, (log) => log.flush))
  /** What a credential sees once all that was answered is written. */
  const seen = async (as: { key?: string; session?: string }, query = "") => {
    await flush()
    const { status, body } = await hub.request("GET", `/api/v1/requests${query}`, as)
    expect(status, JSON.stringify(body)).toBe(200)
    return body
  }
  const pathsOf = (body: { requests: ReadonlyArray<{ path: string }> }) => body.requests.map(({ path }) => path)
  const owner = async () => {
    const account = await hub.account()
    return { account, session: await account.session(), ...(await account.keyRecord(["ide:read"])) }
  }

  it("has what an account asked for and how it was answered, without query, body and headers", async () => {
    const { session, key, keyId } = await owner()
    const headers = { "x-request-id": "the-caller-s-own-id" }
    await hub.request("GET", "/api/v1/daemons/dmn_none/status?secret=word", { key, headers })
    await nextMillisecond()
    await hub.request("GET", "/api/v1/me", { session })
    const { requests, omitted } = await seen({ session })
    expect(omitted).toBe(0)
    expect(requests).toEqual([
      expect.objectContaining({ path: "/api/v1/me", credential: { kind: "session" }, status: 200, reason: null }),
      {
        id: expect.stringMatching(/^lrq_/u),
        at: expect.any(Number),
        requestId: "the-caller-s-own-id",
        method: "GET",
        path: "/api/v1/daemons/dmn_none/status",
        operation: "daemons.status",
        route: "/api/v1/daemons/{daemonId}/status",
        status: 404,
        reason: "NOT_FOUND",
        code: null,
        durationMs: expect.any(Number),
        credential: { kind: "key", id: keyId, name: "a test's key" },
        owner: { kind: "person", id: expect.stringMatching(/^per_/u), name: expect.stringContaining("@") },
        omitted: 0
      }
    ])
    expect(JSON.stringify(requests)).not.toContain("word")
  })

  given(owner)("keeps no credential of the hub that stands in a path, of any kind or cut", async ({ session, key }) => {
    const [token, code] = [daemonTokens.make(), makeDeviceCode()]
    for (const name of [
      key,
      key.replace("hub", "h%75b"),
      `${token},${code}`,
      "x".repeat(loggedPathCharsMax - 40) + key
    ])
      await hub.request("GET", `/api/v1/daemons/${name}/status`, { key })
    const { requests } = await seen({ session })
    const text = JSON.stringify(requests)
    for (const secret of [key, token, code]) expect(text).not.toContain(secret.slice(0, 12))
    const short = pathsOf({ requests }).filter((path) => !path.includes("xx"))
    // two of one millisecond are in any order
    expect(short.sort()).toEqual([
      "/api/v1/daemons/hub_…/status",
      "/api/v1/daemons/hub_…/status",
      "/api/v1/daemons/hubd_…,hubdc_…/status"
    ])
  })

  it("has what was refused: a scope that is missing, a body that does not fit, a login too long ago", async () => {
    const { account, session, key } = await owner()
    await hub.request("POST", "/api/v1/daemons/dmn_none/terminal", { key, body: { command: "true" } })
    await nextMillisecond()
    await hub.request("POST", "/api/v1/api-keys", { session, body: {} })
    await nextMillisecond()
    await hub.request("POST", "/api/v1/api-keys", { session: await account.session({ ageSeconds: 7_200 }), body: {} })
    const { requests } = await seen({ session })
    expect(requests.map(({ status, reason }: { status: number; reason: string }) => [status, reason])).toEqual([
      [403, "RECENT_LOGIN_REQUIRED"],
      [400, "VALIDATION_FAILED"],
      [403, "AUTH_FORBIDDEN"]
    ])
  })

  it("has a stream when it begins, and a request whose caller left without a status", async () => {
    const owned = await ownedDaemon(hub)
    const session = await owned.account.session()
    const peer = await owned.connect()
    const streaming = new AbortController()
    await fetch(`${hub.url}/api/v1/events`, {
      headers: { authorization: `Bearer ${owned.key}` },
      signal: streaming.signal
    })
    const leaving = new AbortController()
    const path = `/api/v1/daemons/${owned.daemonId}/terminal`
    const waiting = hub.request("POST", path, { key: owned.key, body: { command: "true" }, signal: leaving.signal })
    await peer.nextCommand()
    leaving.abort()
    await expect(waiting).rejects.toThrow()
    const unanswered = await until("it is noticed", async () => (await seen({ session }, "?status=none")).requests[0])
    expect(unanswered).toMatchObject({ operation: "daemons.terminal", status: null, reason: null })
    expect((await seen({ session }, "?operation=events.stream")).requests).toMatchObject([{ status: 200 }])
    streaming.abort()
    await peer.leave()
  })

  it("shows a key its own requests only, and a session those of the whole account, never another's", async () => {
    const { account, session, key, keyId } = await owner()
    const other = await account.keyRecord(["ide:read"])
    const stranger = await owner()
    await hub.request("GET", "/api/v1/me", { key })
    await hub.request("GET", "/api/v1/usage", { key: other.key })
    await hub.request("GET", "/api/v1/me", { key: stranger.key })
    expect(pathsOf(await seen({ key }))).toEqual(["/api/v1/me"])
    expect(pathsOf(await seen({ key: other.key }))).toEqual(["/api/v1/usage"])
    expect(pathsOf(await seen({ key }, `?key=${other.keyId}`))).toEqual([])
    expect(pathsOf(await seen({ key }, "?key=session"))).toEqual([])
    expect(pathsOf(await seen({ session })).sort()).toEqual(["/api/v1/me", "/api/v1/usage"])
    expect(pathsOf(await seen({ session }, `?key=${keyId}`))).toEqual(["/api/v1/me"])
    expect(pathsOf(await seen({ session }, `?key=${stranger.keyId}`))).toEqual([])
  })

  given(owner)("is read without being charged or being in itself", async ({ session, key }) => {
    await seen({ key })
    await seen({ session })
    expect((await seen({ session })).requests).toEqual([])
    expect((await hub.request("GET", "/api/v1/usage", { key })).body.used).toBe(1)
  })

  it("shows a machine that is offline by its own status, and not among the failures of 5xx", async () => {
    const { account, session } = await owner()
    const { daemonId } = await account.daemonToken()
    const body = { type: "screenshot" }
    const { status } = await hub.request("POST", `/api/v1/daemons/${daemonId}/command`, { session, body })
    expect(status).toBe(500)
    expect((await seen({ session }, "?status=500")).requests).toHaveLength(1)
    expect((await seen({ session }, "?status=5xx")).requests).toEqual([])
  })

  given(owner)("comes in pages and by filters, and refuses what is no filter", async ({ session, key }) => {
    for (let nth = 0; nth < 3; nth++) await hub.request("GET", `/api/v1/daemons/dmn_${nth}/status`, { key })
    await hub.request("GET", "/api/v1/me", { key })
    const paths = pathsOf(await seen({ session }))
    const first = await seen({ session }, "?limit=3")
    const second = await seen({ session }, `?limit=3&cursor=${first.nextCursor}`)
    expect([...pathsOf(first), ...pathsOf(second)]).toEqual(paths)
    const filters = "status=4xx&method=GET&reason=NOT_FOUND&pathContains=dmn_1&operation=daemons.status"
    expect((await seen({ session }, `?${filters}`)).requests).toHaveLength(1)
    for (const query of ["status=4x", "method=TRACE", "cursor=none", "since=now", "limit=0"])
      expect((await hub.request("GET", `/api/v1/requests?${query}`, { session })).status, query).toBe(400)
  })

  given(owner)("is there after a restart, and is written by itself", async ({ session, key }) => {
    await hub.request("GET", "/api/v1/me", { key })
    const list = async () => (await hub.request("GET", "/api/v1/requests", { session })).body.requests
    await until("it is written", async () => (await list()).length === 1)
    await hub.request("GET", "/api/v1/usage", { key })
    await hub.restart()
    expect(pathsOf({ requests: await list() })).toEqual(["/api/v1/usage", "/api/v1/me"])
  })
})

it("the request log in time has no more rows of an account in a second than its bound, failures first, and tells how many it left out", async () => {
  const hub = await startHub({ virtual: true })
  const account = await hub.account()
  const [key, session] = [await account.key(["ide:read"]), await account.session()]
  const failures = 10
  for (let nth = 0; nth < 2 * loggedPerFlushMax; nth++)
    await hub.request("GET", nth < 2 * loggedPerFlushMax - failures ? "/api/v1/me" : "/api/v1/daemons/none/status", {
      key
    })
  await hub.advance(requestLogFlushMillis)
  const { requests, omitted } = await until("it is written", async () => {
    const { body } = await hub.request("GET", "/api/v1/requests?limit=1000", { session })
    return body.requests.length > 0 ? body : undefined
  })
  expect([requests.length, omitted]).toEqual([loggedPerFlushMax, loggedPerFlushMax])
  expect(requests.filter(({ status }: { status: number }) => status === 404)).toHaveLength(failures)
  await hub.close()
})
