/**
 * What a sign-in at a provider changes of people: who becomes a member of the hub's account by it, with which role, and
 * whose address it proves. Owns these rows' changes; src/auth/federated-accounts.ts decides when.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type Member, wideRole } from "../../domain/account/member.ts"
import { type Plan, planLimits } from "../../domain/account/plans.ts"
import type { Role } from "../../domain/account/roles.ts"
import { newId } from "../../domain/ids.ts"
import { PeopleLimitReached } from "../../errors.ts"

/** Who enters: a known person, or one who is new with this address. */
export type Entering =
  | { readonly personId: string }
  | { readonly email: string; readonly emailKey: string; readonly vouched: boolean }

/** Into which account, with which role. `fixed`: it replaces the role that a member has. */
export interface Entry {
  readonly accountId: string
  readonly role: Role
  readonly fixed: boolean
}

/** The member, and whether anything was changed; undefined: a person has the address. */
export type Entered = { readonly member: Member; readonly changed: boolean } | undefined

/** Makes a member of who enters, under the lock of the account's row. The last owner stays one. */
export const enter = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (who: Entering, { accountId, role, fixed }: Entry, now: number) {
    const [account] = yield* sql<{ plan: Plan }>`
      select plan from accounts where id = ${accountId} for no key update`
    if (account === undefined) return undefined
    const [made] =
      "personId" in who
        ? [{ id: who.personId }]
        : yield* sql<{ id: string }>`insert into people (id, email, email_key, vouched, created_at)
            values (${newId("person")}, ${who.email}, ${who.emailKey}, ${who.vouched}, ${now})
            on conflict do nothing returning id`
    if (made === undefined) return undefined
    const members = yield* sql<Member>`select person_id as "personId", role, selector from memberships
      where account_id = ${accountId}`
    const before = members.find(({ personId }) => personId === made.id)
    if (before === undefined) {
      const limit = planLimits[account.plan].people
      if (members.length >= limit) return yield* new PeopleLimitReached({ limit, plan: account.plan })
      yield* sql`insert into memberships (account_id, person_id, role, since)
        values (${accountId}, ${made.id}, ${role}, ${now})`
      return { member: { personId: made.id, role, selector: null }, changed: true } satisfies Entered
    }
    const isLastOwner = before.role === "owner" && members.filter((one) => one.role === "owner").length === 1
    if (!fixed || before.role === role || isLastOwner) return { member: before, changed: false } satisfies Entered
    const selector = wideRole(role, before.selector) === undefined ? before.selector : null
    yield* sql`update memberships set role = ${role}, selector = ${selector}
      where account_id = ${accountId} and person_id = ${made.id}`
    return { member: { personId: made.id, role, selector }, changed: true } satisfies Entered
  })

/** What ended for who had used an address that is another's. */
export interface TakenOver {
  readonly sessionIds: ReadonlyArray<string>
  readonly keyIds: ReadonlyArray<string>
  readonly grantIds: ReadonlyArray<string>
}

/**
 * Gives a person who came by an invitation, or unproven, to the one whose address it is: nothing had shown that these
 * are the same, so their password, identities, sessions, keys and apps end, and what would become one of these; their
 * browsers, which could answer without a sign-in, are told of questions no more.
 * Undefined: the address was proven, or an account bears it.
 */
export const takeOver = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (personId: string, now: number) {
    const taken = yield* sql`update people set vouched = true, password_hash = null where id = ${personId}
      and not vouched and not exists (select from accounts where person_id = ${personId}) returning id`
    if (taken.length === 0) return undefined
    const sessions = yield* sql<{ id: string }>`update sessions set ended_at = ${now}
      where person_id = ${personId} and ended_at is null returning id`
    const keys = yield* sql<{ id: string }>`delete from api_keys where person_id = ${personId} returning id`
    const grants = yield* sql<{ id: string }>`delete from oauth_grants where person_id = ${personId} returning id`
    for (const table of ["identities", "oauth_codes", "login_codes", "device_codes", "push_subscriptions"])
      yield* sql`delete from ${sql(table)} where person_id = ${personId}`
    const ids = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id)
    return { sessionIds: ids(sessions), keyIds: ids(keys), grantIds: ids(grants) } satisfies TakenOver
  })
