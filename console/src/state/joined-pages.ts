/** The joining of pages to a list. Pure; owns the bound of its rows. */
import { rowsShownMax } from "../limits.ts"

/** One page. */
export interface ListPage<Row> {
  readonly rows: ReadonlyArray<Row>
  readonly next: string | undefined
}

/** Adds a page, up to the bound; at the bound there is no next page. */
export const joined = <Row>(
  before: ListPage<Row> | undefined,
  page: ListPage<Row>,
  max = rowsShownMax
): ListPage<Row> => {
  const rows = [...(before?.rows ?? []), ...page.rows].slice(0, max)
  return { rows, next: rows.length >= max ? undefined : page.next }
}
