/** The chapter of people: one is invited, joins, is bound to a part of the fleet and leaves; a program has keys. */
import type { Calls } from "./calls.ts"
import { answered, type Connect, refused } from "./fixture.ts"

const password = "correct horse battery"

const members = async (session: Calls, stale: Calls, as: Connect): Promise<void> => {
  const [expiresAt, selector] = [Date.now() + 86_400_000, "env=story"]
  const invite = (email: string) => {
    const [header, body] = [{ "idempotency-key": email }, { email, role: "operator" as const, selector, expiresAt }]
    return answered(session["members.invite"]({ header, body }), 201)
  }
  const { token } = await invite("grace@story.example")
  if (token === undefined) throw new Error("the token is not shown")
  const { id } = await invite("ada@story.example")
  await refused(
    stale["members.invite"]({ body: { email: "a@b.example", role: "viewer" } }),
    403,
    "RECENT_LOGIN_REQUIRED"
  )
  await answered(session["members.invitations"]({}))
  await answered(session["members.uninvite"]({ path: { invitationId: id } }))
  await refused(session["members.uninvite"]({ path: { invitationId: id } }), 404, "NOT_FOUND")
  await refused(as()["members.showInvitation"]({ body: { token: "unknown" } }), 404, "NOT_FOUND")
  await answered(as()["members.showInvitation"]({ body: { token } }))
  await refused(as()["members.accept"]({ body: { token: "unknown", password } }), 404, "NOT_FOUND")
  const { personId, email, accountId } = await answered(as()["members.accept"]({ body: { token, password } }))
  await refused(session["members.invite"]({ body: { email, role: "viewer" } }), 409, "ALREADY_MEMBER")
  const member = as((await answered(as()["auth.login"]({ body: { email, password } }))).token)
  const { nextCursor } = await answered(session["members.list"]({ query: { limit: 1 } }))
  await answered(session["members.list"]({ query: { limit: 9, cursor: nextCursor ?? "" } }))
  await refused(member["members.invitations"]({}), 403, "ROLE_TOO_LOW")
  const entered = as((await answered(member["auth.switch"]({ body: { accountId } }))).token)
  await refused(member["auth.switch"]({ body: { accountId: "acc_none" } }), 404, "NOT_FOUND")
  await answered(entered["auth.setPassword"]({ body: { password } }))
  await answered(session["members.change"]({ path: { personId }, body: { role: "viewer", selector: "" } }))
  const [first] = (await answered(session["members.list"]({}))).members
  await refused(session["members.remove"]({ path: { personId: first!.personId } }), 409, "LAST_OWNER")
  await answered(entered["members.remove"]({ path: { personId } }))
}

const programs = async (session: Calls): Promise<void> => {
  const header = { "idempotency-key": "the-first-program" }
  const first = { name: "story", role: "viewer" as const }
  const { id } = await answered(session["serviceAccounts.create"]({ header, body: first }), 201)
  const body = { name: "other", scopes: ["ide:read" as const], selector: "env=story" }
  const other = await answered(session["serviceAccounts.create"]({ body }), 201)
  const { nextCursor } = await answered(session["serviceAccounts.list"]({ query: { limit: 1 } }))
  await answered(session["serviceAccounts.list"]({ query: { limit: 9, cursor: nextCursor ?? "" } }))
  const path = { serviceAccountId: id }
  const newKey = () => session["serviceAccounts.createKey"]({ path, body: { expiresAt: Date.now() + 86_400_000 } })
  await answered(newKey(), 201)
  await answered(session["serviceAccounts.createKey"]({ header, path, body: {} }), 201)
  await refused(newKey(), 409, "SERVICE_KEY_LIMIT_REACHED")
  await answered(session["serviceAccounts.change"]({ path, body: { disabled: true } }))
  for (const one of [id, other.id])
    await answered(session["serviceAccounts.remove"]({ path: { serviceAccountId: one } }))
  await refused(session["serviceAccounts.remove"]({ path }), 404, "NOT_FOUND")
}

export const people = async (session: Calls, stale: Calls, as: Connect): Promise<void> => {
  await members(session, stale, as)
  await programs(session)
}
