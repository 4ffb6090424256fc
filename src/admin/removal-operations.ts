/**
 * Removes for good a daemon, or an account with all that is its own. Owns the order: first none is admitted and every
 * node closes the connections, then the rows go, a bounded step at a time.
 */
import { Clock, Effect } from "effect"
import { Bus } from "../bus/bus.ts"
import { adminRemovalMillisMax } from "../limits/admin.ts"
import { monotonicMillis } from "../runtime/monotonic.ts"
import { belongings, pauseWebhooks, removeSome } from "../store/accounts/account-removal.ts"
import { Accounts } from "../store/accounts/accounts.ts"
import { Daemons } from "../store/daemons/daemons.ts"
import { account, type Part, Refused, type Request } from "./operation.ts"

/** Removes a daemon that is offline or revoked. A revoked one is disconnected in any case. */
export const deleteToken = Effect.fnUntraced(function* ({ daemon }: Request<"token delete">) {
  const daemons = yield* Daemons
  const bus = yield* Bus
  const found = yield* daemons.byId(daemon)
  if (found === undefined) return yield* new Refused({ sentence: `there is no daemon ${daemon}` })
  if (found.online && !found.revoked) {
    return yield* new Refused({
      sentence: `the daemon ${daemon} is connected; revoke it first (hub token revoke ${daemon})`
    })
  }
  yield* daemons.remove(found.accountId, daemon)
  bus.publish("daemon_ordered", { daemonId: daemon, order: "revoke" })
  bus.publish("holdings_changed", { accountId: found.accountId })
  return { answer: { daemonId: daemon }, after: undefined } as Part
})

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`

const sureOf = Effect.fnUntraced(function* ({ id, email }: { readonly id: string; readonly email: string }) {
  const { daemons, keys, webhooks } = yield* belongings(id)
  const all = `${counted(daemons, "daemon")}, ${counted(keys, "API key")} and ${counted(webhooks, "webhook")}`
  return yield* new Refused({
    sentence: `this would remove the account ${id} (${email}) for ever, with ${all}; say --yes to have it done`
  })
})

/** Removes a part of an account. An answer without `after` means that nothing is left; a repeated request continues. */
export const deleteAccount = Effect.fnUntraced(function* (request: Request<"account delete">) {
  const accounts = yield* Accounts
  const bus = yield* Bus
  const clock = yield* Clock.Clock
  const done = (accountId: string, after?: string): Part => ({ answer: { accountId }, after })
  if (request.after === undefined) {
    const found = yield* account(request.account)
    if (!request.yes) return yield* sureOf(found)
    const { id: accountId } = found
    yield* accounts.setDisabled(accountId, true)
    yield* pauseWebhooks(accountId)
    // Caches are voided before any connection is closed, so that none of those closed can connect again.
    bus.publish("account_changed", { accountId })
    bus.publish("webhooks_changed", { accountId })
    bus.publish("account_removed", { accountId })
    return done(accountId, accountId)
  }
  const accountId = request.after
  const until = monotonicMillis(clock) + adminRemovalMillisMax
  for (;;) {
    if (yield* removeSome(accountId)) break
    if (monotonicMillis(clock) >= until) return done(accountId, accountId)
  }
  // For a connection that a node admitted before it received the first message.
  bus.publish("account_changed", { accountId })
  bus.publish("account_removed", { accountId })
  bus.publish("turn_changed", {})
  return done(accountId)
})
