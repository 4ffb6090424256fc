/**
 * The store of invitations, by hash (lower-case hex outside). Owns that one is accepted once, and never for more than
 * who invited has by then. people.ts owns the people.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { planLimits } from "../../domain/account/plans.ts"
import type { Role } from "../../domain/account/roles.ts"
import { isId, newId } from "../../domain/ids.ts"
import { AlreadyMember, InvitationLimitReached, PeopleLimitReached } from "../../errors.ts"
import { invitationsPerAccountMax } from "../../limits/people.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"
import { lockAccount, lockAccountAs } from "./account-lock.ts"
import { anyRecorded, attemptRecorded, recordChange } from "./recorded-change.ts"

/** An invitation as the account sees it. Times are epoch milliseconds. */
export interface Invitation {
  readonly id: string
  readonly email: string
  readonly role: Role
  readonly selector: string | null
  readonly invitedBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface InvitationDraft extends Invitation {
  readonly accountId: string
  readonly emailKey: string
  readonly hash: string
}

/** Who accepts: a person who is signed in, or one who is new and signs in with this password from now on. */
export type Accepting = { readonly personId: string } | { readonly passwordHash: string }

/** The membership that came of it. */
export interface Accepted {
  readonly accountId: string
  readonly personId: string
  readonly role: Role
}

/** An invitation that is good now. `taken`: a person has its address. */
export interface GoodInvitation {
  readonly accountId: string
  readonly accountEmail: string
  readonly email: string
  readonly role: Role
  readonly selector: string | null
  readonly expiresAt: number
  readonly taken: boolean
}

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")

/** Good: not over, its account not disabled, and who invited may still give that role. */
const isGood = `i.expires_at > $2::bigint and not a.disabled and (by.role = 'owner' or (by.role = 'admin' and i.role <> 'owner'))`
const goodText = `select i.account_id as "accountId", a.email as "accountEmail", i.email, i.role, i.selector,
    i.expires_at as "expiresAt", p.id is not null as taken
  from invitations i join accounts a on a.id = i.account_id
  join memberships by on by.account_id = i.account_id and by.person_id = i.invited_by
  left join people p on p.email_key = i.email_key
  where i.hash = $1 and ${isGood}`
const takeText = `delete from invitations i using accounts a, memberships by
  where i.hash = $1 and a.id = i.account_id and by.account_id = i.account_id and by.person_id = i.invited_by and ${isGood}
  returning i.account_id as "accountId", i.email, i.email_key as "emailKey", i.role, i.selector, i.invited_by as "by"`

interface Taken {
  readonly accountId: string
  readonly email: string
  readonly emailKey: string
  readonly role: Role
  readonly selector: string | null
  readonly by: string
}

/** The account is locked before its people are counted, so that of concurrent calls each counts the others. */
const addition = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (draft: InvitationDraft) {
    const { accountId, createdAt: now, role } = draft
    const plan = yield* lockAccountAs(sql, accountId, draft.invitedBy, role === "owner" ? "owner" : "admin")
    const [counted] = yield* sql<{ waiting: number; members: number; already: boolean }>`select
      (select count(*) from invitations where account_id = ${accountId} and expires_at > ${now}::bigint) as waiting,
      (select count(*) from memberships where account_id = ${accountId}) as members,
      exists (select from memberships m join people p on p.id = m.person_id
        where m.account_id = ${accountId} and p.email_key = ${draft.emailKey}) as already`
    const { waiting, members, already } = counted!
    if (already) return yield* new AlreadyMember()
    if (waiting >= invitationsPerAccountMax) {
      return yield* new InvitationLimitReached({ limit: invitationsPerAccountMax })
    }
    const limit = planLimits[plan].people
    if (members + waiting >= limit) return yield* new PeopleLimitReached({ limit, plan })
    yield* sql`delete from invitations where account_id = ${accountId} and expires_at <= ${now}`
    yield* sql`insert into invitations (id, account_id, hash, email, email_key, role, selector, invited_by, created_at,
        expires_at)
      values (${draft.id}, ${accountId}, ${bytes(draft.hash)}, ${draft.email}, ${draft.emailKey}, ${role},
        ${draft.selector}, ${draft.invitedBy}, ${now}, ${draft.expiresAt})`
  })

/** Who accepts, by the address of the invitation; undefined: it is not theirs. */
const personFor = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (who: Accepting, { email, emailKey }: Taken, now: number) {
    const [known] = yield* sql<{ id: string }>`select id from people where email_key = ${emailKey}`
    if ("personId" in who) return known?.id === who.personId ? who.personId : undefined
    if (known !== undefined) return undefined
    // nothing has shown that the address is theirs: an invitation is handed over by people
    const [made] = yield* sql<{
      id: string
    }>`insert into people (id, email, email_key, password_hash, vouched, created_at)
      values (${newId("person")}, ${email}, ${emailKey}, ${who.passwordHash}, false, ${now})
      on conflict do nothing returning id`
    return made?.id
  })

const acceptance = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (hash: string, who: Accepting, now: number) {
    const [found] = yield* sql<{ accountId: string }>`select account_id as "accountId" from invitations
      where hash = ${bytes(hash)}`
    if (found === undefined) return undefined
    const plan = yield* lockAccount(sql, found.accountId)
    const [taken] = yield* sql.unsafe<Taken>(takeText, [bytes(hash), now])
    const personId = taken === undefined ? undefined : yield* personFor(sql)(who, taken, now)
    if (taken === undefined || personId === undefined) return undefined
    const { accountId, role, selector, by, emailKey } = taken
    const limit = planLimits[plan].people
    const [counted] = yield* sql<{ members: number; already: boolean }>`select
      (select count(*) from memberships where account_id = ${accountId}) as members,
      exists (select from memberships where account_id = ${accountId} and person_id = ${personId}) as already`
    if (counted!.already) return yield* new AlreadyMember()
    if (counted!.members >= limit) return yield* new PeopleLimitReached({ limit, plan })
    yield* sql`insert into memberships (account_id, person_id, role, selector, invited_by, since)
      values (${accountId}, ${personId}, ${role}, ${selector}, ${by}, ${now})`
    yield* sql`delete from invitations where account_id = ${accountId} and email_key = ${emailKey}`
    return { accountId, personId, role } satisfies Accepted
  })

/** Undoes what was begun when it comes to nothing: an invitation that was not for its caller is good still. */
const orUndo = <A, E, R>(work: Effect.Effect<A | undefined, E, R>): Effect.Effect<A, E | "none", R> =>
  Effect.flatMap(work, (found) => (found === undefined ? Effect.fail("none" as const) : Effect.succeed(found)))

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const add = addition(sql)
  const accepted = acceptance(sql)

  return {
    /** Adds one. Members and invitations together are never more than the plan allows people. */
    add: (draft: InvitationDraft) =>
      attemptRecorded(sql, "add an invitation", add(draft), () => ({
        action: "invitation.created",
        accountId: draft.accountId,
        object: draft.id,
        detail: draft.role
      })),
    /** Those of an account that wait, newest first. */
    listByAccount: (accountId: string, now: number) =>
      query.many(
        "list invitations",
        sql<Invitation>`select id, email, role, selector, invited_by as "invitedBy", created_at as "createdAt",
            expires_at as "expiresAt"
          from invitations where account_id = ${accountId} and expires_at > ${now}
          order by created_at desc, id desc limit ${invitationsPerAccountMax}`
      ),
    /** Takes one back; false when there is none. */
    remove: (accountId: string, id: string) =>
      isId("invitation", id)
        ? anyRecorded(
            sql,
            "remove an invitation",
            sql`delete from invitations where id = ${id} and account_id = ${accountId} returning id`,
            { action: "invitation.removed", accountId, object: id }
          )
        : Effect.succeed(false),
    /** The invitation of this hash, unless it is over, or who invited may not any more. */
    good: (hash: string, now: number) =>
      query.one("read an invitation", sql.unsafe<GoodInvitation>(goodText, [bytes(hash), now])),
    /** Makes a member of who accepts; undefined when the invitation is not good, or not for this person. */
    accept: (hash: string, who: Accepting, now: number) => {
      const made = recordChange(sql, orUndo(accepted(hash, who, now)), ({ accountId, personId, role }) => ({
        action: "member.joined",
        accountId,
        object: personId,
        detail: role
      }))
      return Effect.catch(query.attempt("accept an invitation", made), (failure) =>
        failure === "none" ? Effect.succeed(undefined) : Effect.fail(failure)
      )
    },
    /** Removes those that expired before; returns the number of rows. */
    prune: (before: number) =>
      prune(sql, "remove old invitations", { table: "invitations", key: "id", by: "expires_at", before })
  }
})

/** The store of invitations. */
export class Invitations extends Context.Service<Invitations, Effect.Success<typeof make>>()("hub/Invitations") {
  static readonly layer = Layer.effect(Invitations, make)
}
