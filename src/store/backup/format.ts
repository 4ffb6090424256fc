/**
 * The format of an export: lines of JSON, compressed with gzip. The first line is the head. A line with `table`
 * precedes the rows of that table, each in Postgres's own text form; the last line counts them. Owns that format.
 */

export interface Head {
  readonly hub: "export"
  readonly form: 1
  /** When it was begun, epoch milliseconds. */
  readonly at: number
  /** The ids of the schema's steps that its database had taken. */
  readonly migrations: ReadonlyArray<number>
}

/** A line between rows: a table begins, or the export ends. */
export type Mark = { readonly table: string } | { readonly end: { readonly rows: number } }

/** A name as SQL quotes it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The table of the schema's own steps: it is not exported, the head says what it holds. */
export const stepsTable = "hub_migrations"

/** The tables of a database. */
export const tablesQuery = `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind = 'r' and c.relname <> '${stepsTable}' order by c.relname`

/** The head in a line; undefined when the line is none. */
export const headIn = (line: string): Head | undefined => {
  try {
    const head = JSON.parse(line) as Partial<Head> | null
    const good = head?.hub === "export" && head.form === 1 && Array.isArray(head.migrations)
    return good ? (head as Head) : undefined
  } catch {
    return undefined // not JSON
  }
}
