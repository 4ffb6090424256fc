/** The hub of one company: who signs in at the provider becomes a member, with the role that their groups give. */
import { describe, expect, it } from "vitest"
import { challengeOf } from "../../../src/auth/challenge.ts"
import { useHub } from "../../support/hub.ts"
import { signInAt, startProvider } from "../../support/openid-provider.ts"
import { useStarted } from "../../support/use-started.ts"

const publicUrl = "http://hub.test"
const verifier = "the-verifier-that-only-the-dashboard-of-this-browser-has"
const api = "/api/v1"

describe("the hub of one company", () => {
  const provider = useStarted(() => startProvider(`${publicUrl}${api}/auth/callback`))
  const hub = useHub(() => {
    const { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret } = provider
    const dashboardUrl = "http://dashboard.test/signed-in"
    return { settings: { publicUrl, dashboardUrl, oidcIssuer, oidcClientId, oidcClientSecret } }
  })

  const me = async (session: string) => (await hub.request("GET", `${api}/me`, { session })).body
  /** The whole way: what /me says then, or why there was no way. */
  const signIn = async (person: string) => {
    const begun = await hub.request("GET", `${api}/auth/login?challenge=${challengeOf(verifier)}`)
    const cookie = begun.headers.get("set-cookie")!.split(";")[0]!
    const url = await signInAt(begun.headers.get("location")!, person)
    const back = await hub.request("GET", `${url.pathname}${url.search}`, { headers: { cookie } })
    const fragment = new URLSearchParams(new URL(back.headers.get("location")!).hash.slice(1))
    const code = fragment.get("code")
    if (code === null) return { refused: fragment.get("error_description") }
    const { body } = await hub.request("POST", `${api}/auth/exchange`, { body: { code, verifier } })
    return { ...(await me(body.token)), session: body.token as string }
  }

  it("has each as a viewer of its account where no claim says more, and never more people than the plan allows", async () => {
    const company = await hub.account({ plan: "free" })
    const own = await signIn("zoe")
    await hub.restart({ oidcAccount: company.accountId })
    const ann = await signIn("ann")
    expect(ann).toMatchObject({
      account: { id: company.accountId },
      person: { email: "ann@example.org" },
      role: "viewer"
    })
    const zoe = await signIn("zoe")
    expect(zoe).toMatchObject({ account: { id: company.accountId }, person: own.person, role: "viewer" })
    expect(zoe.memberships).toHaveLength(2)
    expect(await signIn("max")).toEqual({ refused: "the account has as many people as its plan allows" })
    const change = { session: await company.session(), body: { role: "operator" } }
    await hub.request("PATCH", `${api}/members/${ann.person.id}`, change)
    expect(await signIn("ann")).toMatchObject({ role: "operator", person: ann.person })
    await hub.restart({ oidcAccount: "acc_00000000000000000000" })
    expect(await signIn("ann")).toEqual({ refused: null })
  })

  it("reads the role anew at each sign-in: the highest of the groups; without one nobody is let in", async () => {
    const company = await hub.account()
    const oidcRoles = [
      { group: "hub-owners", role: "owner" },
      { group: "hub-admins", role: "admin" },
      { group: "staff", role: "viewer" }
    ] as const
    await hub.restart({ oidcAccount: company.accountId, oidcRoleClaim: "groups", oidcRoles })
    const none = { refused: "none of your groups there has a role here" }
    expect(await signIn("bea")).toEqual(none)
    provider.groups.set("bea", ["staff", "hub-admins", "others"])
    const admin = await signIn("bea")
    expect(admin).toMatchObject({ account: { id: company.accountId }, role: "admin" })
    provider.groups.set("bea", ["staff"])
    expect(await signIn("bea")).toMatchObject({ role: "viewer", person: admin.person })
    expect(await me(admin.session)).toMatchObject({ role: "viewer" })
    provider.groups.set("bea", ["viewer", "owner"])
    expect(await signIn("bea")).toEqual(none)
    // the last owner stays one, whatever their groups say
    provider.groups.set("bea", ["hub-owners"])
    expect(await signIn("bea")).toMatchObject({ role: "owner" })
    const session = await company.session()
    const [first] = (await hub.request("GET", `${api}/members`, { session })).body.members
    expect((await hub.request("DELETE", `${api}/members/${first.personId}`, { session })).status).toBe(200)
    provider.groups.set("bea", ["staff"])
    expect(await signIn("bea")).toMatchObject({ role: "owner" })
  })

  it("gives a person who came by an invitation to the one whose address it is, without what was theirs before", async () => {
    await hub.restart({ oidcAccount: undefined, oidcRoleClaim: undefined, oidcRoles: [] })
    const company = await hub.account()
    const invited = { session: await company.session(), body: { email: "cal@example.org", role: "operator" } }
    const { token } = (await hub.request("POST", `${api}/invitations`, invited)).body
    const password = "correct horse"
    const { personId } = (await hub.request("POST", `${api}/auth/invitations/accept`, { body: { token, password } }))
      .body
    const login = () => hub.request("POST", `${api}/auth/login`, { body: { email: "cal@example.org", password } })
    const before = (await login()).body.token
    const browsers = () => hub.sql((sql) => sql`select 1 from push_subscriptions where person_id = ${personId}`)
    await hub.sql(
      (sql) => sql`insert into push_subscriptions
        (id, account_id, person_id, endpoint_hash, origin, sealed, shows_subject, created_at)
        values ('psh_of_before', ${company.accountId}, ${personId}, '', '', '', true, 1)`
    )
    expect(await browsers()).toHaveLength(1)
    expect((await signIn("unvouched-cal")).refused).toContain("is not verified there")
    expect(await signIn("cal")).toMatchObject({ person: { id: personId }, account: { id: company.accountId } })
    expect((await hub.request("GET", `${api}/me`, { session: before })).status).toBe(401)
    expect((await login()).status).toBe(401)
    expect(await browsers()).toEqual([])
    // the same of one who came by a provider that had not verified the address
    await hub.restart({ oidcAccount: company.accountId, oidcRoleClaim: undefined, oidcRoles: [] })
    const unproven = await signIn("unvouched-dee")
    expect(unproven).toMatchObject({ person: { email: "dee@example.org" }, role: "viewer" })
    expect(await signIn("dee")).toMatchObject({ person: unproven.person })
    expect((await hub.request("GET", `${api}/me`, { session: unproven.session })).status).toBe(401)
    expect((await signIn("unvouched-dee")).refused).toContain("is not verified there")
  })
})
