/**
 * The lock of an account's row by who changes what is the whole account's. Owns its order: first the lock, then the
 * role in a statement of its own, so that a change of the role which came first counts.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Plan } from "../../domain/account/plans.ts"
import { isAtLeast, type Role } from "../../domain/account/roles.ts"
import { RoleTooLow } from "../../errors.ts"

/** Locks it within a transaction, and gives its plan. */
export const lockAccount = (sql: SqlClient.SqlClient, accountId: string) =>
  Effect.map(
    sql<{ plan: Plan }>`select plan from accounts where id = ${accountId} for no key update`,
    ([account]): Plan => account?.plan ?? "free"
  )

/** The same for this person, who must have the role by then. */
export const lockAccountAs = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  accountId: string,
  personId: string,
  requiredRole: "admin" | "owner" = "admin"
) {
  const plan = yield* lockAccount(sql, accountId)
  const [by] = yield* sql<{ role: Role }>`select role from memberships
    where account_id = ${accountId} and person_id = ${personId}`
  if (by === undefined || !isAtLeast(by.role, requiredRole)) return yield* new RoleTooLow({ requiredRole })
  return plan
})
