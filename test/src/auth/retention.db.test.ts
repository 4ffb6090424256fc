/** What time has made useless is removed, and nothing that is still good. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, it } from "vitest"
import { AuthRetention } from "../../../src/auth/retention.ts"
import { newId } from "../../../src/domain/ids.ts"
import { useHub } from "../../support/hub.ts"

const day = 86_400_000

const hub = useHub({ virtual: true })

it("the upkeep of sessions removes expired sessions, invitations, and keys no living token can name, and logs nobody out", async () => {
  const account = await hub.account()
  await account.session({ expired: true })
  const good = await account.session()
  const now = hub.now()
  const kid = newId("key")
  const counts = await hub.inside(
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update sessions set expires_at = ${now - 2 * day} where expires_at < ${now}`
      yield* sql`insert into sessions (id, account_id, auth_time, created_at, expires_at)
          values (${newId("session")}, ${account.accountId}, 1, 1, ${now - 2 * day})`
      yield* sql`insert into invitations (id, account_id, hash, email, email_key, role, invited_by, created_at, expires_at)
          values (${newId("invitation")}, ${account.accountId}, 'x'::bytea, 'a@b.c', 'a@b.c', 'viewer', 'x', 1, ${now - 1})`
      yield* sql`insert into signing_keys (kid, sealed, created_at) values (${kid}, 'x', ${now - 400 * day})`
      yield* (yield* AuthRetention).round
      const left = yield* sql`select (select count(*)::int from sessions where expires_at < ${now}) as sessions,
          (select count(*)::int from signing_keys where kid = ${kid}) as keys,
          (select count(*)::int from invitations where account_id = ${account.accountId}) as invitations`
      return left[0]
    })
  )
  expect(counts).toEqual({ sessions: 0, keys: 0, invitations: 0 })
  expect((await hub.request("GET", "/api/v1/me", { session: good })).status).toBe(200)
})
