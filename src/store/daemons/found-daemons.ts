/**
 * Finds daemons of an account that are not connected. Owns the reads: one look at the account's rows gives a page and
 * the number of all. src/domain/daemon/daemon-filter.ts has what is looked at.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DaemonFilter, DaemonOrder } from "../../domain/daemon/daemon-filter.ts"
import type { StoreFailed } from "../../errors.ts"
import { findKeyCharsMax } from "../../limits/daemon-api.ts"
import * as query from "../sql/query.ts"
import { selectorText, selectorValues } from "./selector-condition.ts"

/** After which one a page begins. */
export interface FoundPlace {
  readonly key: string
  readonly id: string
}

/** A page, in order, and how many are found in all. */
export interface FoundOffline {
  readonly places: ReadonlyArray<FoundPlace>
  readonly total: number
}

export class FoundDaemons extends Context.Service<
  FoundDaemons,
  {
    /** Those without a connection, revoked ones apart: so many after a place. */
    readonly offline: (
      accountId: string,
      filter: Omit<DaemonFilter, "status">,
      page: { readonly order: DaemonOrder; readonly after: FoundPlace | undefined; readonly limit: number }
    ) => Effect.Effect<FoundOffline, StoreFailed>
  }
>()("hub/FoundDaemons") {
  static readonly layer = Layer.effect(FoundDaemons)(Effect.suspend(() => make))
}

const keys: Readonly<Record<DaemonOrder, string>> = {
  name: `left(d.hostname, ${findKeyCharsMax})`,
  version: `left(d.version, ${findKeyCharsMax})`,
  lastSeen: "lpad((9000000000000000 - coalesce(d.last_seen_at, 0))::text, 16, '0')"
}

// Tags are looked at as their JSON, where a word stands as in JSON, and only where it is in nothing else: to take those
// of each daemon apart, or to write all of them, would take most of the time.
const ownText = `lower(${["d.id", "d.hostname", "d.nickname", "d.platform", "d.version"].join(" || E'\\n' || ")})`
const tagText = `lower(replace(trim(both '{}' from (daemon_tags || owner_tags)::text), '": "', '='))`

interface Asked {
  readonly order: DaemonOrder
  readonly words: number
  readonly selects: boolean
  readonly names: boolean
}

/**
 * An account, the key and the id of the last of the page before, how many, then where it is asked for the three of a
 * selector and the ids that may be found, then of each word itself and as it is in JSON. What is not asked for is not
 * in the text: a planner without statistics takes a condition that is always true for one that few rows meet, and looks
 * each machine's presence up by itself.
 */
const statement = ({ order, words, selects, names }: Asked): string => {
  const afterSelector = selects ? 8 : 5
  const firstWord = names ? afterSelector + 1 : afterSelector
  const has = Array.from({ length: words }, (_, nth) => firstWord + 2 * nth).map(
    (at) => `(strpos(own, $${at}::text) > 0 or strpos(${tagText}, $${at + 1}::text) > 0)`
  )
  const selected = selects ? `and ${selectorText(5)}` : ""
  const named = names ? `and d.id = any($${afterSelector}::text[])` : ""
  return `with looked as (
    select d.id, ${keys[order]} collate "C" as key, ${words === 0 ? "''" : ownText} as own, d.daemon_tags, d.owner_tags
    from daemons d
    where d.account_id = $1 and not d.revoked ${selected} ${named}
      and not exists (select from daemon_presence p
        where p.account_id = $1 and p.node is not null and p.daemon_id = d.id) offset 0
  ), found as materialized (
    select id, key from looked where ${["true", ...has].join(" and ")}
  ), page as (
    select id, key from found where $2::text is null or (key, id) > ($2::text collate "C", $3::text)
    order by key, id limit $4
  )
  select (select count(*)::int from found) as total, p.id, p.key from (values (1)) as always left join page p on true
  order by p.key, p.id`
}

const inJson = (word: string): string => JSON.stringify(word).slice(1, -1)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return FoundDaemons.of({
    offline: (accountId, { words, selector, ids }, { order, after, limit }) => {
      const selects = selector.length > 0
      const text = statement({ order, words: words.length, selects, names: ids !== undefined })
      const looked = words.flatMap((word) => [word, inJson(word)])
      const place = [after?.key ?? null, after?.id ?? null]
      const asked = [...(selects ? selectorValues(selector) : []), ...(ids === undefined ? [] : [[...ids]])]
      const values = [accountId, ...place, limit, ...asked, ...looked]
      const rows = sql.unsafe<{ readonly total: number; readonly id: string | null; readonly key: string }>(
        text,
        values
      )
      return Effect.map(query.attempt("find daemons", rows), (found) => ({
        places: found.flatMap(({ id, key }) => (id === null ? [] : [{ id, key }])),
        total: found[0]?.total ?? 0
      }))
    }
  })
})
