/**
 * The routes of an administrator over the daemons of all accounts. Owns how a row is shown; the store finds, the
 * directory gives the order to the node that holds the daemon.
 */
import { Effect } from "effect"
import { Directory } from "../../actors/commands/directory.ts"
import type { EndReason } from "../../src/domain/daemon/end-reason.ts"
import { sealCursor } from "../../src/domain/page-cursor.ts"
import { NotFound } from "../../src/errors.ts"
import { adminDaemonsPageUsual } from "../../src/limits.ts"
import { Accounts } from "../../src/store/accounts/accounts.ts"
import { DaemonSearch, type FoundDaemon } from "../../src/store/daemons/daemon-search.ts"
import type { AdminDaemons } from "../api/admin-daemons.ts"
import type { Routes } from "../pipeline/action.ts"
import { readDaemonCursor } from "./paging.ts"

const shown = <A extends FoundDaemon>({ daemonId, accountId, email, accountDisabled, lastEndReason, ...rest }: A) => ({
  id: daemonId,
  account: { id: accountId, email, disabled: accountDisabled },
  ...rest,
  lastEndReason: lastEndReason as EndReason | null
})

/** The routes of `AdminDaemons`. */
export const adminDaemonRoutes = Effect.gen(function* () {
  const search = yield* DaemonSearch
  const accounts = yield* Accounts
  const directory = yield* Directory

  /** The id that an id or an address means; of an unknown address one that no account has. */
  const accountIdOf = (named: string) =>
    named.includes("@") ? Effect.map(accounts.byEmail(named), (found) => found?.id ?? "") : Effect.succeed(named)

  const described = Effect.fnUntraced(function* (daemonId: string) {
    return (yield* search.describe(daemonId)) ?? (yield* new NotFound())
  })

  const routes: Routes<typeof AdminDaemons> = {
    list: Effect.fnUntraced(function* ({ query }) {
      const after = yield* Effect.fromResult(readDaemonCursor(query.cursor))
      const { account, version, online, seenSince, seenBefore, closeReason: endReason, closeCode } = query
      const accountId = account === undefined ? undefined : yield* accountIdOf(account)
      const wanted = online === undefined ? undefined : online === "true"
      const filter = { accountId, version, online: wanted, seenSince, seenBefore, endReason, closeCode }
      const { daemons, next } = yield* search.find(filter, query.limit ?? adminDaemonsPageUsual, after ?? "")
      return { daemons: daemons.map(shown), ...(next !== undefined && { nextCursor: sealCursor(next) }) }
    }),
    show: ({ params }) => Effect.map(described(params.daemonId), shown),
    disconnect: Effect.fnUntraced(function* ({ params }) {
      const { accountId, daemonId } = yield* described(params.daemonId)
      const { wasConnected } = yield* directory.disconnect(accountId, daemonId)
      return { success: true as const, wasConnected }
    })
  }
  return routes
})
