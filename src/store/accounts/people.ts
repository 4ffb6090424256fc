/**
 * The store of people: who signs in, by which address and password, and to which accounts they belong. Owns the rows of
 * `people`; members.ts changes memberships. A trigger makes the person of a new account, and removes who is a member of
 * none.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { emailKey } from "../../domain/account/email-address.ts"
import type { Plan } from "../../domain/account/plans.ts"
import type { Role } from "../../domain/account/roles.ts"
import { isId } from "../../domain/ids.ts"
import * as query from "../sql/query.ts"
import { type Entering, type Entry, enter, takeOver } from "./provider-entry.ts"
import { anyRecorded, attemptRecorded } from "./recorded-change.ts"

/** A person. Times are epoch milliseconds. */
export interface Person {
  readonly id: string
  readonly email: string
  /** Null: signs in by a provider only. */
  readonly passwordHash: string | null
  /** False: no issuer vouched for the address. */
  readonly vouched: boolean
  readonly createdAt: number
}

/** An account that a person belongs to. */
export interface PersonsAccount {
  readonly accountId: string
  /** The address that the account bears, which need not be the person's. */
  readonly email: string
  readonly plan: Plan
  readonly disabled: boolean
  readonly role: Role
  readonly selector: string | null
  readonly since: number
}

const columns = `id, email, password_hash as "passwordHash", vouched, created_at as "createdAt"`

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const select = sql.literal(columns)

  // The account's row first, in the order in which everything locks these; nodes of an earlier version read it.
  const setPassword = Effect.fnUntraced(function* (id: string, passwordHash: string) {
    yield* sql`update accounts set password_hash = ${passwordHash} where person_id = ${id}`
    return yield* sql`update people set password_hash = ${passwordHash} where id = ${id} returning id`
  })

  const [entering, takingOver] = [enter(sql), takeOver(sql)]

  return {
    /** Makes a member of who signs in at the provider (provider-entry.ts). */
    enter: (who: Entering, entry: Entry, now: number) =>
      attemptRecorded(sql, "admit a person of the provider", entering(who, entry, now), (entered) =>
        entered?.changed === true
          ? {
              action: "member.joined",
              accountId: entry.accountId,
              object: entered.member.personId,
              detail: entered.member.role
            }
          : undefined
      ),
    /** Gives a person to the one whose address is proven to be theirs (provider-entry.ts). */
    takeOver: (id: string, now: number) => query.attempt("prove an address", sql.withTransaction(takingOver(id, now))),
    byId: (id: string) =>
      isId("person", id)
        ? query.one("read a person", sql<Person>`select ${select} from people where id = ${id}`)
        : Effect.succeed(undefined),
    /** Of two whose addresses are alike, the one whose is spelled exactly so. */
    byEmail: (email: string) =>
      query.one(
        "read a person by their address",
        sql<Person>`select ${select} from people
            where email = ${email.toLowerCase()} or email_key = ${emailKey(email)}
            order by (email = ${email.toLowerCase()}) desc limit 1`
      ),
    /** The accounts of a person: first the one that bears their address, then by when they came to it. */
    accountsOf: (id: string) =>
      query.many(
        "read the accounts of a person",
        sql<PersonsAccount>`select a.id as "accountId", a.email, a.plan, a.disabled, m.role, m.selector, m.since
            from memberships m join accounts a on a.id = m.account_id where m.person_id = ${id}
            order by coalesce(a.person_id = ${id}, false) desc, m.since, a.id`
      ),
    /**
     * Sets the password that a person signs in with; false when there is no such person. `accountId`: in whose audit
     * log it is.
     */
    setPassword: (id: string, passwordHash: string, accountId: string) =>
      anyRecorded(sql, "set a password", setPassword(id, passwordHash), {
        action: "account.password_set",
        accountId,
        object: accountId
      })
  }
})

/** The store of people. */
export class People extends Context.Service<People, Effect.Success<typeof make>>()("hub/People") {
  static readonly layer = Layer.effect(People, make)
}
