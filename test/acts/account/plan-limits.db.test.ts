/**
 * What a plan allows an account to hold: one more is refused over HTTP and by an administrator, and `/me` shows the
 * use.
 */
import { describe, expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import type { AdminRequest } from "../../../src/admin/requests.ts"
import { type Plan, planLimits } from "../../../src/domain/account/plans.ts"
import { useHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"

describe("what a plan allows an account to hold", () => {
  const hub = useHub({ virtual: true })

  const owner = async (plan: Plan = "free") => {
    const { account, session } = await hub.signedIn({ plan })
    const call = (method: string, path: string, body?: unknown, headers = {}) =>
      hub.request(method, `/api/v1/${path}`, { session, body, headers })
    const enrol = (body = {}, headers = {}) => call("POST", "daemons/enroll", body, headers)
    const mint = (more = {}) => call("POST", "api-keys", { name: "k", scopes: ["ide:read"], ...more })
    const limits = async () => (await call("GET", "me")).body.limits
    return { ...account, session, call, enrol, mint, limits }
  }
  const operate = (request: AdminRequest) => hub.inside(perform(request))
  const times = <A>(count: number, make: () => Promise<A>) => Promise.all(Array.from({ length: count }, make))
  const max = planLimits.free

  it("is refused over the API with 403, the limit and the plan, however many ask at once", async () => {
    const { enrol, mint } = await owner()
    const daemons = await times(max.daemons + 2, () => enrol())
    const keys = await times(max.apiKeys + 2, () => mint())
    for (const [answers, limit, reason] of [
      [daemons, max.daemons, "DAEMON_LIMIT_REACHED"],
      [keys, max.apiKeys, "API_KEY_LIMIT_REACHED"]
    ] as const) {
      const refused = answers.filter(({ status }) => status !== 201)
      expect([refused.length, answers.length]).toEqual([2, limit + 2])
      for (const { status, body } of refused) {
        expect(status).toBe(403)
        const { error, requestId } = body
        const docs = `/docs/errors#${reason.toLowerCase()}`
        expect(body).toEqual({ error, reason, requestId, docs, limit, plan: "free" })
      }
    }
  })

  it("is refused after what is invalid, unknown or not allowed anyway", async () => {
    const { enrol, mint } = await owner()
    await times(max.daemons, () => enrol())
    await times(max.apiKeys, () => mint())
    expect((await enrol({ daemonId: "dmn_unknown" })).status).toBe(404)
    expect((await enrol({ name: "x".repeat(10_000) })).status).toBe(400)
    expect((await mint({ scopes: [] })).status).toBe(400)
    expect((await mint({ expiresAt: 1 })).status).toBe(400)
    expect((await mint({ scopes: ["registry:publish"] })).body.reason).toBe("AUTH_FORBIDDEN")
  })

  it("is refused to an administrator in a sentence that says what to do, and told with a new plan", async () => {
    const { accountId, enrol, mint } = await owner()
    await times(max.daemons, () => enrol())
    await times(max.apiKeys, () => mint())
    const key: AdminRequest = { op: "key create", account: accountId, name: "", scopes: ["ide:read"] }
    const token: AdminRequest = { op: "token create", account: accountId }
    expect(await operate(token)).toMatchObject({
      refusal: `plan free allows ${max.daemons} daemons, and the account has as many: revoke one (hub token list, hub token revoke), or give it another plan (hub account plan)`
    })
    expect(await operate(key)).toMatchObject({ refusal: expect.stringContaining(`${max.apiKeys} API keys`) })
    const held = { daemons: { used: max.daemons, max: 500 }, apiKeys: { used: max.apiKeys, max: 100 } }
    const answer = { accountId, plan: "pro", ...held, webhooks: { used: 0, max: 10 } }
    expect(await operate({ op: "account plan", account: accountId, plan: "pro" })).toEqual({ ok: true, answer })
    expect([await operate(token), await operate(key)]).toMatchObject([{ ok: true }, { ok: true }])
  })

  it("is shown in /me beside its use, which is up to date after every call", async () => {
    const { accountId, enrol, mint, limits, call } = await owner()
    const used = async () => {
      const { daemons, apiKeys, webhooks } = await limits()
      return [daemons.used, apiKeys.used, webhooks.used]
    }
    expect(await used()).toEqual([0, 0, 0])
    const { daemonId } = (await enrol()).body
    expect(await used()).toEqual([1, 0, 0])
    const { id } = (await mint()).body
    expect(await used()).toEqual([1, 1, 0])
    const webhook = await call("POST", "webhooks", { url: "http://127.0.0.1:9/", events: ["*"] })
    expect(await used()).toEqual([1, 1, 1])
    await call("POST", `daemons/${daemonId}/revoke`, {})
    await call("DELETE", `api-keys/${id}`)
    expect(await used()).toEqual([0, 0, 1])
    await enrol({ daemonId })
    await operate({ op: "token create", account: accountId })
    await operate({ op: "key create", account: accountId, name: "", scopes: ["ide:read"] })
    expect(await used()).toEqual([2, 1, 1])
    await call("DELETE", `daemons/${daemonId}`)
    await call("DELETE", `webhooks/${webhook.body.id}`)
    expect(await used()).toEqual([1, 1, 0])
  })

  it("is shown in /me for every plan, null where there is no end", async () => {
    const { limits } = await owner("enterprise")
    const { key, ip, month, ...budgets } = await limits()
    expect([key, ip.limit > 0, month.plan]).toEqual([null, true, "enterprise"])
    const enterprise = planLimits.enterprise
    expect(budgets).toEqual({
      daemons: { used: 0, max: enterprise.daemons },
      apiKeys: { used: 0, max: enterprise.apiKeys },
      people: { used: 1, max: null },
      serviceAccounts: { used: 0, max: null },
      webhooks: { used: 0, max: null },
      pendingDeliveries: { used: null, max: enterprise.pendingDeliveries },
      pendingDeliveryBytes: { used: null, max: enterprise.pendingDeliveryBytes },
      keptOutcomes: { used: null, max: enterprise.keptOutcomes },
      keptOutcomeBytes: { used: null, max: enterprise.keptOutcomeBytes },
      keptCommands: { used: null, max: enterprise.keptCommands },
      keptCommandBytes: { used: null, max: enterprise.keptCommandBytes }
    })
  })

  it("is shown in /me at once, also what takes a count, which is null until it is there", async () => {
    const { enrol, limits } = await owner()
    await enrol({}, { "idempotency-key": "k" })
    expect((await limits()).keptOutcomes).toEqual({ used: null, max: max.keptOutcomes })
    const used = await until("it is counted", async () => {
      const { pendingDeliveries, pendingDeliveryBytes, keptOutcomes, keptOutcomeBytes } = await limits()
      const all = [pendingDeliveries, pendingDeliveryBytes, keptOutcomes, keptOutcomeBytes]
      return all.every((one) => one.used !== null) && all.map((one) => one.used)
    })
    expect(used).toEqual([0, 0, 1, expect.any(Number)])
  })
})
