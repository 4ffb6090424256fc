/**
 * The keys of addresses that were stored before addresses were compared by key, or by a node of an earlier version.
 * Owns their filling at a start. Of accounts that would have one key, the one spelled in plain ASCII has it from the
 * migration, else the oldest gets it; the others keep their address as it is and are named in the log.
 */
import { Effect, Result } from "effect"
import { SqlClient } from "effect/sql"
import { readEmailAddress } from "../../domain/account/email-address.ts"
import type { PagePosition } from "../../domain/page-cursor.ts"
import type { StoreFailed } from "../../errors.ts"
import { emailRowsMax, emailsNamedMax } from "../../limits.ts"
import * as query from "../sql/query.ts"

const beforeAll: PagePosition = { at: -1, id: "" }

interface Row {
  readonly id: string
  readonly email: string
  readonly at: number
}

/** An account whose address is no key of its own, and why. The address may hold anything and is not shown. */
export interface Keyless {
  readonly account: string
  readonly because: string
}

interface Keyed {
  readonly id: string
  readonly key: string
}

/** Gives the rows their keys, except those whose key another account has; returns the latter. */
const keep = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, keyed: ReadonlyArray<Keyed>) {
  const first = new Map<string, string>()
  for (const { id, key } of keyed) if (!first.has(key)) first.set(key, id)
  const kept = yield* sql<{ id: string }>`update accounts a set email_key = given.key
    from unnest(${[...first.values()]}::text[], ${[...first.keys()]}::text[]) as given (id, key)
    where a.id = given.id and a.email_key is null
      and not exists (select 1 from accounts other where other.email_key = given.key)
      and not exists (select 1 from people p where p.email_key = given.key and p.id is distinct from a.person_id)
    returning a.id`.pipe(
    Effect.catchIf(
      // Another node assigned one of these keys in between: the next start tries again.
      (error) => query.violates(error, "accounts_email_key") || query.violates(error, "people_email_key"),
      () => Effect.succeed([])
    )
  )
  const done = new Set(kept.map(({ id }) => id))
  return keyed.filter(({ id }) => !done.has(id))
})

/** The accounts that hold these keys. */
const holders = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, keyed: ReadonlyArray<Keyed>) {
  const keys = keyed.map(({ key }) => key)
  const rows = yield* sql<Keyed>`select id, email_key as key from accounts where email_key = any(${keys}::text[])`
  return new Map(rows.map(({ id, key }) => [key, id]))
})

/** Fills the keys that can be filled; returns the accounts left without one, oldest first, and their number. */
export const fillEmailKeys: Effect.Effect<
  { readonly named: ReadonlyArray<Keyless>; readonly count: number },
  StoreFailed,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const named: Array<Keyless> = []
  let count = 0
  let after = beforeAll
  for (;;) {
    const rows = yield* sql<Row>`select id, email, created_at as at from accounts
      where email_key is null and (created_at, id) > (${after.at}::bigint, ${after.id}::text)
      order by created_at, id limit ${emailRowsMax}`
    const keyed: Array<Keyed> = []
    const reasons = new Map<string, string>()
    for (const { id, email } of rows) {
      const address = readEmailAddress(email)
      if (Result.isSuccess(address)) keyed.push({ id, key: address.success.key })
      else reasons.set(id, `its address ${address.failure}`)
    }
    const taken = keyed.length === 0 ? [] : yield* keep(sql, keyed)
    const of = taken.length === 0 ? new Map<string, string>() : yield* holders(sql, taken)
    for (const { id, key } of taken) reasons.set(id, `its address is that of ${of.get(key) ?? "another account"}`)
    count += reasons.size
    for (const { id } of rows) {
      const because = reasons.get(id)
      if (because !== undefined && named.length < emailsNamedMax) named.push({ account: id, because })
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < emailRowsMax) return { named, count }
    after = { at: last.at, id: last.id }
  }
}).pipe((fill) => query.attempt("fill the keys of addresses", fill))

/** The same at a start; logs the accounts left without a key. */
export const fillAndLogEmailKeys: Effect.Effect<void, StoreFailed, SqlClient.SqlClient> = Effect.flatMap(
  fillEmailKeys,
  ({ named, count }) =>
    count === 0
      ? Effect.void
      : Effect.logWarning(
          "these accounts sign in as before, but no new one could have their address: look whether you know each",
          { count, accounts: named }
        )
)
