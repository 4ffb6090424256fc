/** API keys over HTTP, and an account's own data: `api-keys`, `me`, `usage`. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Quota } from "../../../actors/limits/quota.ts"
import { planLimits } from "../../../src/domain/account/plans.ts"
import { toEffect } from "../../../src/runtime/maybe-sync.ts"
import { useHub } from "../../support/hub.ts"

describe("API keys", () => {
  const hub = useHub({ virtual: true })

  const create = (session: string, body: unknown) => hub.request("POST", "/api/v1/api-keys", { session, body })
  const list = async (session: string) => (await hub.request("GET", "/api/v1/api-keys", { session })).body.apiKeys
  const revoke = (session: string, id: string) => hub.request("DELETE", `/api/v1/api-keys/${id}`, { session })
  const me = (key: string) => hub.request("GET", "/api/v1/me", { key })

  it("are created with a record and the key itself, which is shown once", async () => {
    const { account: owner, session } = await hub.signedIn()
    const answer = await create(session, { name: "deploy", scopes: ["ide:read", "agent:read", "ide:read"] })
    expect(answer.status).toBe(201)
    const { key, ...record } = answer.body
    expect(key).toMatch(/^hub_[0-9A-Za-z]{36}$/u)
    expect(record).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{20}$/u),
      name: "deploy",
      prefix: key.slice(0, 12),
      scopes: ["ide:read", "agent:read"],
      selector: null,
      owner: { kind: "person", id: owner.accountId.replace("acc", "per") },
      createdAt: hub.now(),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null
    })
    expect(await list(session)).toEqual([record])
    expect((await me(key)).body).toMatchObject({
      credential: { kind: "key", id: record.id },
      scopes: ["ide:read", "agent:read"]
    })
  })

  it("are not created with an unknown scope, none, no name or an end in the past: 400, and nothing is stored", async () => {
    const session = await (await hub.account()).session()
    const bodies = [
      { name: "x", scopes: ["ide:write"] },
      { name: "x", scopes: [] },
      { name: "x" },
      { name: "", scopes: ["ide:read"] },
      { name: "x".repeat(101), scopes: ["ide:read"] },
      { name: "x", scopes: ["ide:read"], expiresAt: hub.now() },
      { name: "x", scopes: ["ide:read"], expiresAt: "tomorrow" },
      { name: "x", scopes: "ide:read" }
    ]
    for (const body of bodies) {
      const answer = await create(session, body)
      expect(answer.status, JSON.stringify(body)).toBe(400)
      expect(answer.body.issues.length).toBeGreaterThan(0)
    }
    expect(await list(session)).toEqual([])
  })

  it("that publish packages are minted by an administrator only", async () => {
    const body = { name: "publisher", scopes: ["registry:publish"] }
    const person = await create(await (await hub.account()).session(), body)
    expect(person.status).toBe(403)
    expect(person.body).toMatchObject({ code: "AUTH_FORBIDDEN", requiredScope: "registry:publish" })
    const admin = await create(await (await hub.account({ admin: true })).session(), body)
    expect(admin.status).toBe(201)
  })

  it("are refused at once when revoked, leave the list, and cannot be revoked twice", async () => {
    const session = await (await hub.account()).session()
    const { id, key } = (await create(session, { name: "x", scopes: ["ide:read"] })).body
    expect((await me(key)).status).toBe(200)
    const answer = await revoke(session, id)
    expect(answer.body).toEqual({ success: true, id, cancelledJobs: [] })
    expect((await me(key)).body.code).toBe("AUTH_INVALID")
    expect(await list(session)).toEqual([])
    expect((await revoke(session, id)).status).toBe(404)
  })

  it("see their account, their scopes and what is left of every limit", async () => {
    const account = await hub.account({ plan: "free" })
    const { keyId, key } = await account.keyRecord(["ide:read"])
    await me(key)
    const { body } = await me(key)
    expect(body.account).toEqual({ id: account.accountId, email: account.email, plan: "free", admin: false })
    expect(body.credential).toEqual({ kind: "key", id: keyId })
    expect(body.limits.key).toMatchObject({ limit: 1_000_000, windowSeconds: 60, remaining: 999_998 })
    expect(body.limits.month).toMatchObject({ plan: "free", used: 2, limit: 1_000, remaining: 998 })
  })

  it("are refused past the month's calls with the plan and the wait, and a session still sees why", async () => {
    const { account, key } = await hub.withKey(["ide:read"], { plan: "free" })
    await hub.inside(
      Effect.flatMap(Quota, (quota) =>
        Effect.forEach(
          Array.from({ length: planLimits.free.monthlyCalls - 1 }),
          () => toEffect(quota.take(account.accountId, "free")),
          { concurrency: 100, discard: true }
        )
      )
    )
    const last = await me(key)
    expect(last.status).toBe(200)
    expect(last.headers.get("ratelimit")).toMatch(/^"month";r=0;t=\d+, "key";/u)
    const refused = await me(key)
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ code: "API_LIMIT_EXCEEDED", limit: 1_000, plan: "free" })
    const wait = Number(refused.headers.get("retry-after"))
    const today = new Date(hub.now())
    const resetsAt = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1)
    expect(wait).toBe(Math.ceil((resetsAt - hub.now()) / 1_000))
    const session = await account.session()
    const { body } = await hub.request("GET", "/api/v1/usage", { session })
    const month = today.toISOString().slice(0, 7)
    expect(body).toEqual({ month, plan: "free", used: 1_000, limit: 1_000, remaining: 0, resetsAt })
  })

  it("are not issued while HUB_KEY_ISSUING is disabled; those that exist keep working", async () => {
    const { account, key } = await hub.withKey(["ide:read"])
    await hub.restart({ keyIssuing: "disabled" })
    const answer = await create(await account.session(), { name: "x", scopes: ["ide:read"] })
    expect(answer.status).toBe(403)
    expect(answer.body.code).toBe("AUTH_FORBIDDEN")
    expect((await me(key)).status).toBe(200)
  })
})
