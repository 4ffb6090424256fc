/** Idempotency-Key over HTTP: one run per key, whatever happens to the caller, the daemon or the hub. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { largeFrameBytes, unreadLookMillis } from "../../../src/limits.ts"
import { given } from "../../support/given.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

describe("a call with an Idempotency-Key", () => {
  const hub = useHub({ virtual: true })
  let account: TestAccount
  let key: string
  let path: string
  let peer: Peer
  let token: string
  beforeEach(async () => {
    account = await hub.account()
    key = await account.key(["ide:control"])
    const daemon = await account.daemonToken()
    token = daemon.token
    path = `/api/v1/daemons/${daemon.daemonId}/command`
    peer = await connectDaemon(hub, token, { report: [] })
  })
  afterEach(() => peer?.leave())

  let made = 0
  const newKey = (): string => `key-${++made}`
  const command = { type: "read_chat", payload: {} }
  const call = (idempotencyKey: string, body: unknown = command, options: { signal?: AbortSignal } = {}) =>
    hub.request("POST", path, { key, body, headers: { "idempotency-key": idempotencyKey }, ...options })
  const isReplay = (answer: { headers: Headers }) => answer.headers.get("idempotency-replayed") === "true"
  const aborted = async (): Promise<number> =>
    Number(/^hub_requests_aborted_total (\d+)/mu.exec((await hub.request("GET", "/metrics")).text)?.[1] ?? 0)
  const said = "what an agent says"
  /** A call that runs, and its answer. */
  const ran = async (name: string, result: unknown = { messages: [said] }) => {
    const first = call(name)
    ;(await peer.nextCommand()).succeed(result)
    return first
  }
  const commands = () => peer.frames.filter((frame) => frame.type === "command").length

  given(newKey)("runs once, and is answered with the stored outcome then", async (name) => {
    const answer = await ran(name)
    expect(answer.status).toBe(200)
    expect(isReplay(answer)).toBe(false)
    const before = commands()
    const again = await call(name)
    expect(isReplay(again)).toBe(true)
    expect([again.status, again.text]).toEqual([answer.status, answer.text])
    expect(again.headers.get("content-type")).toBe("application/json")
    expect(commands()).toBe(before)
  })

  given(newKey)("is answered with the stored outcome also when that is large", async (name) => {
    const answer = await ran(name, { snapshot: "p".repeat(largeFrameBytes) })
    const again = await call(name)
    expect(isReplay(again)).toBe(true)
    expect([again.status, again.text]).toEqual([200, answer.text])
    expect(again.text.length).toBeGreaterThan(largeFrameBytes)
  })

  given(newKey)("is answered 409 while it still runs, and 422 with another body or path", async (name) => {
    const first = call(name)
    const running = await peer.nextCommand()
    const early = await call(name)
    expect([early.status, early.headers.get("retry-after")]).toEqual([409, "1"])
    expect(early.body).toMatchObject({ reason: "IDEMPOTENCY_CONFLICT", retryAfter: 1 })
    const other = { type: "read_chat", payload: { other: true } }
    expect((await call(name, other)).body).toMatchObject({ reason: "IDEMPOTENCY_MISMATCH" })
    running.succeed()
    expect((await first).status).toBe(200)
    expect((await call(name, other)).status).toBe(422)
    const elsewhere = path.replace(/dmn_[^/]+/u, "dmn_elsewhere")
    const headers = { "idempotency-key": name }
    expect((await hub.request("POST", elsewhere, { key, body: command, headers })).status).toBe(422)
  })

  it("is waited for by a drain although its caller is gone, and replayed by the next hub, to any key of the account", async () => {
    const name = newKey()
    const gone = new AbortController()
    const first = call(name, command, { signal: gone.signal }).catch(() => "hung up")
    const running = await peer.nextCommand()
    const before = await aborted()
    gone.abort()
    await first
    await until("the hub knows that the caller is gone", async () => {
      await hub.advance(unreadLookMillis)
      return (await aborted()) > before
    })
    const restarting = hub.restart()
    const { url } = hub
    await until("the hub takes no more", () =>
      fetch(`${url}/healthz`).then(
        () => false,
        () => true
      )
    )
    running.succeed({ messages: ["kept"] })
    await restarting
    peer = await connectDaemon(hub, token, { report: [] })
    key = await account.key(["ide:control"])
    const answer = await call(name)
    expect(isReplay(answer)).toBe(true)
    expect(answer).toMatchObject({ status: 200, body: { success: true } })
  })

  given(newKey)("keeps a 504, and does not send the command again", async (name) => {
    const first = call(name)
    await peer.nextCommand()
    await hub.advance(60_000)
    const answer = await first
    expect(answer.status).toBe(504)
    const before = commands()
    const again = await call(name)
    expect([again.status, isReplay(again), again.body.commandId]).toEqual([504, true, answer.body.commandId])
    expect(commands()).toBe(before)
  })

  given(newKey)("keeps no refusal: the key is free for another try", async (name) => {
    const bad = await call(name, { type: "no_such_command", payload: {} })
    expect([bad.status, isReplay(bad)]).toEqual([400, false])
    const nowhere = path.replace(/dmn_[^/]+/u, `dmn_${"a".repeat(20)}`)
    const missing = () => hub.request("POST", nowhere, { key, body: command, headers: { "idempotency-key": name } })
    expect([(await missing()).status, isReplay(await missing())]).toEqual([404, false])
    expect((await ran(name)).status).toBe(200)
  })

  given(newKey)("is not counted against the quota when it is a replay", async (name) => {
    const used = async () => (await hub.request("GET", "/api/v1/usage", { session: await account.session() })).body.used
    await ran(name)
    const before = await used()
    for (let time = 0; time < 3; time++) expect(isReplay(await call(name))).toBe(true)
    expect(await used()).toBe(before)
  })

  given(() => account.session())("stores no secret: the replay of a create lacks it", async (session) => {
    const program = await hub.request("POST", "/api/v1/service-accounts", {
      session,
      body: { name: "ci", role: "viewer" }
    })
    const creates: ReadonlyArray<readonly [path: string, body: object, ...secrets: ReadonlyArray<string>]> = [
      ["api-keys", { name: "once", scopes: ["ide:read"] }, "key"],
      ["join-keys", { name: "once" }, "key"],
      ["invitations", { email: "once@example.com", role: "viewer" }, "token", "url"],
      [`service-accounts/${program.body.id}/keys`, {}, "key"]
    ]
    for (const [path, body, ...secrets] of creates) {
      const create = () =>
        hub.request("POST", `/api/v1/${path}`, { session, body, headers: { "idempotency-key": "create-once" } })
      const first = await create()
      const again = await create()
      expect([again.status, isReplay(again)]).toEqual([201, true])
      expect(first.body).toEqual({
        ...again.body,
        ...Object.fromEntries(secrets.map((name) => [name, expect.any(String)]))
      })
      for (const name of secrets) expect(again.body).not.toHaveProperty(name)
    }
  })

  given(newKey)("stores an outcome over 1 MiB as its status only", async (name) => {
    expect((await ran(name, { messages: ["x".repeat(1_100_000)] })).text.length).toBeGreaterThan(1_048_576)
    const again = await call(name)
    expect([again.status, again.text, isReplay(again)]).toEqual([200, "", true])
  })

  const sql = (text: string, values: ReadonlyArray<unknown>) =>
    hub.sql((client) => client.unsafe<{ readonly body: string }>(text, [...values]))
  const bodyOf = async (name: string): Promise<string> => {
    const [row] = await sql("select body from idempotency where account_id = $1 and key = $2", [
      account.accountId,
      name
    ])
    return row!.body
  }
  const setBody = (name: string, body: string) =>
    sql("update idempotency set body = $3 where account_id = $1 and key = $2", [account.accountId, name, body])

  given(() => ran("sealed"))("has its outcome kept sealed, and replayed as it was", async (answer) => {
    expect(await bodyOf("sealed")).toMatch(/^v1\.[0-9a-f]{8}\.[\w-]+\.[\w-]+$/u)
    const again = await call("sealed")
    expect([again.status, again.text]).toEqual([200, answer.text])
    expect(again.text).toContain(said)
  })

  it("has an outcome that opens for its own key only: anything else says that it was not kept, and runs nothing", async () => {
    await ran("one")
    await ran("other")
    await setBody("other", await bodyOf("one"))
    const again = await call("other")
    expect([again.status, again.body]).toMatchObject([410, { reason: "OUTCOME_NOT_KEPT", status: 200 }])
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect(again.text).not.toContain(said)
  })

  it("has its outcome of an earlier version, which sealed none, replayed as it was", async () => {
    const answer = await ran("plain")
    await setBody("plain", answer.text)
    const again = await call("plain")
    expect([again.status, again.text]).toEqual([200, answer.text])
  })
})
