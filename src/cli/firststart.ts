/**
 * The first start: an account, an API key and a daemon token, so that the first call needs no reading. Owns when that is
 * (a store without an account) and the words; the credentials are in these lines once and nowhere afterwards.
 */
import { Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { perform } from "../admin/operations.ts"
import type { AdminRequest } from "../admin/requests.ts"
import { scopes } from "../domain/scopes.ts"
import { Accounts } from "../store/accounts.ts"

/** The first credentials could not be made. */
export class FirstStartFailed extends Data.TaggedError("FirstStartFailed")<{ readonly sentence: string }> {}

const email = "owner@localhost"
const name = "first start"

const made = Effect.fnUntraced(function* (request: AdminRequest) {
  const answer = yield* perform(request)
  return answer.ok ? answer.answer : yield* new FirstStartFailed({ sentence: answer.refusal })
})

/** All or nothing: an account without its credentials would keep the next start from making any. */
const credentials = Effect.gen(function* () {
  const { accountId } = yield* made({ op: "account create", email, plan: "pro", admin: false })
  const account = String(accountId)
  const granted = scopes.filter((scope) => scope !== "registry:publish")
  const { key } = yield* made({ op: "key create", account, name, scopes: granted })
  const { daemonId, token } = yield* made({ op: "token create", account })
  return [
    "First start. These are shown once; only their hashes are kept.",
    `  account       ${account} (${email}, plan pro)`,
    `  API key       ${key}`,
    `  daemon token  ${token} (machine ${daemonId})`
  ]
})

/** Makes the first credentials if there is no account; the lines to show. Of nodes that start together, one makes them. */
export const firstStart = Effect.gen(function* () {
  const accounts = yield* Accounts
  const sql = yield* SqlClient.SqlClient
  if ((yield* accounts.count) > 0) return []
  return yield* credentials.pipe(
    sql.withTransaction,
    Effect.catchTag("FirstStartFailed", (failure) =>
      Effect.flatMap(accounts.count, (count) => (count > 0 ? Effect.succeed([]) : Effect.fail(failure)))
    )
  )
})
