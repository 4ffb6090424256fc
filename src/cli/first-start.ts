/**
 * The first start: an account, its password, an API key and a join key, so that the first calls need no reading. Owns
 * when that is (a store without an account) and the words; the credentials are in these lines once and nowhere
 * afterwards.
 */
import { randomInt } from "node:crypto"
import { Clock, Data, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { perform } from "../admin/operations.ts"
import type { AdminRequest } from "../admin/requests.ts"
import { hashCredential, shownPrefix } from "../auth/api-key.ts"
import { joinKeyTokens } from "../auth/checksummed-token.ts"
import { scopes } from "../domain/account/scopes.ts"
import { newId } from "../domain/ids.ts"
import { Accounts } from "../store/accounts/accounts.ts"
import { JoinKeys } from "../store/daemons/join-keys.ts"
import type { NotShown } from "./print.ts"

/** The first credentials could not be made. */
class FirstStartFailed extends Data.TaggedError("FirstStartFailed")<{ readonly sentence: string }> {}

const email = "owner@localhost"
const name = "first start"
const passwordLength = 24
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

const makePassword = (): string =>
  Array.from({ length: passwordLength }, () => letters[randomInt(letters.length)]).join("")

const made = Effect.fnUntraced(function* (request: AdminRequest) {
  const answer = yield* perform(request)
  return answer.ok ? answer.answer : yield* new FirstStartFailed({ sentence: answer.refusal })
})

/** An address that this machine can call: a hub that listens on every one of its addresses names none of them. */
export const callable = (address: string): string =>
  address.replace(/(?<=\/\/)(?:0\.0\.0\.0|\[::\])(?=:)/u, "127.0.0.1")

/** A machine is enrolled when it comes: a daemon that never connects would be listed, and be a target of jobs. */
const makeJoin = Effect.fnUntraced(function* (accountId: string) {
  const key = joinKeyTokens.make()
  const createdAt = yield* Clock.currentTimeMillis
  yield* (yield* JoinKeys).add({
    id: newId("joinKey"),
    accountId,
    hash: hashCredential(key),
    prefix: shownPrefix(key),
    name,
    tags: {},
    maxUses: 1,
    removeAfterMinutes: null,
    createdAt,
    expiresAt: null
  })
  return key
})

/** What a later start says at a terminal. */
export const laterStart = (url: string): string =>
  `Console: ${url}/console   (a lost password: ./hub account password ${email} --password -)`

const credentials = (url: string) =>
  Effect.gen(function* () {
    const password = makePassword()
    const { accountId } = yield* made({ op: "account create", email, password, plan: "pro", admin: false })
    const account = String(accountId)
    const granted = scopes.filter((scope) => scope !== "registry:publish")
    const { key } = yield* made({ op: "key create", account, name, scopes: granted })
    const joinKey = yield* makeJoin(account)
    return [
      "First start. These are shown once; only their hashes are kept.",
      `  account       ${account} (${email}, plan pro)`,
      `  password      ${password}`,
      `  API key       ${key}`,
      `  join key      ${joinKey} (for one machine)`,
      "Connect this machine, and list what is connected:",
      `  ./hub daemon --url ${url} --join ${joinKey} --state .hub-daemon.json`,
      `  curl -H "Authorization: Bearer ${key}" ${url}/api/v1/daemons`,
      `Or see all of it in a browser, signed in with the password: ${url}/console`,
      "Sign in; the token of the answer is the bearer of a call that makes a webhook, a key or a daemon token:",
      `  curl -H 'content-type: application/json' -d '${JSON.stringify({ email, password })}' ${url}/api/v1/auth/login`
    ]
  })

/**
 * Makes the first credentials if there is no account, and shows them. All or nothing, the showing included: an account
 * whose credentials were not seen would keep the next start from making any. Of nodes that start together, one makes
 * them. False: there was an account.
 */
export const firstStart = (url: string, show: (lines: ReadonlyArray<string>) => Effect.Effect<void, NotShown>) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const sql = yield* SqlClient.SqlClient
    if ((yield* accounts.count) > 0) return false
    yield* Effect.flatMap(credentials(url), show).pipe(
      sql.withTransaction,
      Effect.catchTag("FirstStartFailed", (failure) =>
        Effect.flatMap(accounts.count, (count) => (count > 0 ? Effect.void : Effect.fail(failure)))
      )
    )
    return true
  })
