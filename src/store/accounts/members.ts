/**
 * The store of memberships. Owns their changes: each under the lock of the account's row, so that of concurrent ones
 * an account keeps an owner, and with the role that who changes has then. people.ts owns the people.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Member, wideRole } from "../../domain/account/member.ts"
import { isAtLeast, type Role } from "../../domain/account/roles.ts"
import { isId } from "../../domain/ids.ts"
import type { PagePosition } from "../../domain/page-cursor.ts"
import { LastOwner, NotFound, RoleTooLow } from "../../errors.ts"
import * as query from "../sql/query.ts"
import { attemptRecorded } from "./recorded-change.ts"

/** A member as the account sees them. `since`: epoch milliseconds. */
export interface MemberRecord extends Member {
  readonly email: string
  /** Null: who came with the account, or by a sign-in provider. */
  readonly invitedBy: string | null
  readonly since: number
}

/** Whose membership, and by whom it is changed. */
export interface MemberAddressed {
  readonly accountId: string
  readonly personId: string
  readonly by: string
}

/** What ended with a membership. */
export interface Removed {
  readonly sessionIds: ReadonlyArray<string>
  readonly keyIds: ReadonlyArray<string>
}

const columns = `m.person_id as "personId", p.email, m.role, m.selector, m.invited_by as "invitedBy", m.since`
const first: PagePosition = { at: -1, id: "" }

interface Locked {
  /** The role of who changes. */
  readonly by: Role
  readonly member: Role
  readonly selector: string | null
  readonly owners: number
}

/** Locks the account; then the roles of both, of which the one who changes must have the higher or the same. */
const lock = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* ({ accountId, personId, by }: MemberAddressed) {
    yield* sql`select 1 from accounts where id = ${accountId} for no key update`
    const rows = yield* sql<Member>`
      select person_id as "personId", role, selector from memberships
      where account_id = ${accountId} and (person_id = any(${[personId, by]}::text[]) or role = 'owner')`
    const of = (id: string): Member | undefined => rows.find((row) => row.personId === id)
    const [changer, member] = [of(by), of(personId)]
    if (changer === undefined) return yield* new RoleTooLow({ requiredRole: "admin" })
    if (member === undefined) return yield* new NotFound()
    const owners = rows.filter(({ role }) => role === "owner").length
    return { by: changer.role, member: member.role, selector: member.selector, owners } satisfies Locked
  })

/** Fails unless who changes may: as an administrator at least, and no more than they are themselves. */
const allowed = ({ by, member }: Locked, role: Role = "viewer"): Effect.Effect<void, RoleTooLow> => {
  const requiredRole = [member, role].includes("owner") ? "owner" : "admin"
  return isAtLeast(by, requiredRole) ? Effect.void : Effect.fail(new RoleTooLow({ requiredRole }))
}

const leavesOwner = ({ member, owners }: Locked, role?: Role): Effect.Effect<void, LastOwner> =>
  member === "owner" && role !== "owner" && owners === 1 ? Effect.fail(new LastOwner()) : Effect.void

/** The person's own rows, and those that name no person where the account bears theirs. */
const removal = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* ({ accountId, personId }: MemberAddressed, now: number) {
    const theirs = sql`account_id = ${accountId} and coalesce(person_id, (
      select a.person_id from accounts a where a.id = ${accountId}
    )) = ${personId}`
    const sessions = yield* sql<{ id: string }>`
      update sessions set ended_at = ${now} where ${theirs} and ended_at is null returning id`
    // removed, not revoked: a job goes on without its key, and is ended with a key that is revoked
    const keys = yield* sql<{ id: string }>`
      delete from api_keys where service_account_id is null and ${theirs} returning id`
    yield* sql`delete from login_codes where ${theirs}`
    yield* sql`delete from device_codes where ${theirs}`
    yield* sql`delete from memberships where account_id = ${accountId} and person_id = ${personId}`
    return { sessionIds: sessions.map(({ id }) => id), keyIds: keys.map(({ id }) => id) } satisfies Removed
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const select = sql.literal(columns)
  const locked = lock(sql)
  const removed = removal(sql)

  const read = (accountId: string, personId: string) => sql<MemberRecord>`select ${select}
    from memberships m join people p on p.id = m.person_id
    where m.account_id = ${accountId} and m.person_id = ${personId}`

  return {
    /** The members of an account, after a place, those first who came first. */
    list: (accountId: string, limit: number, after: PagePosition = first) =>
      query.many(
        "list members",
        sql<MemberRecord>`select ${select} from memberships m join people p on p.id = m.person_id
          where m.account_id = ${accountId} and (m.since, m.person_id) > (${after.at}::bigint, ${after.id}::text)
          order by m.since, m.person_id limit ${limit}`
      ),
    /** A member by their person. */
    find: (accountId: string, personId: string) =>
      isId("person", personId) ? query.one("read a member", read(accountId, personId)) : Effect.succeed(undefined),
    /**
     * Gives a member another role, or binds them to other daemons; what is absent stays. RoleTooLow: it is, or would
     * be, above the role of who changes. LastOwner: the account has no other.
     */
    change: (
      of: MemberAddressed,
      to: { readonly role?: Role | undefined; readonly selector?: string | null | undefined }
    ) => {
      const changing = Effect.gen(function* () {
        const both = yield* locked(of)
        const { role = both.member, selector = both.selector } = to
        yield* allowed(both, role)
        yield* leavesOwner(both, role)
        const wide = wideRole(role, selector)
        if (wide !== undefined) return yield* wide
        yield* sql`update memberships set role = ${role}, selector = ${selector}
          where account_id = ${of.accountId} and person_id = ${of.personId}`
        const [row] = yield* read(of.accountId, of.personId)
        return row!
      })
      return attemptRecorded(sql, "change a member", changing, ({ role }) => ({
        action: "member.changed",
        accountId: of.accountId,
        object: of.personId,
        detail: role
      }))
    },
    /** Ends a membership with the person's sessions and keys in the account; anyone may end their own. */
    remove: (of: MemberAddressed, now: number) => {
      const removing = Effect.gen(function* () {
        const both = yield* locked(of)
        if (of.by !== of.personId) yield* allowed(both)
        yield* leavesOwner(both)
        return yield* removed(of, now)
      })
      return attemptRecorded(sql, "remove a member", removing, () => ({
        action: "member.removed",
        accountId: of.accountId,
        object: of.personId
      }))
    }
  }
})

/** The store of memberships. */
export class Members extends Context.Service<Members, Effect.Success<typeof make>>()("hub/Members") {
  static readonly layer = Layer.effect(Members, make)
}
