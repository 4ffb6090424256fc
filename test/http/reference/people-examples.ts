/** The examples of members, invitations and service accounts. Owns the calls that are recorded; compares nothing. */
import type { TestHub } from "../../support/hub.ts"
import type { Recorder } from "./recorded-examples.ts"

const api = "/api/v1"
const password = "correct horse battery"

/** Records them. */
export const recordPeople = async (hub: TestHub, { call }: Recorder): Promise<void> => {
  const { account, session } = await hub.signedIn({ password })
  const invited = async (email: string, role: string) => {
    const body = { email, role }
    return call(hub, "members.invite", 201, `POST ${api}/invitations`, { session, body })
  }
  const { id: withdrawn } = await invited("ada@example.org", "viewer")
  const { token } = await invited("grace@example.org", "operator")
  await call(hub, "members.invitations", 200, `GET ${api}/invitations`, { session })
  await call(hub, "members.uninvite", 200, `DELETE ${api}/invitations/${withdrawn}`, { session })
  await call(hub, "members.showInvitation", 200, `POST ${api}/auth/invitations/show`, { body: { token } })
  const accepting = { body: { token, password } }
  const { personId } = await call(hub, "members.accept", 200, `POST ${api}/auth/invitations/accept`, accepting)
  await call(hub, "members.list", 200, `GET ${api}/members`, { session })
  const bound = { session, body: { role: "viewer", selector: "env=ci" } }
  await call(hub, "members.change", 200, `PATCH ${api}/members/${personId}`, bound)
  await call(hub, "members.remove", 200, `DELETE ${api}/members/${personId}`, { session })

  const program = { session, body: { name: "deploy", role: "operator", selector: "env=prod" } }
  const { id } = await call(hub, "serviceAccounts.create", 201, `POST ${api}/service-accounts`, program)
  const one = `${api}/service-accounts/${id}`
  await call(hub, "serviceAccounts.createKey", 201, `POST ${one}/keys`, { session, body: {} })
  await call(hub, "serviceAccounts.list", 200, `GET ${api}/service-accounts`, { session })
  await call(hub, "serviceAccounts.change", 200, `PATCH ${one}`, { session, body: { disabled: true } })
  await call(hub, "serviceAccounts.remove", 200, `DELETE ${one}`, { session })

  const { accountId } = account
  await call(hub, "auth.switch", 200, `POST ${api}/auth/switch`, { session, body: { accountId } })
  await call(hub, "auth.setPassword", 200, `POST ${api}/auth/password`, { session, body: { password } })
}
