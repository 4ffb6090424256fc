/**
 * The order of checks: credential, rate limit, recent login, scope, quota, body, action. Each step is refused in turn,
 * and no later step has run or was charged.
 */
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { afterEach, describe, expect, it } from "vitest"
import { type Access, access } from "../../../http/api/access.ts"
import type { Principal } from "../../../src/domain/account/principal.ts"
import { type Scope, sessionScopes } from "../../../src/domain/account/scopes.ts"
import { AuthInvalid, DaemonOffline, RateLimited, StoreFailed, TokenExpired } from "../../../src/errors.ts"
import { type Script, startEdge, type TestEdge } from "../../support/edge.ts"
import { given } from "../../support/given.ts"

const start = 1_790_000_000
const key = (...scopes: ReadonlyArray<Scope>): Principal => ({
  accountId: "acc_1",
  plan: "free",
  role: "owner",
  admin: false,
  scopes: new Set(scopes),
  credential: { kind: "key", keyId: "key_1" }
})
const session = (authTime?: number): Principal => ({
  accountId: "acc_1",
  plan: "free",
  role: "owner",
  admin: false,
  scopes: new Set(sessionScopes),
  credential: {
    kind: "session",
    sessionId: "ses_1",
    expiresAt: (start + 999) * 1_000,
    ...(authTime !== undefined && { authTime })
  }
})
const credentials = {
  good: key("ide:control"),
  unscoped: key("ide:read"),
  fresh: session(start - 60),
  stale: session(start - 901),
  timeless: session(),
  expired: new TokenExpired(),
  bad: new AuthInvalid(),
  unread: new StoreFailed({ operation: "read the key", cause: new Error("secret words of the store") })
}

const Payload = Schema.Struct({ name: Schema.String })
const at = (name: string, needs: Omit<Access, "onHangUp">) =>
  HttpApiEndpoint.post(name as "act", `/${name}` as "/act", { payload: Payload, success: Payload }).annotateMerge(
    access({ role: "viewer", ...needs, onHangUp: "cancel" })
  )
const Group = HttpApiGroup.make("steps").add(
  at("act", { kind: "any", scope: "ide:control" }),
  at("recent", { kind: "any", scope: "ide:control", recent: true }),
  at("dashboard", { kind: "session", tellsExpired: true, quota: false }),
  at("free", { kind: "any", scope: "ide:control", quota: false }),
  at("open", { kind: "public" }),
  at("enter", { kind: "public", signIn: true }),
  at("leave", { kind: "session", signIn: true }),
  at("system", { kind: "public", limited: false }),
  at("offline", { kind: "any" })
)

let edge: TestEdge | undefined
afterEach(async () => {
  await edge?.close()
  edge = undefined
})

const begin = async (script: Script = {}) => {
  const ran: Array<string> = []
  const act = ({ payload }: { payload: { name: string } }) =>
    Effect.sync(() => {
      ran.push("action")
      return payload
    })
  const offline = () => Effect.fail(new DaemonOffline())
  const steps = {
    act,
    recent: act,
    dashboard: act,
    free: act,
    open: act,
    enter: act,
    leave: act,
    join: act,
    system: act,
    offline
  }
  edge = await startEdge({ credentials, ...script }, { steps }, HttpApi.make("order").add(Group))
  const one = edge
  const call = async (path: string, bearer?: string, body = '{"name":"a"}', authorization?: string) => {
    const value = authorization ?? (bearer === undefined ? undefined : `Bearer ${bearer}`)
    const answer = await fetch(one.url + path, {
      method: "POST",
      body,
      headers: value === undefined ? {} : { authorization: value }
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) as Record<string, unknown> }
  }
  return { call, ran, asked: one.asked }
}

describe.each([
  ["cached", {}],
  ["looked up", { cached: false, quotaAtHand: false }]
] as const)("with credentials %s", (how, script) => {
  const look = how === "cached" ? [] : ["look"]

  it.each<[string, Script, [string, string, string?], object, ReadonlyArray<string>, ReadonlyArray<string>]>([
    [
      "answers a good call and charges its window and the quota once",
      {},
      ["/act", "good"],
      { status: 200 },
      ["key", "quota"],
      ["action"]
    ],
    [
      "refuses a full window before everything else: nothing is charged, nothing runs",
      { keyFull: true, quotaFull: true },
      ["/recent", "unscoped", "not json"],
      { status: 429, retryAfter: "42", body: { code: "RATE_LIMITED", retryAfter: 42 } },
      ["key"],
      []
    ],
    [
      "refuses a scope that is missing before the quota is charged",
      { quotaFull: true },
      ["/act", "unscoped", "not json"],
      { status: 403, body: { code: "AUTH_FORBIDDEN", requiredScope: "ide:control" } },
      ["key"],
      []
    ],
    [
      "refuses a used-up quota before it reads the body",
      { quotaFull: true },
      ["/act", "good", "not json"],
      { status: 429, retryAfter: "86400", body: { code: "API_LIMIT_EXCEEDED", limit: 1_000, plan: "free" } },
      ["key", "quota"],
      []
    ],
    [
      "refuses a body that does not fit after the quota, and before the action",
      {},
      ["/act", "good", "not json"],
      { status: 400 },
      ["key", "quota"],
      []
    ],
    [
      "gives back to the quota what ends in 5xx, and nothing else",
      {},
      ["/offline", "good"],
      { status: 500 },
      ["key", "quota", "refund"],
      []
    ],
    [
      "charges a dashboard session to its address and never to the quota",
      {},
      ["/recent", "fresh"],
      { status: 200 },
      ["address"],
      ["action"]
    ]
  ])("%s", async (_, more, words, expected, charged, runs) => {
    const { call, ran, asked } = await begin({ ...script, ...more })
    const answer = await call(...words)
    expect({ ...answer, retryAfter: answer.headers.get("retry-after") }).toMatchObject(expected)
    expect([asked, ran]).toEqual([[...look, ...charged], runs])
  })

  it("refuses a login that is not recent before it looks at the scope", async () => {
    const { call, ran, asked } = await begin({ ...script, quotaFull: true })
    expect((await call("/recent", "unscoped", "not json")).body).toMatchObject({ code: "RECENT_LOGIN_REQUIRED" })
    expect((await call("/recent", "stale")).body).toMatchObject({ authAge: 901, maxAge: 900 })
    expect((await call("/recent", "timeless")).body).not.toHaveProperty("authAge")
    expect(asked).toEqual([...look, "key", ...look, "address", ...look, "address"])
    expect(ran).toEqual([])
  })
})

describe("without a good credential", () => {
  it.each([
    ["no header", undefined, "AUTH_REQUIRED"],
    ["another scheme", "Basic Z29vZDo=", "AUTH_INVALID"],
    ["no credential after the scheme", "Bearer ", "AUTH_INVALID"],
    ["two words after the scheme", "Bearer good good", "AUTH_INVALID"],
    ["an endless credential", `Bearer ${"x".repeat(8_193)}`, "AUTH_INVALID"]
  ])("answers 401 to %s without a look-up and charges the address", async (_, authorization, code) => {
    const { call, asked } = await begin({ cached: false })
    const answer = await call("/act", undefined, "not json", authorization)
    expect(answer).toMatchObject({ status: 401, body: { code } })
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/u)
    expect(asked).toEqual(["address"])
  })

  given(begin)("answers 401 AUTH_INVALID to an unknown key after one look-up", async ({ call, asked }) => {
    expect((await call("/act", "bad")).body).toMatchObject({ code: "AUTH_INVALID" })
    expect(asked).toEqual(["look", "address"])
  })

  given(() => begin({ addressFull: true }))("answers 429 instead once the address is full", async ({ call }) => {
    for (const bearer of [undefined, "bad", "expired"])
      expect((await call("/act", bearer)).body).toMatchObject({ code: "RATE_LIMITED" })
    expect((await call("/open")).status).toBe(429)
    expect((await call("/system")).status).toBe(200)
    expect((await call("/act", "good")).status).toBe(200)
  })

  given(begin)("tells an expired session apart only where the route says so", async ({ call }) => {
    expect((await call("/act", "expired")).body).toMatchObject({ code: "AUTH_INVALID" })
    const told = await call("/dashboard", "expired")
    expect(told).toMatchObject({ status: 401, body: { reason: "TOKEN_EXPIRED" } })
    expect(told.body).not.toHaveProperty("code")
  })

  given(begin)("answers 403 to a key where only a dashboard session will do", async ({ call, ran }) => {
    expect(Object.values((await call("/dashboard", "good")).body).join()).toMatch(/session.*AUTH_FORBIDDEN/u)
    expect((await call("/dashboard", "stale")).status).toBe(200)
    expect(ran).toEqual(["action"])
  })

  it("answers 500 when the store cannot say, shows nothing of it and charges nobody", async () => {
    const { call, asked } = await begin()
    const answer = await call("/act", "unread")
    expect(answer).toMatchObject({ status: 500, body: { reason: "INTERNAL" } })
    expect(answer.text).not.toContain("secret words")
    expect(asked).toEqual(["look"])
  })
})

describe("the auth endpoints", () => {
  it("are charged to the address and to their own window, whatever the credential and the body", async () => {
    const { call, asked } = await begin()
    expect((await call("/enter", undefined, "not json")).status).toBe(400)
    expect((await call("/leave")).status).toBe(401)
    expect((await call("/leave", "fresh")).status).toBe(200)
    expect(asked).toEqual(["address", "sign-in", "address", "sign-in", "address", "sign-in"])
  })

  it("answer 429 past their own window before anything is charged, and are not charged where the address is full", async () => {
    const spent = await begin({ signInsSpent: new RateLimited({ limit: 100, retryAfter: 7 }) })
    for (const [path, bearer] of [["/enter"], ["/leave"], ["/leave", "fresh"]] as const)
      expect((await spent.call(path, bearer, "not json")).body).toMatchObject({ reason: "RATE_LIMITED", limit: 100 })
    expect(spent.asked).toEqual([])
    await edge?.close()
    const full = await begin({ addressFull: true })
    expect((await full.call("/enter")).body).toMatchObject({ reason: "RATE_LIMITED", limit: 60 })
    expect((await full.call("/leave", "fresh")).status).toBe(429)
    expect(full.asked).toEqual(["address", "address"])
  })

  it("that would be one too many of them show the address's window with their 429", async () => {
    const { call } = await begin({ signInRefused: new RateLimited({ limit: 100, retryAfter: 7 }) })
    for (const [path, bearer] of [["/enter"], ["/leave", "fresh"]] as const) {
      const answer = await call(path, bearer)
      expect(answer.body).toMatchObject({ reason: "RATE_LIMITED", limit: 100 })
      expect(answer.headers.get("ratelimit")).toMatch(/^"ip";r=/u)
    }
  })
})

describe("limits", () => {
  given(begin)("shows the windows and the quota, the binding one first", async ({ call }) => {
    const answer = await call("/act", "good")
    expect(answer.headers.get("ratelimit-policy")).toBe('"key";q=120;w=60, "month";q=1000;w=2678400')
    expect(answer.headers.get("ratelimit")).toBe('"key";r=119;t=60, "month";r=999;t=86400')
  })

  it("refuses a person whose sessions make too many calls from many addresses, and shows that window", async () => {
    const { call } = await begin({ sessionFull: true })
    const answer = await call("/dashboard", "fresh")
    expect(answer.status).toBe(429)
    expect(answer.headers.get("ratelimit-policy")).toBe('"session";q=300;w=60, "ip";q=60;w=60')
    expect((await call("/act", "good")).status).toBe(200)
  })

  given(begin)("shows no quota on a route that does not count", async ({ call, asked }) => {
    expect((await call("/free", "good")).headers.get("ratelimit-policy")).toBe('"key";q=120;w=60')
    expect(asked).toEqual(["key"])
  })

  given(begin)("shows no limit on a system route", async ({ call }) => {
    expect((await call("/system")).headers.get("ratelimit")).toBeNull()
  })

  it("counts keyed calls to the address too where HUB_RATE_IP_SCOPE is all, and a refusal to neither", async () => {
    const all = await begin({ settings: { rateIpScope: "all" } })
    expect((await all.call("/act", "good")).status).toBe(200)
    expect(all.asked).toEqual(["key", "address", "quota"])
    await edge?.close()
    const full = await begin({ settings: { rateIpScope: "all" }, addressFull: true })
    expect((await full.call("/act", "good")).status).toBe(429)
    expect(full.asked).toEqual([])
  })
})
