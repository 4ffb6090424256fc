/** The audit log as its account sees it: what is in it and what never is, whose it is, its filters and pages. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AuditLog } from "../../../actors/audit-log/audit-log.ts"
import { perform } from "../../../src/admin/operations.ts"
import { ownedDaemon } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import { useHub } from "../../support/hub.ts"
import { nextMillisecond } from "../../support/until.ts"

describe("the audit log", () => {
  const hub = useHub()

  const api = "/api/v1"
  /** What a session sees once all that was noted is written. */
  const seen = async (session: string, query = "") => {
    await hub.inside(Effect.flatMap(AuditLog, (log) => log.flush))
    const { status, body } = await hub.request("GET", `${api}/audit${query}`, { session })
    expect(status, JSON.stringify(body)).toBe(200)
    // the tests' own making of accounts and credentials is an administrator's doing
    const isOwn = ({ actor }: { actor: { kind: string } }) => actor.kind !== "command_line"
    return query.includes("command_line") ? body : { ...body, events: body.events.filter(isOwn) }
  }
  const actions = async (session: string, query = ""): Promise<ReadonlyArray<string>> =>
    (await seen(session, query)).events.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`)
  const owner = async () => {
    const account = await hub.account()
    return { account, session: await account.session() }
  }

  given(owner)("says who made and revoked a key, from where, with the request that did it", async ({ session }) => {
    const headers = { "x-request-id": "the-caller-s-own-id" }
    const body = { name: "a private name", scopes: ["ide:read", "agent:read"] }
    const made = await hub.request("POST", `${api}/api-keys`, { session, body, headers })
    await nextMillisecond()
    await hub.request("DELETE", `${api}/api-keys/${made.body.id}`, { session })
    const { events } = await seen(session)
    expect(events.map(({ action }: { action: string }) => action)).toEqual(["key.revoked", "key.created"])
    expect(events[1]).toEqual({
      id: expect.stringMatching(/^aud_/u),
      at: expect.any(Number),
      actor: {
        kind: "session",
        id: expect.stringMatching(/^ses_/u),
        person: expect.stringMatching(/^per_/u),
        serviceAccount: null
      },
      action: "key.created",
      object: made.body.id,
      detail: "ide:read agent:read",
      outcome: "done",
      reason: null,
      address: "127.0.0.1",
      node: expect.stringMatching(/^node_/u),
      requestId: "the-caller-s-own-id",
      count: 1
    })
    expect(JSON.stringify(events)).not.toContain("private")
  })

  it("shows an account nothing of another's, and a key nothing at all", async () => {
    const [one, other] = [await owner(), await owner()]
    const { key, keyId } = await one.account.keyRecord(["ide:read"])
    await hub.request("DELETE", `${api}/api-keys/${keyId}`, { session: other.session })
    expect(await actions(one.session)).toEqual([])
    expect(await actions(other.session)).toEqual(["key.revoked refused"])
    const asKey = await hub.request("GET", `${api}/audit`, { key })
    expect([asKey.status, asKey.body.reason]).toEqual([403, "AUTH_FORBIDDEN"])
  })

  it("keeps a session's start and end, and the sign-ins that failed as one row a minute with their number", async () => {
    const { email } = await hub.account({ password: "correct horse battery" })
    const login = (password: string) => hub.request("POST", `${api}/auth/login`, { body: { email, password } })
    for (let tries = 0; tries < 4; tries++) expect((await login("a wrong canary")).status).toBe(401)
    const first = (await login("correct horse battery")).body.token
    await hub.request("POST", `${api}/auth/logout`, { session: first })
    const { token } = (await login("correct horse battery")).body
    const { events } = await seen(token)
    expect(events.map(({ action, outcome, count }: Record<string, unknown>) => [action, outcome, count])).toEqual(
      expect.arrayContaining([
        ["session.started", "done", 1],
        ["session.ended", "done", 1],
        ["session.started", "done", 1],
        ["session.started", "refused", 4]
      ])
    )
    expect(events).toHaveLength(4)
    expect(JSON.stringify(events)).not.toMatch(/canary|horse|example/u)
  })

  it("has each command that acts on a daemon by its type, counted, and never its payload or what it printed", async () => {
    const { account, daemonId, connect } = await ownedDaemon(hub)
    const session = await account.session()
    const peer = await connect()
    peer.answerWith(() => ({ stdout: "canary-out", exitCode: 0 }))
    const { key, keyId } = await account.keyRecord(["terminal:exec", "ide:read"])
    const path = `${api}/daemons/${daemonId}/terminal`
    for (let sent = 0; sent < 2; sent++) {
      const { status } = await hub.request("POST", path, { key, body: { command: "echo canary-in" } })
      expect(status).toBe(200)
    }
    const weak = await account.keyRecord(["ide:read"])
    await hub.request("POST", path, { key: weak.key, body: { command: "echo canary-in" } })
    const { events } = await seen(session, "?action=command.sent")
    expect(events).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          actor: expect.objectContaining({ kind: "key", id: weak.keyId }),
          object: daemonId,
          outcome: "refused",
          reason: "AUTH_FORBIDDEN"
        }),
        expect.objectContaining({
          actor: expect.objectContaining({ kind: "key", id: keyId }),
          object: daemonId,
          detail: "terminal_exec",
          outcome: "done",
          count: 2
        })
      ])
    )
    expect(JSON.stringify(events)).not.toContain("canary")
  })

  given(owner)("has what is done to daemons and webhooks, and no secret or address of any", async ({ session }) => {
    const enrolled = await hub.request("POST", `${api}/daemons/enroll`, { session, body: { name: "canary" } })
    const { daemonId, token } = enrolled.body
    await hub.request("POST", `${api}/daemons/${daemonId}/disconnect`, { session })
    await hub.request("POST", `${api}/daemons/${daemonId}/revoke`, { session })
    const url = "http://127.0.0.1:9/canary-path"
    const made = await hub.request("POST", `${api}/webhooks`, { session, body: { url, events: ["daemon:connect"] } })
    const hook = `${api}/webhooks/${made.body.id}`
    const rotated = await hub.request("POST", `${hook}/rotate-secret`, { session })
    await hub.request("PATCH", hook, { session, body: { active: false, url } })
    await hub.request("DELETE", hook, { session })
    const { events } = await seen(session)
    expect(events.map(({ action, detail }: Record<string, string>) => [action, detail]).sort()).toEqual(
      [
        ["daemon.disconnected", null],
        ["daemon.enrolled", null],
        ["daemon.revoked", null],
        ["webhook.changed", "inactive url"],
        ["webhook.created", "daemon:connect"],
        ["webhook.removed", null],
        ["webhook.secret_rotated", null]
      ].sort()
    )
    const text = JSON.stringify(events)
    for (const secret of [token, made.body.secret, rotated.body.secret, "canary"]) expect(text).not.toContain(secret)
  })

  it("has what an administrator did on the command line, without a password", async () => {
    const { account, session } = await owner()
    const { accountId } = account
    const requests = [
      { op: "account plan", plan: "ultra" },
      { op: "account disable" },
      { op: "account enable" }
    ] as const
    for (const request of requests) {
      await nextMillisecond()
      await hub.inside(perform({ ...request, account: accountId }))
    }
    const { events } = await seen(session, "?actor=command_line")
    expect(events.map(({ action, detail }: Record<string, string>) => [action, detail])).toEqual([
      ["account.enabled", null],
      ["account.disabled", null],
      ["account.plan_set", "ultra"],
      ["account.created", "pro"]
    ])
    const listed = await hub.inside(perform({ op: "audit list", account: accountId, action: "account.plan_set" }))
    expect(listed).toMatchObject({ ok: true, answer: { events: [{ accountId, actor: "command_line" }] } })
  })

  given(owner)("filters, and goes on where a page ended", async ({ session }) => {
    for (const name of ["a", "b"])
      await hub.request("POST", `${api}/api-keys`, { session, body: { name, scopes: ["ide:read"] } })
    expect(await actions(session, "?action=key.revoked")).toEqual([])
    const first = await seen(session, "?action=key.created&limit=1")
    const second = await seen(session, `?action=key.created&limit=1&cursor=${first.nextCursor}`)
    expect(new Set([...first.events, ...second.events].map(({ id }) => id)).size).toBe(2)
    expect((await hub.request("GET", `${api}/audit?cursor=x`, { session })).status).toBe(400)
  })
})
