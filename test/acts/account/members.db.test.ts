/** An account that several people belong to: how they come, what each may, and that little is left when they go. */
import { describe, expect, it } from "vitest"
import { perform } from "../../../src/admin/operations.ts"
import { openEvents } from "../../support/event-stream.ts"
import { type HubRequest, type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const api = "/api/v1"
const password = "correct horse"
const unknown = { person: "per_00000000000000000000", invitation: "inv_00000000000000000000" }

describe("an account of several people", () => {
  const hub = useHub()
  let named = 0

  const call = (method: string, path: string, options: HubRequest = {}) =>
    hub.request(method, api + path, { ...(method === "GET" || method === "DELETE" ? {} : { body: {} }), ...options })
  const me = async (session: string) => (await call("GET", "/me", { session })).body
  const freshAddress = () => `Person.${++named}@members.example`
  const invite = async (session: string, role: string, more: object = {}) => {
    const email = freshAddress()
    const { status, body } = await call("POST", "/invitations", { session, body: { email, role, ...more } })
    expect(status).toBe(201)
    return { ...body, email: email.toLowerCase() }
  }
  const accept = (token: string, more: object = { password }, session?: string) =>
    call("POST", "/auth/invitations/accept", { body: { token, ...more }, ...(session !== undefined && { session }) })
  const signIn = async (email: string, secret = password): Promise<string> =>
    (await call("POST", "/auth/login", { body: { email, password: secret } })).body.token
  const join = async (account: TestAccount, role: string, more: object = {}) => {
    const { token, email } = await invite(await account.session(), role, more)
    const { body } = await accept(token)
    return { personId: body.personId as string, email, session: await signIn(email) }
  }
  const change = async (account: TestAccount, personId: string, body: object) =>
    call("PATCH", `/members/${personId}`, { session: await account.session(), body })

  it("is joined by an invitation, once, and its member signs in as themselves", async () => {
    const { account, session: owner } = await hub.signedIn()
    const { token, url, id, ...shown } = await invite(owner, "operator", { selector: "env=ci" })
    expect(url).toMatch(/\/console#\/invitation\/hubi_[0-9A-Za-z]{36}$/u)
    const waiting = (await call("GET", "/invitations", { session: owner })).body.invitations
    expect(waiting).toEqual([{ id, ...shown }])
    expect((await accept(token)).body).toMatchObject({ accountId: account.accountId, role: "operator" })
    expect((await accept(token)).status).toBe(404)
    const session = await signIn(shown.email)
    expect(await me(session)).toMatchObject({
      account: { id: account.accountId, email: account.email },
      person: { email: shown.email },
      role: "operator",
      selector: "env=ci",
      memberships: [{ accountId: account.accountId, role: "operator" }],
      limits: { people: { used: 2, max: 25 } }
    })
    const list = (await call("GET", "/members", { session })).body.members
    expect(list).toMatchObject([
      { email: account.email, role: "owner", invitedBy: null },
      { email: shown.email, role: "operator", selector: "env=ci", invitedBy: list[0].personId }
    ])
  })

  it("is joined by a person who is signed in under the invited address, who then switches between both", async () => {
    const [home, other] = [await hub.account({ password }), await hub.account()]
    const session = await home.session({ ageSeconds: 600 })
    const invited = async (email: string) =>
      (await call("POST", "/invitations", { session: await other.session(), body: { email, role: "viewer" } })).body
    const { token } = await invited(home.email.toUpperCase())
    expect((await accept(token)).body.reason).toBe("AUTH_REQUIRED")
    expect((await accept(token, {}, await other.session())).status).toBe(404)
    expect((await accept(token, {}, session)).status).toBe(200)
    const daemon = (await home.daemonToken()).daemonId
    const switched = (await call("POST", "/auth/switch", { session, body: { accountId: other.accountId } })).body
    expect(await me(switched.token)).toMatchObject({ account: { id: other.accountId }, role: "viewer" })
    const [before, after] = [await me(session), await me(switched.token)]
    expect(after.credential.authenticatedAt).toBe(before.credential.authenticatedAt)
    expect(after.memberships).toEqual(before.memberships)
    expect((await call("GET", `/daemons/${daemon}/status`, { session })).status).toBe(200)
    expect((await call("GET", `/daemons/${daemon}/status`, { session: switched.token })).status).toBe(404)
    const key = (
      await call("POST", "/api-keys", { session: await home.session(), body: { name: "k", scopes: ["ide:read"] } })
    ).body.key
    expect((await call("GET", "/me", { key })).body).toMatchObject({ memberships: [], person: { email: home.email } })
    const elsewhere = { session, body: { accountId: (await hub.account()).accountId } }
    expect((await call("POST", "/auth/switch", elsewhere)).status).toBe(404)
    // the password is the person's, and its change ends their sessions in both
    const recent = await home.session()
    const { body } = await call("POST", "/auth/password", { session: recent, body: { password: "another horse" } })
    expect(body.ended).toBeGreaterThanOrEqual(2)
    expect((await call("GET", "/me", { session: switched.token })).status).toBe(401)
    expect(await signIn(home.email)).toBeUndefined()
    expect(await me(await signIn(home.email, "another horse"))).toMatchObject({ account: { id: home.accountId } })
  })

  it("has a changed role count at once: for what is asked, for keys, and for streams", async () => {
    const account = await hub.account()
    const { personId, session } = await join(account, "operator")
    const made = { name: "k", scopes: ["ide:read", "ide:control"] }
    const { key } = (await call("POST", "/api-keys", { session, body: made })).body
    const stream = await openEvents(hub, session)
    const commands = () => Promise.all([{ session }, { key }].map((by) => call("GET", "/jobs", by)))
    expect((await commands()).map(({ status }) => status)).toEqual([200, 200])
    expect((await change(account, personId, { role: "viewer" })).body).toMatchObject({ role: "viewer" })
    expect((await commands()).map(({ body }) => [body.reason, body.requiredRole ?? body.requiredScope])).toEqual([
      ["ROLE_TOO_LOW", "operator"],
      ["AUTH_FORBIDDEN", "ide:control"]
    ])
    await until("the stream ends", () => stream.ended())
    expect((await call("GET", "/me", { key })).body).toMatchObject({ role: "viewer", scopes: ["ide:read"] })
    const wide = { session, body: { name: "k", scopes: ["agent:control"] } }
    expect((await call("POST", "/api-keys", wide)).body).toMatchObject({ requiredScope: "agent:control" })
  })

  it("shows a member who is bound to daemons no others, nor a key that they make", async () => {
    const account = await hub.account()
    const { session } = await join(account, "operator", { selector: "env=ci" })
    const { token, daemonId } = await account.daemonToken()
    await connectDaemon(hub, token, { report: [] })
    const tag = async (env: string) =>
      hub.request("PUT", `${api}/daemons/${daemonId}/tags`, {
        session: await account.session(),
        body: { tags: { env } }
      })
    await tag("prod")
    const made = { name: "k", scopes: ["ide:read"], selector: "!spot" }
    const { key, selector } = (await call("POST", "/api-keys", { session, body: made })).body
    expect(selector).toBe("env=ci,!spot")
    const seen = async (by: HubRequest) => [
      (await call("GET", "/daemons", by)).body.daemons.length,
      (await call("GET", `/daemons/${daemonId}/status`, by)).status
    ]
    expect([await seen({ session }), await seen({ key })]).toEqual([
      [0, 404],
      [0, 404]
    ])
    await tag("ci")
    await until("the tags have come", async () => (await seen({ session }))[1] === 200)
    expect(await seen({ key })).toEqual([1, 200])
  })

  it("ends what a member had when they are removed, and nothing of the account's", async () => {
    const account = await hub.account()
    const { personId, session, email } = await join(account, "admin")
    const { id, key } = (await call("POST", "/api-keys", { session, body: { name: "k", scopes: ["ide:read"] } })).body
    const hook = { session, body: { url: "http://127.0.0.1:9/", events: ["daemon:connect"] } }
    expect((await call("POST", "/webhooks", hook)).status).toBe(201)
    const service = (await call("POST", "/service-accounts", { session, body: { name: "ci", role: "viewer" } })).body
    const made = await call("POST", `/service-accounts/${service.id}/keys`, { session })
    const stream = await openEvents(hub, key)
    expect([stream.status, stream.ended()]).toEqual([200, false])
    const owner = await account.session()
    const removed = await call("DELETE", `/members/${personId}`, { session: owner })
    expect(removed.body).toEqual({ success: true, personId, revokedKeys: [id] })
    expect([(await call("GET", "/me", { session })).status, (await call("GET", "/me", { key })).status]).toEqual([
      401, 401
    ])
    await until("the stream ends", () => stream.ended())
    expect(await signIn(email)).toBeUndefined()
    expect((await call("GET", "/webhooks", { session: owner })).body.webhooks).toHaveLength(1)
    expect((await call("GET", "/me", { key: made.body.key })).body).toMatchObject({
      serviceAccount: service.id,
      person: null,
      role: "viewer"
    })
    const { events } = (await call("GET", "/audit", { session: owner })).body
    const actions = events.map(({ action }: { action: string }) => action)
    const ofMember = (await call("GET", `/audit?actor=${personId}`, { session: owner })).body.events
    expect(ofMember.map(({ action }: { action: string }) => action)).toContain("webhook.created")
    for (const action of ["invitation.created", "member.joined", "service_account.created", "member.removed"])
      expect(actions).toContain(action)
  })

  it("is left by whoever wants to, but not by its last owner, and an administrator moves no owner", async () => {
    const { account, session: owner } = await hub.signedIn()
    const { personId: ownerId } = (await call("GET", "/members", { session: owner })).body.members[0]
    const [admin, viewer] = [await join(account, "admin"), await join(account, "viewer")]
    const ask = async (method: string, id: string, session: string, body?: object) =>
      (await call(method, `/members/${id}`, { session, ...(body && { body }) })).body.reason
    expect(await ask("DELETE", ownerId, owner)).toBe("LAST_OWNER")
    expect(await ask("PATCH", ownerId, owner, { role: "admin" })).toBe("LAST_OWNER")
    expect(await ask("PATCH", ownerId, admin.session, { role: "viewer" })).toBe("ROLE_TOO_LOW")
    expect(await ask("PATCH", viewer.personId, admin.session, { role: "owner" })).toBe("ROLE_TOO_LOW")
    expect(await ask("DELETE", admin.personId, viewer.session)).toBe("ROLE_TOO_LOW")
    expect(await ask("DELETE", viewer.personId, viewer.session)).toBeUndefined()
    expect(await ask("DELETE", unknown.person, owner)).toBe("NOT_FOUND")
  })

  it("refuses each bad input with its reason", async () => {
    const { account, session } = await hub.signedIn({ plan: "free" })
    const member = await join(account, "viewer")
    const reasonOf = async (method: string, path: string, body: object) => {
      const answer = await call(method, path, { session, body })
      const [issue] = answer.body.issues ?? []
      return issue === undefined ? answer.body.reason : `${answer.body.reason} ${issue.path}`
    }
    const email = freshAddress()
    const past = hub.now() - 1
    const invitations: ReadonlyArray<readonly [object, string]> = [
      [{ email, role: "king" }, "VALIDATION_FAILED role"],
      [{ email: "no address", role: "viewer" }, "VALIDATION_FAILED email"],
      [{ email: "аdmin@example.org", role: "viewer" }, "VALIDATION_FAILED email"],
      [{ email, role: "viewer", selector: "==" }, "VALIDATION_FAILED selector"],
      [{ email, role: "admin", selector: "env=ci" }, "VALIDATION_FAILED selector"],
      [{ email, role: "viewer", expiresAt: past }, "VALIDATION_FAILED expiresAt"],
      [{ email, role: "viewer", expiresAt: past + 31 * 86_400_000 }, "VALIDATION_FAILED expiresAt"],
      [{ email: member.email, role: "viewer" }, "ALREADY_MEMBER"],
      [{ email: account.email, role: "viewer" }, "ALREADY_MEMBER"]
    ]
    for (const [body, reason] of invitations) expect(await reasonOf("POST", "/invitations", body)).toBe(reason)
    const { token } = await invite(session, "viewer")
    expect(await reasonOf("POST", "/invitations", { email, role: "viewer" })).toBe("PEOPLE_LIMIT_REACHED")
    expect((await accept(token, { password: "short" })).body.issues).toMatchObject([{ path: "password" }])
    expect((await accept(token, {})).body.issues).toMatchObject([{ path: "password" }])
    expect((await accept(`${token.slice(0, -1)}_`)).status).toBe(404)
    const services: ReadonlyArray<readonly [object, string]> = [
      [{ name: "s" }, "VALIDATION_FAILED role"],
      [{ name: "s", role: "viewer", scopes: ["ide:read"] }, "VALIDATION_FAILED role"],
      [{ name: "s", role: "owner" }, "VALIDATION_FAILED role"],
      [{ name: "s".repeat(10_000), role: "viewer" }, "VALIDATION_FAILED name"],
      [{ name: "s", scopes: ["registry:publish"] }, "AUTH_FORBIDDEN"],
      [{ name: "s", role: "admin", selector: "env=ci" }, "VALIDATION_FAILED selector"]
    ]
    for (const [body, reason] of services) expect(await reasonOf("POST", "/service-accounts", body)).toBe(reason)
    expect(await reasonOf("POST", "/auth/password", { password: "short" })).toBe("VALIDATION_FAILED password")
  })

  it("rotates the keys of a service account, two at a time, and has none while it is disabled", async () => {
    const { session } = await hub.signedIn()
    const made = { name: "deploy", scopes: ["ide:read", "agent:read"], selector: "env=prod" }
    const { id, keys, role } = (await call("POST", "/service-accounts", { session, body: made })).body
    expect([keys, role]).toEqual([[], null])
    const newKey = (body: object = {}) => call("POST", `/service-accounts/${id}/keys`, { session, body })
    const first = (await newKey()).body
    expect(first).toMatchObject({ owner: { kind: "service_account", id }, scopes: made.scopes, selector: "env=prod" })
    expect(first.expiresAt - first.createdAt).toBe(90 * 86_400_000)
    const later = hub.now() + 1_000_000
    expect((await newKey({ expiresAt: later })).body.expiresAt).toBe(later)
    expect((await newKey()).body.reason).toBe("SERVICE_KEY_LIMIT_REACHED")
    await call("DELETE", `/api-keys/${first.id}`, { session })
    const { key } = (await newKey()).body
    const works = async () => (await call("GET", "/me", { key })).status
    expect(await works()).toBe(200)
    const set = (disabled: boolean) => call("PATCH", `/service-accounts/${id}`, { session, body: { disabled } })
    expect((await set(true)).body).toMatchObject({ disabled: true, keys: [{}, {}] })
    expect(await works()).toBe(401)
    await set(false)
    expect(await works()).toBe(200)
    const { body } = await call("DELETE", `/service-accounts/${id}`, { session })
    expect(body.revokedKeys).toHaveLength(2)
    expect(await works()).toBe(401)
  })

  it("has each member's password set by the administrator of the hub, by their own address", async () => {
    const account = await hub.account({ password })
    const { email, session } = await join(account, "viewer")
    const secret = "a new one of the administrator"
    const answer = await hub.inside(perform({ op: "account password", account: email, password: secret }))
    expect(answer).toMatchObject({ ok: true })
    expect((await call("GET", "/me", { session })).status).toBe(401)
    expect([await signIn(email), await me(await signIn(email, secret))]).toMatchObject([undefined, { role: "viewer" }])
    expect(await me(await signIn(account.email))).toMatchObject({ role: "owner" })
  })

  it("answers another account's people, invitations and service accounts as unknown ones", async () => {
    const [mine, theirs] = [await hub.account(), await hub.account()]
    const session = await mine.session()
    const { personId } = await join(theirs, "viewer")
    const { id: invitation } = await invite(await theirs.session(), "viewer")
    const made = { session: await theirs.session(), body: { name: "s", role: "viewer" } }
    const { id: service } = (await call("POST", "/service-accounts", made)).body
    const ids = [
      ["DELETE", "/members/", personId, unknown.person],
      ["PATCH", "/members/", personId, unknown.person],
      ["DELETE", "/invitations/", invitation, unknown.invitation],
      ["DELETE", "/service-accounts/", service, "sva_00000000000000000000"],
      ["PATCH", "/service-accounts/", service, "x"],
      ["POST", "/service-accounts/", `${service}/keys`, "x/keys"]
    ] as const
    for (const [method, path, known, other] of ids) {
      const body = { role: "viewer", disabled: true }
      const answers = await Promise.all([known, other].map((id) => call(method, path + id, { session, body })))
      const plain = answers.map(({ status, body: { requestId: _, error, ...rest } }, nth) => ({
        ...{ status, ...rest },
        error: error.replace([known, other][nth]!.split("/")[0]!, "id")
      }))
      expect(plain[0], path).toMatchObject({ status: 404 })
      expect(plain[1], path).toEqual(plain[0])
    }
  })
})
