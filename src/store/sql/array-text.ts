/**
 * An array as Postgres reads it from a text, for a parameter that the statement casts (`$1::text[]`). Owns the quoting.
 * It buys, by the bench `delivery`, what node-postgres spends on each element of the statements that have the most.
 */

/** An element of such an array. */
export type Element = string | number | boolean | null

const quoted = (text: string): string =>
  text.includes('"') || text.includes("\\") ? `"${text.replaceAll(/["\\]/gu, "\\$&")}"` : `"${text}"`

/** The array of one value of each row. */
export const arrayText = <A>(rows: ReadonlyArray<A>, of: (row: A) => Element): string => {
  let text = ""
  for (const row of rows) {
    const value = of(row)
    if (text !== "") text += ","
    text += typeof value === "string" ? quoted(value) : value === null ? "NULL" : String(value)
  }
  return `{${text}}`
}
