/** The chapter of an account: the system's routes, signing in both ways, its limits and its API keys. */
import { until } from "../../support/until.ts"
import type { Calls } from "./calls.ts"
import { answered, type Connect, empty, refused, type World } from "./fixture.ts"

const verifier = "the-verifier-that-only-the-dashboard-of-this-browser-has"

const sha256 = async (text: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("base64url")

/** The hub itself. */
export const system = async (anyone: Calls): Promise<void> => {
  await answered(anyone["system.health"]({}))
  await answered(anyone["system.ready"]({}))
  await answered(anyone["system.metrics"]({}))
}

const throughProvider = async (world: World, anyone: Calls): Promise<string> => {
  await refused(anyone["auth.begin"]({ query: {} }), 400, "VALIDATION_FAILED")
  const asked = { challenge: await sha256(verifier) }
  const other = await empty(anyone["auth.begin"]({ query: asked }), 302)
  const sent = other.getSetCookie()[0]?.split(";")[0] ?? ""
  const begun = await empty(anyone["auth.begin"]({ query: asked, cookie: sent }), 302)
  const cookie = begun.getSetCookie()[0]?.split(";")[0] ?? ""
  const way = new URLSearchParams({ location: begun.get("location") ?? "" })
  const { address } = (await (await fetch(`${world.browser}?${way}`)).json()) as { address: string }
  const query = { state: "", ...Object.fromEntries(new URL(address).searchParams) }
  const back = await empty(anyone["auth.callback"]({ query, cookie }), 302)
  const failed = { state: "unknown", session_state: "s", error: "access_denied", error_description: "no" }
  await empty(anyone["auth.callback"]({ query: failed, cookie }), 302)
  const code = new URLSearchParams(new URL(back.get("location") ?? "").hash.slice(1)).get("code") ?? ""
  await refused(anyone["auth.exchange"]({ body: { code: "unknown", verifier } }), 401, "AUTH_INVALID")
  return (await answered(anyone["auth.exchange"]({ body: { code, verifier } }))).token
}

/** Signing in by password and at a provider, and out. */
export const signIn = async (world: World, connect: Connect): Promise<void> => {
  const anyone = connect()
  const provided = connect(await throughProvider(world, anyone))
  await answered(provided["auth.logout"]({}))
  await refused(provided["auth.refresh"]({}), 401, "AUTH_INVALID")

  const { email, password } = world.owner
  await refused(anyone["auth.login"]({ body: { email, password: "wrong" } }), 401, "AUTH_INVALID")
  await refused(anyone["auth.login"]({ body: { email: "", password } }), 400, "VALIDATION_FAILED")
  const { token, expiresAt, account } = await answered(anyone["auth.login"]({ body: { email, password } }))
  if (account.email !== email || expiresAt < Date.now()) throw new Error("the session is of another")
  const renewed = connect((await answered(connect(token)["auth.refresh"]({}))).token)
  await answered(renewed["auth.logoutOthers"]({}))
  await refused(connect(world.keys.all)["auth.logout"]({}), 403, "AUTH_FORBIDDEN")
  await refused(connect(world.sessions.stale)["auth.logoutOthers"]({}), 401, "AUTH_INVALID")
}

/** What a credential is and what is left of its limits; its calls without one. */
export const limits = async (world: World, connect: Connect): Promise<void> => {
  const me = await answered(connect(world.keys.all)["account.me"]({}))
  if (!me.scopes.includes("ide:read")) throw new Error("the key has lost a scope")
  const { used, limit } = await answered(connect(world.keys.all)["account.usage"]({}))
  if (limit !== null && used > limit) throw new Error("the month is over")
  await refused(connect()["account.me"]({}), 401, "AUTH_REQUIRED")
  await refused(connect("hub_not-a-key")["account.usage"]({}), 401, "AUTH_INVALID")
}

/** Keys, made by a person who has just signed in. */
export const keys = async (session: Calls, stale: Calls): Promise<void> => {
  const body = { name: "of the story", scopes: ["ide:read" as const, "agent:read" as const], expiresAt: null }
  const header = { "idempotency-key": "the-first-key" }
  const { id, key } = await answered(session["keys.create"]({ header, body }), 201)
  if (key === undefined) throw new Error("the key is not shown")
  await answered(session["keys.create"]({ body: { ...body, expiresAt: Date.now() + 86_400_000 } }), 201)
  await refused(session["keys.create"]({ body: { ...body, expiresAt: 1 } }), 400, "VALIDATION_FAILED")
  await answered(session["keys.create"]({ body: { ...body, selector: "env=prod" } }), 201)
  await refused(stale["keys.create"]({ body }), 403, "RECENT_LOGIN_REQUIRED")
  const { nextCursor } = await answered(session["keys.list"]({ query: { limit: 1 } }))
  if (nextCursor === undefined) throw new Error("there is no second page")
  await answered(session["keys.list"]({ query: { limit: 1, cursor: nextCursor } }))
  await refused(session["keys.list"]({ query: { cursor: "none" } }), 400, "VALIDATION_FAILED")
  await answered(session["keys.revoke"]({ path: { keyId: id } }))
  await refused(session["keys.revoke"]({ path: { keyId: "key_none" } }), 404, "NOT_FOUND")
}

/** A device that gets a key, and one that does not. */
export const devices = async (anyone: Calls, session: Calls, stale: Calls, connect: Connect): Promise<void> => {
  const body = { name: "of the story", scopes: ["ide:read" as const, "agent:read" as const] }
  const { deviceCode, userCode } = await answered(anyone["deviceCodes.begin"]({ body }))
  await refused(anyone["deviceCodes.token"]({ body: { deviceCode } }), 400, "AUTHORIZATION_PENDING")
  await refused(anyone["deviceCodes.token"]({ body: { deviceCode } }), 400, "SLOW_DOWN")
  const other = await answered(anyone["deviceCodes.begin"]({ body }))
  const shown = await answered(session["deviceCodes.show"]({ body: { userCode: other.userCode } }))
  if (shown.name !== body.name) throw new Error("it is shown under another name")
  const approval = { userCode: other.userCode, scopes: ["ide:read" as const] }
  await refused(stale["deviceCodes.approve"]({ body: approval }), 403, "RECENT_LOGIN_REQUIRED")
  await answered(session["deviceCodes.approve"]({ body: { ...approval, joinKey: true } }))
  const { key, scopes } = await answered(anyone["deviceCodes.token"]({ body: { deviceCode: other.deviceCode } }), 201)
  if (scopes.join() !== "ide:read") throw new Error("it got more than was allowed")
  await answered(connect(key)["account.me"]({}))
  await refused(anyone["deviceCodes.token"]({ body: { deviceCode: other.deviceCode } }), 400, "EXPIRED_TOKEN")
  await answered(session["deviceCodes.deny"]({ body: { userCode } }))
  await refused(session["deviceCodes.show"]({ body: { userCode } }), 404, "NOT_FOUND")
}

/** What was asked of the hub until now, refusals too. */
export const requests = async (session: Calls, key: Calls): Promise<void> => {
  const { requests: newest } = await until("the log has two requests", async () => {
    const page = await answered(session["requests.list"]({ query: { limit: 2 } }))
    return page.nextCursor === undefined ? undefined : page
  })
  const { nextCursor } = await answered(session["requests.list"]({ query: { limit: 1 } }))
  if (nextCursor === undefined || newest.length !== 2) throw new Error("there is no second page")
  await answered(session["requests.list"]({ query: { limit: 1, cursor: nextCursor } }))
  const filter = { status: "4xx", method: "GET" as const, reason: "VALIDATION_FAILED", operation: "keys.list" }
  const query = { ...filter, key: "session", pathContains: "api-keys", since: Date.now() - 600_000 }
  await until("a refusal is in the log", async () => {
    const { requests: refusals } = await answered(session["requests.list"]({ query }))
    return (
      refusals.length > 0 &&
      refusals.every(
        ({ status, path }: { status: number; path: string }) => status === 400 && path === "/api/v1/api-keys"
      )
    )
  })
  if ((await answered(key["requests.list"]({ query }))).requests.length > 0)
    throw new Error("a key sees what was asked without it")
  await refused(session["requests.list"]({ query: { status: "often" } }), 400, "VALIDATION_FAILED")
}

const callsMax = 100

/** Signing in too often. Nobody signs in from this address for a while afterwards. */
export const tooOften = async (anyone: Calls): Promise<void> => {
  for (let left = callsMax; left > 0; left--) {
    const body = { email: "another@example.org", password: "wrong" }
    const { status, error, headers } = await anyone["auth.login"]({ body })
    if (status === 401) continue
    const { code, retryAfter } = error ?? {}
    if (status !== 429 || code !== "RATE_LIMITED" || headers.get("retry-after") !== String(retryAfter))
      throw new Error(`429 with the time to come again is expected: ${status} ${JSON.stringify(error)}`)
    return
  }
  throw new Error("no limit is reached")
}
