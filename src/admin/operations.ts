/**
 * The administrator's operations: accounts, keys, daemon tokens, and exports of the database. Owns them for every kind
 * of caller. A credential leaves here once, in the answer that made it; only its hash is stored.
 */
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { hashCredential, makeKey, shownPrefix } from "../auth/api-key.ts"
import { daemonTokens } from "../auth/checksummed-token.ts"
import { revokeKey } from "../auth/credential-ending.ts"
import { Passwords } from "../auth/password.ts"
import { Bus } from "../bus/bus.ts"
import { describeProcess } from "../doctor/process.ts"
import { readKeySelector } from "../domain/account/key-selector.ts"
import { type Plan, planLimits } from "../domain/account/plans.ts"
import { newId } from "../domain/ids.ts"
import { Accounts } from "../store/accounts/accounts.ts"
import { Keys } from "../store/accounts/api-keys.ts"
import { countHoldings } from "../store/accounts/holdings.ts"
import { People } from "../store/accounts/people.ts"
import { Sessions } from "../store/accounts/sessions.ts"
import { Exports } from "../store/backup/exports.ts"
import { Daemons } from "../store/daemons/daemons.ts"
import { byAdministrator, noteEnd } from "./audited-operation.ts"
import { disconnectDaemon, listDaemons, showDaemon } from "./daemon-operations.ts"
import { listAccounts, listAudit, listKeys, listTokens } from "./list-operations.ts"
import { addOAuthClient, listOAuthClients, removeOAuthClient } from "./oauth-operations.ts"
import { type Answer, account, type Failure, type Part, Refused, type Request } from "./operation.ts"
import { deleteAccount, deleteToken } from "./removal-operations.ts"
import type { AdminAnswer, AdminOp, AdminRequest } from "./requests.ts"
import { rotateSecrets } from "./rotation-operation.ts"
import type { StoreServices } from "./services.ts"
import { disableTurn, enableTurn, listTurn, turnOf } from "./turn-operations.ts"

const changed = Effect.fnUntraced(function* (accountId: string) {
  const bus = yield* Bus
  bus.publish("account_changed", { accountId })
  return { accountId } as Answer
})

/** Voids the cached counts of daemons and keys. */
const voidCounts = Effect.fnUntraced(function* (accountId: string) {
  const bus = yield* Bus
  bus.publish("holdings_changed", { accountId })
})

const createAccount = Effect.fnUntraced(function* (request: Request<"account create">) {
  const accounts = yield* Accounts
  const passwords = yield* Passwords
  const passwordHash = request.password === undefined ? null : yield* passwords.hash(request.password)
  const { email, plan, admin } = request
  const draft = { id: newId("account"), email, passwordHash, plan, admin, createdAt: yield* Clock.currentTimeMillis }
  if (!(yield* accounts.create(draft)))
    return yield* new Refused({ sentence: `there is an account of ${email} already` })
  return { accountId: draft.id } as Answer
})

const setDisabled = Effect.fnUntraced(function* (named: string, disabled: boolean) {
  const accounts = yield* Accounts
  const { id } = yield* account(named)
  const bus = yield* Bus
  yield* accounts.setDisabled(id, disabled)
  // Caches are voided before any connection is closed, so that none of those closed can connect again.
  const answer = yield* changed(id)
  bus.publish("webhooks_changed", { accountId: id })
  if (disabled) bus.publish("account_disabled", { accountId: id })
  return answer
})

const setAdmin = Effect.fnUntraced(function* (request: Request<"account admin">) {
  const accounts = yield* Accounts
  const { id } = yield* account(request.account)
  yield* accounts.setAdmin(id, request.admin)
  return { ...(yield* changed(id)), admin: request.admin } as Answer
})

/** Whose password it is: of who has this address, or whose address the account bears. */
const personOf = Effect.fnUntraced(function* (named: string) {
  const people = yield* People
  const person = named.includes("@") ? yield* people.byEmail(named) : undefined
  const [first] = person === undefined ? [] : yield* people.accountsOf(person.id)
  if (person !== undefined && first !== undefined) return { id: first.accountId, personId: person.id }
  const { id, personId } = yield* account(named)
  if (personId === null) return yield* new Refused({ sentence: "the person whose account it was has left it" })
  return { id, personId }
})

const setPassword = Effect.fnUntraced(function* (request: Request<"account password">) {
  const people = yield* People
  const passwords = yield* Passwords
  const { id, personId } = yield* personOf(request.account)
  const bus = yield* Bus
  yield* people.setPassword(personId, yield* passwords.hash(request.password), id)
  // Another who knew the old password may still have a session.
  const ended = yield* (yield* Sessions).endAll({ accountId: id, personId }, yield* Clock.currentTimeMillis)
  for (const sessionId of ended) bus.publish("session_ended", { sessionId })
  return yield* changed(id)
})

const setPlan = Effect.fnUntraced(function* (request: Request<"account plan">) {
  const accounts = yield* Accounts
  const { id } = yield* account(request.account)
  yield* accounts.setPlan(id, request.plan)
  yield* changed(id)
  return { accountId: id, plan: request.plan, ...(yield* heldOf(id, request.plan)) } as Answer
})

/** What the account holds of what its plan allows. A smaller plan may allow less; what is held stays. */
const heldOf = Effect.fnUntraced(function* (accountId: string, plan: Plan) {
  const held = yield* countHoldings(yield* SqlClient.SqlClient, accountId, yield* Clock.currentTimeMillis)
  const max = planLimits[plan]
  const of = (name: "daemons" | "apiKeys" | "webhooks") => ({
    used: held?.[name] ?? 0,
    max: Number.isFinite(max[name]) ? max[name] : null
  })
  return { daemons: of("daemons"), apiKeys: of("apiKeys"), webhooks: of("webhooks") }
})

const createKey = Effect.fnUntraced(function* (request: Request<"key create">) {
  const keys = yield* Keys
  const { id: accountId } = yield* account(request.account)
  const selector = yield* Effect.fromResult(readKeySelector(request.selector, request.scopes))
  const key = makeKey()
  const id = newId("key")
  yield* keys.insert({
    id,
    accountId,
    name: request.name,
    prefix: shownPrefix(key),
    hash: hashCredential(key),
    scopes: request.scopes,
    createdAt: yield* Clock.currentTimeMillis,
    expiresAt: request.expiresAt ?? null,
    selector
  })
  yield* voidCounts(accountId)
  return { id, key, ...(selector !== null && { selector }) } as Answer
})

const endKey = Effect.fnUntraced(function* (request: Request<"key revoke">) {
  const accountId = yield* (yield* Keys).accountOf(request.key)
  const cancelledJobs = accountId && (yield* revokeKey(accountId, request.key, yield* Clock.currentTimeMillis))
  if (!cancelledJobs)
    return yield* new Refused({ sentence: `there is no key ${request.key}, or it is revoked already` })
  return { id: request.key, ...(cancelledJobs.length > 0 && { cancelledJobs }) } as Answer
})

const createToken = Effect.fnUntraced(function* (request: Request<"token create">) {
  const daemons = yield* Daemons
  const { id: accountId } = yield* account(request.account)
  const token = daemonTokens.make()
  const daemonId = yield* daemons.enrol({
    accountId,
    daemonId: request.daemon,
    tokenHash: hashCredential(token),
    name: request.name ?? "",
    now: yield* Clock.currentTimeMillis
  })
  if (daemonId === undefined) return yield* new Refused({ sentence: `the account has no daemon ${request.daemon}` })
  yield* voidCounts(accountId)
  if (request.daemon !== undefined) (yield* Bus).publish("token_revoked", { daemonId })
  return { daemonId, token } as Answer
})

const revokeToken = Effect.fnUntraced(function* (request: Request<"token revoke">) {
  const daemons = yield* Daemons
  const bus = yield* Bus
  const found = yield* daemons.byId(request.daemon)
  if (found === undefined) return yield* new Refused({ sentence: `there is no daemon ${request.daemon}` })
  yield* daemons.revoke(found.accountId, found.daemonId)
  bus.publish("daemon_ordered", { daemonId: found.daemonId, order: "revoke" })
  yield* voidCounts(found.accountId)
  return { daemonId: found.daemonId } as Answer
})

const backup = Effect.fnUntraced(function* (request: Request<"backup">) {
  const exports = yield* Exports
  return yield* Effect.mapBoth(exports.to(request.file), {
    onSuccess: (exported): Answer => ({ ...exported }),
    onFailure: ({ sentence }) => new Refused({ sentence })
  })
})

/** An operation whose answer comes in one part. */
const whole =
  <R>(operation: (request: R) => Effect.Effect<Answer, Failure, StoreServices>) =>
  (request: R) =>
    Effect.map(operation(request), (answer): Part => ({ answer, after: undefined }))

/** Each operation; what gives a part itself answers page by page, or step by step. */
const operations: {
  readonly [Op in AdminOp]: (request: Request<Op>) => Effect.Effect<Part, Failure, StoreServices>
} = {
  "account create": whole(createAccount),
  "account list": listAccounts,
  "account disable": whole(({ account }) => setDisabled(account, true)),
  "account enable": whole(({ account }) => setDisabled(account, false)),
  "account password": whole(setPassword),
  "account plan": whole(setPlan),
  "account admin": whole(setAdmin),
  "account delete": deleteAccount,
  "key create": whole(createKey),
  "key list": listKeys,
  "key revoke": whole(endKey),
  "token create": whole(createToken),
  "token list": listTokens,
  "token revoke": whole(revokeToken),
  "token delete": deleteToken,
  "daemon list": listDaemons,
  "daemon show": whole(showDaemon),
  "daemon disconnect": whole(disconnectDaemon),
  "turn disable": whole((request) => Effect.flatMap(turnOf(request), disableTurn)),
  "turn enable": whole((request) => Effect.flatMap(turnOf(request), enableTurn)),
  "turn list": whole(listTurn),
  "audit list": listAudit,
  "oauth client add": whole(addOAuthClient),
  "oauth client list": whole(listOAuthClients),
  "oauth client remove": whole(removeOAuthClient),
  "secret rotate": rotateSecrets,
  "process describe": whole(() => Effect.sync(describeProcess)),
  backup: whole(backup)
}

const evict = (what: "token" | "key") =>
  `revoke one (hub ${what} list, hub ${what} revoke), or give it another plan (hub account plan)`

const refusal = (failure: Failure): string => {
  switch (failure._tag) {
    case "Refused":
      return failure.sentence
    case "StoreFailed":
      return `the store did not ${failure.operation}`
    case "ValidationFailed":
      return failure.issues.map(({ path, message }) => `${path}: ${message}`).join("; ")
    case "DaemonLimitReached":
      return `plan ${failure.plan} allows ${failure.limit} daemons, and the account has as many: ${evict("token")}`
    case "ApiKeyLimitReached":
      return `plan ${failure.plan} allows ${failure.limit} API keys, and the account has as many: ${evict("key")}`
    case "Overloaded":
      return `too much at once; try again in ${failure.retryAfter} s`
  }
}

/** Performs a request. A refusal is an answer; an internal failure is logged and not shown. */
export const perform = (request: AdminRequest): Effect.Effect<AdminAnswer, never, StoreServices> =>
  operations[request.op](request as never).pipe(
    Effect.tap(({ after }) => noteEnd(request, after)),
    byAdministrator,
    Effect.map(({ answer, after }): AdminAnswer => ({ ok: true, answer, ...(after !== undefined && { after }) })),
    Effect.tapError((failure) =>
      failure._tag === "StoreFailed" ? Effect.logError("administration", request.op, failure.cause) : Effect.void
    ),
    Effect.catch((failure) => Effect.succeed<AdminAnswer>({ ok: false, refusal: refusal(failure) }))
  )
