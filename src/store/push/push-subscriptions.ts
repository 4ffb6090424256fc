/**
 * The store of push subscriptions: which browsers of an account's people take push messages, and the hub's key pair for
 * push services. Owns the rows and how many there may be; what is secret in them it has sealed only.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Plan, planLimits } from "../../domain/account/plans.ts"
import { isAtLeast, type Role } from "../../domain/account/roles.ts"
import { pushSubscriptionsPerPersonMax } from "../../limits/push.ts"
import { attemptRecorded } from "../accounts/recorded-change.ts"
import * as query from "../sql/query.ts"

/** The one key pair of a hub, sealed. */
export interface PushKeyRow {
  readonly publicKey: string
  readonly sealed: string
}

/** A browser. `sealed`: its endpoint and keys. `origin`: of its push service, which people may see. */
export interface PushSubscription {
  readonly id: string
  readonly personId: string
  readonly origin: string
  readonly sealed: string
  /** Whether what a question is about goes with its title. */
  readonly showsSubject: boolean
  readonly createdAt: number
}

export interface PushSubscriptionDraft extends PushSubscription {
  readonly endpointHash: string
}

/** A browser to send to. `selector`: for its person there are no other daemons; null: all of the account. */
export interface Recipient extends Pick<PushSubscription, "id" | "origin" | "sealed" | "showsSubject"> {
  readonly selector: string | null
}

/** The row of the pair: there is one. */
export const pushKeyId = "1"

const ofKey = (sql: SqlClient.SqlClient) => {
  const key = query.one(
    "read the key of push messages",
    sql<PushKeyRow>`select public_key as "publicKey", sealed from push_keys where id = ${pushKeyId}`
  )
  return {
    key,
    /** Keeps a pair unless there is one already, and gives the one that counts. */
    keepKey: (made: PushKeyRow) =>
      query
        .run(
          "keep the key of push messages",
          sql`insert into push_keys (id, public_key, sealed) values (${pushKeyId}, ${made.publicKey}, ${made.sealed})
            on conflict (id) do nothing`
        )
        .pipe(
          Effect.andThen(key),
          Effect.map((kept) => kept ?? made)
        )
  }
}

/** The account's row is locked before its browsers, of which a plan allows few, are counted. */
const adding = (sql: SqlClient.SqlClient) => {
  const write = Effect.fnUntraced(function* (accountId: string, plan: Plan, draft: PushSubscriptionDraft) {
    const { id, personId, endpointHash, origin, sealed, showsSubject, createdAt } = draft
    yield* sql`select id from accounts where id = ${accountId} for no key update`
    const all = yield* sql<{ id: string; personId: string; endpointHash: string }>`select id,
        person_id as "personId", endpoint_hash as "endpointHash"
      from push_subscriptions where account_id = ${accountId} order by created_at desc, id desc`
    const others = all.filter((one) => one.endpointHash !== endpointHash)
    const oldest = others.filter((one) => one.personId === personId).slice(pushSubscriptionsPerPersonMax - 1)
    if (others.length - oldest.length >= planLimits[plan].pushSubscriptions) return false
    const gone = all.filter((one) => one.endpointHash === endpointHash || oldest.includes(one)).map((one) => one.id)
    yield* sql`delete from push_subscriptions where id = any(${gone}::text[])`
    yield* sql`insert into push_subscriptions
        (id, account_id, person_id, endpoint_hash, origin, sealed, shows_subject, created_at)
      values (${id}, ${accountId}, ${personId}, ${endpointHash}, ${origin}, ${sealed}, ${showsSubject}, ${createdAt})`
    return true
  })
  return (accountId: string, plan: Plan, draft: PushSubscriptionDraft) =>
    attemptRecorded(sql, "add a push subscription", write(accountId, plan, draft), (added) =>
      added ? { action: "push_subscription.added", accountId, object: draft.id, detail: draft.origin } : undefined
    )
}

const ofPerson = (sql: SqlClient.SqlClient) => ({
  /** Those of a person, the oldest first. */
  list: (accountId: string, personId: string) =>
    query.many(
      "read push subscriptions",
      sql<PushSubscription>`select id, person_id as "personId", origin, sealed, shows_subject as "showsSubject",
          created_at as "createdAt"
        from push_subscriptions where account_id = ${accountId} and person_id = ${personId} order by created_at, id`
    ),
  /** False: this person has none of this id here. */
  remove: (accountId: string, personId: string, id: string) =>
    attemptRecorded(
      sql,
      "remove a push subscription",
      Effect.map(
        sql`delete from push_subscriptions
            where account_id = ${accountId} and person_id = ${personId} and id = ${id} returning id`,
        (rows) => rows.length > 0
      ),
      (removed) => (removed ? { action: "push_subscription.removed", accountId, object: id } : undefined)
    )
})

const ofSender = (sql: SqlClient.SqlClient) => ({
  /** Those of people who may answer questions, at most as many as any plan allows. */
  recipients: (accountId: string) =>
    query
      .many(
        "read who takes push messages",
        sql<Recipient & { readonly role: Role }>`select s.id, s.origin, s.sealed,
          s.shows_subject as "showsSubject", m.role, m.selector
        from push_subscriptions s join memberships m using (account_id, person_id)
        where s.account_id = ${accountId} order by s.created_at, s.id
        limit ${planLimits.enterprise.pushSubscriptions}`
      )
      .pipe(
        Effect.map((rows) =>
          rows.filter(({ role }) => isAtLeast(role, "operator")).map(({ role: _, ...recipient }) => recipient)
        )
      ),
  /** Removes one whose push service knows it no more. */
  drop: (id: string) => query.run("remove a push subscription", sql`delete from push_subscriptions where id = ${id}`)
})

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...ofKey(sql),
  ...ofPerson(sql),
  ...ofSender(sql),
  /**
   * Adds a browser, over what its endpoint had in this account. Of one person the oldest beyond the bound are removed.
   * False: as many as the plan allows.
   */
  add: adding(sql)
}))

export class PushSubscriptions extends Context.Service<PushSubscriptions, Effect.Success<typeof make>>()(
  "hub/PushSubscriptions"
) {
  static readonly layer = Layer.effect(PushSubscriptions, make)
}
