/**
 * The store of devices that wait for an API key. Owns their rows, by hash (lower-case hex outside), and that one
 * approval gives one key, however many polls and persons come at once.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Scope } from "../../domain/account/scopes.ts"
import {
  deviceCodesMax,
  deviceCodesPerAddressMax,
  devicePollSeconds,
  devicePollSecondsMax,
  deviceSlowDownSeconds
} from "../../limits/device-codes.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"
import { type KeyDraft, Keys } from "./api-keys.ts"
import { anyRecorded } from "./recorded-change.ts"

/** What a device asks for. Times are epoch milliseconds. */
export interface DeviceRequest {
  readonly name: string
  /** Where it asks from, as limits count addresses. */
  readonly address: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: number
  readonly expiresAt: number
}

/** How a device's poll is answered; "early" counts for the time of the next. */
export type Polled =
  | { readonly state: "pending" | "early"; readonly pollSeconds: number }
  | { readonly state: "approved" | "denied" | "unknown" }

/** What an approved device gets: in the name of this account. */
export interface ApprovedDevice {
  readonly accountId: string
  /** The person who allowed it; null: the one whose address the account bears. */
  readonly personId: string | null
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** It may also connect machines of its own, each removed soon after it left: while its person is an administrator. */
  readonly joinKey: boolean
}

const bytes = (hex: string): Buffer => Buffer.from(hex, "hex")

/** An early poll makes the wait longer, and counts as a poll. */
const pollText = `with found as (
    select hash, state, poll_seconds, polled_at is not null and $2::bigint < polled_at + poll_seconds * 1000 as early
    from device_codes where hash = $1 and expires_at > $2::bigint for update
  )
  update device_codes d set polled_at = $2::bigint,
    poll_seconds = case when f.early then least(f.poll_seconds + ${deviceSlowDownSeconds}, ${devicePollSecondsMax})
      else f.poll_seconds end
  from found f where d.hash = f.hash
  returning f.state, f.early, d.poll_seconds as "pollSeconds"`

interface PollRow {
  readonly state: "pending" | "approved" | "denied"
  readonly early: boolean
  readonly pollSeconds: number
}

const polledOf = (row: PollRow | undefined): Polled => {
  if (row === undefined) return { state: "unknown" }
  const { state, early, pollSeconds } = row
  if (early) return { state: "early", pollSeconds }
  return state === "pending" ? { state, pollSeconds } : { state }
}

/** What a person decides. */
const decisions = (sql: SqlClient.SqlClient) => ({
  /** Lets it have a key of this account with these scopes; false when none waits under the code any more. */
  approve: (
    userCodeHash: string,
    { accountId, personId, scopes, joinKey }: Pick<ApprovedDevice, "accountId" | "personId" | "scopes" | "joinKey">,
    now: number
  ) =>
    anyRecorded(
      sql,
      "approve a device",
      sql`update device_codes set state = 'approved', account_id = ${accountId}, person_id = ${personId},
                scopes = ${scopes}::text[], join_key = ${joinKey}
              where user_code_hash = ${bytes(userCodeHash)} and state = 'pending' and expires_at > ${now}
              returning 1 as one`,
      { action: "device.approved", accountId, detail: scopes.join(" ") }
    ),
  /** Refuses it; false likewise. */
  deny: (userCodeHash: string, now: number) =>
    anyRecorded(
      sql,
      "deny a device",
      sql`update device_codes set state = 'denied' where user_code_hash = ${bytes(userCodeHash)}
              and state = 'pending' and expires_at > ${now} returning 1 as one`,
      { action: "device.denied" }
    )
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const keys = yield* Keys

  const add = (hash: string, userCodeHash: string, { name, address, scopes, createdAt, expiresAt }: DeviceRequest) =>
    sql`insert into device_codes (hash, user_code_hash, name, address, scopes, state, poll_seconds,
        created_at, expires_at)
      select ${bytes(hash)}::bytea, ${bytes(userCodeHash)}::bytea, ${name}::text, ${address}::text, ${scopes}::text[], 'pending',
        ${devicePollSeconds}::integer, ${createdAt}::bigint, ${expiresAt}::bigint
      where (select count(*) from (select 1 from device_codes where expires_at > ${createdAt}::bigint
        limit ${deviceCodesMax}) as waiting) < ${deviceCodesMax}
        and (select count(*) from device_codes where expires_at > ${createdAt}::bigint and address = ${address})
          < ${deviceCodesPerAddressMax}
      returning 1 as one`.pipe(
      Effect.map((rows) => (rows.length > 0 ? ("added" as const) : ("full" as const))),
      Effect.catchIf(
        (error) => query.violates(error, "device_codes_user_code"),
        () => Effect.succeed("taken" as const)
      )
    )

  const redeem = Effect.fnUntraced(function* (
    hash: string,
    now: number,
    draftOf: (device: ApprovedDevice) => KeyDraft
  ) {
    // as who removes a member does: the account first, then what is of it
    yield* sql`select 1 from accounts a join device_codes d on d.account_id = a.id where d.hash = ${bytes(hash)}
      for no key update of a`
    const [device] = yield* sql<ApprovedDevice>`delete from device_codes d using accounts a
      where d.hash = ${bytes(hash)} and d.state = 'approved' and d.expires_at > ${now}
        and a.id = d.account_id and not a.disabled
      returning d.account_id as "accountId", d.person_id as "personId", d.name, d.scopes,
        d.join_key and exists (select from memberships m where m.account_id = a.id
          and m.person_id = coalesce(d.person_id, a.person_id) and m.role in ('admin', 'owner')) as "joinKey"`
    if (device === undefined) return undefined
    const draft = draftOf(device)
    yield* keys.insert(draft)
    return draft
  })

  return {
    /** Adds a device. "taken": its person's code is in use; "full": too many wait. */
    add: (hash: string, userCodeHash: string, request: DeviceRequest) =>
      query.attempt("add a device", add(hash, userCodeHash, request)),
    /** The device that waits under a person's code. */
    waiting: (userCodeHash: string, now: number) =>
      query.one(
        "read a device",
        sql<DeviceRequest>`select name, scopes, created_at as "createdAt", expires_at as "expiresAt"
            from device_codes where user_code_hash = ${bytes(userCodeHash)} and state = 'pending'
              and expires_at > ${now}`
      ),
    ...decisions(sql),
    /** How a device stands that polls now. */
    poll: (hash: string, now: number) =>
      Effect.map(query.many("poll for a device", sql.unsafe<PollRow>(pollText, [bytes(hash), now])), ([row]) =>
        polledOf(row)
      ),
    /**
     * Stores the key of an approved device in place of its row, in one transaction. Undefined: there is none, or its
     * account is disabled.
     */
    redeem: (hash: string, now: number, draftOf: (device: ApprovedDevice) => KeyDraft) =>
      query.attempt("make the key of a device", sql.withTransaction(redeem(hash, now, draftOf))),
    /** Removes those that expired before; returns the number of rows. */
    prune: (before: number) =>
      prune(sql, "remove old device codes", { table: "device_codes", key: "hash", by: "expires_at", before })
  }
})

export class DeviceCodes extends Context.Service<DeviceCodes, Effect.Success<typeof make>>()("hub/DeviceCodes") {
  static readonly layer = Layer.effect(DeviceCodes, make)
}
