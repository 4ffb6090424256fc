/** A selector as a condition on the rows of `daemons d`. Says what src/domain/daemon/selector.ts says; runs nothing. */
import type { SqlClient } from "effect/sql"
import type { Selector } from "../../domain/daemon/selector.ts"

/** Holds of the daemons that are meant. */
export const selectorCondition = (sql: SqlClient.SqlClient, selector: Selector) => {
  const column = (pick: (term: Selector[number]) => string): ReadonlyArray<string> => selector.map(pick)
  return sql`not exists (
    select from unnest(
      ${column(({ key }) => key)}::text[], ${column(({ is }) => is)}::text[], ${column(({ value }) => value)}::text[]
    ) as term (key, wanted, value)
    cross join lateral (select (d.daemon_tags || d.owner_tags) ->> term.key as found) as tag
    where not case term.wanted
      when 'equal' then found is not distinct from term.value
      when 'different' then found is distinct from term.value
      when 'there' then found is not null
      else found is null end
  )`
}
