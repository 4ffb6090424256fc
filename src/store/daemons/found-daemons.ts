/**
 * Finds daemons of an account that are not connected. Owns the reads: one look at the account's rows gives a page and
 * the number of all. src/domain/daemon/daemon-filter.ts has what is looked at.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DaemonFilter, DaemonOrder } from "../../domain/daemon/daemon-filter.ts"
import type { StoreFailed } from "../../errors.ts"
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

/** The search. */
export class FoundDaemons extends Context.Service<
  FoundDaemons,
  {
    /** Those without a connection, revoked ones apart: so many after a place. */
    readonly offline: (
      accountId: string,
      filter: Pick<DaemonFilter, "words" | "selector">,
      page: { readonly order: DaemonOrder; readonly after: FoundPlace | undefined; readonly limit: number }
    ) => Effect.Effect<FoundOffline, StoreFailed>
  }
>()("hub/FoundDaemons") {
  static readonly layer = Layer.effect(FoundDaemons)(Effect.suspend(() => make))
}

const keys: Readonly<Record<DaemonOrder, string>> = {
  name: "d.hostname",
  version: "d.version",
  lastSeen: "lpad((9000000000000000 - coalesce(d.last_seen_at, 0))::text, 16, '0')"
}

// `offset 0`: the text of a daemon is made once, not for each word
const hasWords = `not exists (
    select from (select lower(concat_ws(E'\\n', d.id, d.hostname, d.nickname, d.platform, d.version,
      (select string_agg(t.key || '=' || t.value, E'\\n') from jsonb_each_text(d.daemon_tags || d.owner_tags) t)
    )) as text offset 0) as own
    cross join unnest($2::text[]) as word where strpos(own.text, word) = 0)`

/** An account, words, the key and the id of the last of the page before, how many, the three of a selector. */
const textOf = (order: DaemonOrder): string => `with found as materialized (
    select d.id, ${keys[order]} collate "C" as key from daemons d left join daemon_presence p on p.daemon_id = d.id
    where d.account_id = $1 and not d.revoked and p.node is null
      and (cardinality($2::text[]) = 0 or ${hasWords}) and ${selectorText(6)}
  ), page as (
    select id, key from found where $3::text is null or (key, id) > ($3::text collate "C", $4::text)
    order by key, id limit $5
  )
  select (select count(*)::int from found) as total, p.id, p.key from (values (1)) as always left join page p on true
  order by p.key, p.id`

const texts = { name: textOf("name"), version: textOf("version"), lastSeen: textOf("lastSeen") }

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return FoundDaemons.of({
    offline: (accountId, { words, selector }, { order, after, limit }) => {
      const values = [accountId, words, after?.key ?? null, after?.id ?? null, limit, ...selectorValues(selector)]
      const rows = sql.unsafe<{ readonly total: number; readonly id: string | null; readonly key: string }>(
        texts[order],
        values
      )
      return Effect.map(query.attempt("find daemons", rows), (found) => ({
        places: found.flatMap(({ id, key }) => (id === null ? [] : [{ id, key }])),
        total: found[0]?.total ?? 0
      }))
    }
  })
})
