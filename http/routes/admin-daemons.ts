/**
 * The routes of an administrator over the daemons of all accounts. Owns how a row is shown, and that the owner of a
 * daemon is told what was done to it; the store finds, the directory gives the order to the node that holds the daemon.
 */
import { Effect } from "effect"
import { AuditLog } from "../../actors/audit-log/audit-log.ts"
import { Directory } from "../../actors/commands/directory.ts"
import type { OfflineReason } from "../../src/domain/daemon/offline-reason.ts"
import { sealCursor } from "../../src/domain/page-cursor.ts"
import { NotFound } from "../../src/errors.ts"
import { adminDaemonsPageUsual } from "../../src/limits.ts"
import { Accounts } from "../../src/store/accounts/accounts.ts"
import { AuditedBy } from "../../src/store/accounts/recorded-change.ts"
import { DaemonSearch, type FoundDaemon } from "../../src/store/daemons/daemon-search.ts"
import type { AdminDaemons } from "../api/admin-daemons.ts"
import type { Routes } from "../pipeline/action.ts"
import { readIdCursor } from "./paging.ts"

const shown = <A extends FoundDaemon>({ daemonId, accountId, email, accountDisabled, lastEndReason, ...rest }: A) => ({
  id: daemonId,
  account: { id: accountId, email, disabled: accountDisabled },
  ...rest,
  lastEndReason: lastEndReason as OfflineReason | null
})

const flagOf = (word: "true" | "false" | undefined) => (word === undefined ? undefined : word === "true")

/** The routes of `AdminDaemons`. */
export const adminDaemonRoutes = Effect.gen(function* () {
  const search = yield* DaemonSearch
  const accounts = yield* Accounts
  const directory = yield* Directory
  const auditLog = yield* AuditLog

  /** In the log of the daemon's account, which learns neither the administrator's session nor the address. */
  const tellOwner = (accountId: string, daemonId: string) =>
    Effect.map(AuditedBy, (origin) => {
      // of his own daemon the pipeline notes it
      if (origin === undefined || origin.accountId === accountId) return
      const byAdministrator = { ...origin, actor: { kind: "administrator" as const }, address: undefined }
      auditLog.note(byAdministrator, { action: "daemon.disconnected", outcome: "done", object: daemonId, accountId })
    })

  /** The id that an id or an address means; of an unknown address one that no account has. */
  const accountIdOf = (named: string) =>
    named.includes("@") ? Effect.map(accounts.byEmail(named), (found) => found?.id ?? "") : Effect.succeed(named)

  const described = Effect.fnUntraced(function* (daemonId: string) {
    return (yield* search.describe(daemonId)) ?? (yield* new NotFound())
  })

  const routes: Routes<typeof AdminDaemons> = {
    list: Effect.fnUntraced(function* ({ query }) {
      const after = yield* readIdCursor("daemon", query.cursor)
      const { account, version, online, seenSince, seenBefore, closeReason: endReason, closeCode } = query
      const accountId = account === undefined ? undefined : yield* accountIdOf(account)
      const flags = { online: flagOf(online), identityCopied: flagOf(query.identityCopied) }
      const filter = { accountId, version, seenSince, seenBefore, endReason, closeCode, ...flags }
      const { daemons, next } = yield* search.find(filter, query.limit ?? adminDaemonsPageUsual, after ?? "")
      return { daemons: daemons.map(shown), ...(next !== undefined && { nextCursor: sealCursor(next) }) }
    }),
    show: ({ params }) => Effect.map(described(params.daemonId), shown),
    disconnect: Effect.fnUntraced(function* ({ params }) {
      const { accountId, daemonId } = yield* described(params.daemonId)
      const { wasConnected } = yield* directory.disconnect(accountId, daemonId)
      yield* tellOwner(accountId, daemonId)
      return { success: true as const, wasConnected }
    })
  }
  return routes
})
