/**
 * The enrolment of a machine by a join key, within a transaction. Owns which daemon it is: one that asked before and
 * never connected, whose answer was lost, or a new one. One that has connected is never handed over: who holds the key
 * and knows what another machine names itself by gets a daemon of its own. Joins of one key follow one another; the key
 * is locked first, then the daemon, then the account.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Tags } from "../../domain/daemon/tags.ts"
import { AccountDisabled } from "../../errors.ts"
import { disabledAwayMillis } from "../../protocol/close.ts"
import { recordChange } from "../accounts/recorded-change.ts"
import { addToken } from "./daemon-tokens.ts"
import { enrolment } from "./enrolment.ts"

/** A machine that asks, and the token that it is to have. */
export interface Joining {
  /** Lower-case hex. */
  readonly keyHash: string
  readonly tokenHash: string
  /** What only the machine knows is good for its daemon beside the key: kept as a hash. */
  readonly machineIdHash: string | undefined
  /** Its daemon's nickname until it gives itself another; empty: none. */
  readonly name: string
  readonly hostname: string
  readonly now: number
}

/** The daemon that a machine is now. */
export interface Joined {
  readonly accountId: string
  readonly daemonId: string
  /** The machine had asked before, and its earlier token has ended. */
  readonly again: boolean
}

interface KeyRow {
  readonly id: string
  readonly accountId: string
  readonly tags: Tags
  readonly removeAfterMinutes: number | null
  readonly isUsedUp: boolean
  readonly isDisabled: boolean
}

/** Enrols. Undefined: the key is good for nothing (more). */
export const joining = (sql: SqlClient.SqlClient) => {
  const enrol = enrolment(sql)

  const keyOf = ({ keyHash, now }: Joining) => sql<KeyRow>`
    select j.id, j.account_id as "accountId", j.tags, j.remove_after_minutes as "removeAfterMinutes",
      coalesce(j.uses >= j.max_uses, false) as "isUsedUp", a.disabled as "isDisabled"
    from join_keys j join accounts a on a.id = j.account_id
    where j.hash = ${Buffer.from(keyHash, "hex")} and (j.expires_at is null or j.expires_at > ${now}::bigint)
    for update of j`

  const known = (key: KeyRow, machineIdHash: string) => sql<{ id: string; revoked: boolean }>`
    select id, revoked from daemons where join_key_id = ${key.id} and machine_id = ${machineIdHash} for update`

  /** Asked once its row is locked: a first connect that came in between is seen, and none comes from then on. */
  const hasConnected = (daemonId: string) =>
    Effect.map(sql`select 1 as one from daemon_presence where daemon_id = ${daemonId}`, ({ length }) => length > 0)

  const again = Effect.fnUntraced(function* ({ accountId }: KeyRow, daemonId: string, given: Joining) {
    const { tokenHash, name, now } = given
    yield* sql`update daemon_tokens set revoked_at = ${now}::bigint
      where daemon_id = ${daemonId} and revoked_at is null`
    const change = addToken(sql)({ accountId, daemonId, tokenHash, name, now })
    yield* recordChange(sql, change, () => ({ action: "daemon.token_created", accountId, object: daemonId }))
    return { accountId, daemonId, again: true } satisfies Joined
  })

  return Effect.fnUntraced(function* (given: Joining) {
    const { tokenHash, machineIdHash, name, hostname, now } = given
    const [key] = yield* keyOf(given)
    if (key === undefined) return undefined
    if (key.isDisabled) {
      const retryAfterMillis = disabledAwayMillis(key.id)
      return yield* new AccountDisabled({ retryAfter: Math.ceil(retryAfterMillis / 1_000), retryAfterMillis })
    }
    const [before] = machineIdHash === undefined ? [] : yield* known(key, machineIdHash)
    if (before?.revoked === false && !(yield* hasConnected(before.id))) return yield* again(key, before.id, given)
    if (key.isUsedUp) return undefined
    // the machine of this name is another from here on
    if (before !== undefined) yield* sql`update daemons set machine_id = null where id = ${before.id}`
    const { accountId, tags, removeAfterMinutes } = key
    const joined = { joinKeyId: key.id, machineIdHash, hostname, tags, removeAfterMinutes }
    const daemonId = yield* enrol({ accountId, daemonId: undefined, tokenHash, name, now, joined })
    if (daemonId === undefined) return undefined
    yield* sql`update join_keys set uses = uses + 1 where id = ${key.id}`
    return { accountId, daemonId, again: false } satisfies Joined
  })
}
