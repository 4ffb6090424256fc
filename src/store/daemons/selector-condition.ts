/** A selector as a condition on the rows of `daemons d`. Says what src/domain/daemon/selector.ts says; runs nothing. */
import type { Selector } from "../../domain/daemon/selector.ts"

/**
 * Holds of the daemons that are meant. The terms are the three parameters from this number on. `offset 0`: the tags of
 * a daemon are put together once, not for each term.
 */
export const selectorText = (first: number): string => `exists (
    select from (select d.daemon_tags || d.owner_tags as tags offset 0) as own
    where not exists (
      select from unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[]) as term (key, wanted, value)
      cross join lateral (select own.tags ->> term.key as found) as tag
      where not case term.wanted
        when 'equal' then found is not distinct from term.value
        when 'different' then found is distinct from term.value
        when 'there' then found is not null
        else found is null end
    )
  )`

export const selectorValues = (selector: Selector): ReadonlyArray<ReadonlyArray<string>> => [
  selector.map(({ key }) => key),
  selector.map(({ is }) => is),
  selector.map(({ value }) => value)
]
