/**
 * Page cursors: where a page of a list begins, opaque to callers and equal on every node. Owns the cursor's text; the
 * stores own the lists and their order.
 */
import { type IdKind, isId } from "./ids.ts"

/** After this row, of a list in order of time, then id. */
export interface PagePosition {
  /** Epoch milliseconds. */
  readonly at: number
  readonly id: string
}

/** A text as a cursor. */
export const sealCursor = (text: string): string => Buffer.from(text).toString("base64url")

/** The text of a cursor, or of whatever else was given as one. */
export const openCursor = (cursor: string): string => Buffer.from(cursor, "base64url").toString("latin1")

/** The cursor of the page after this row. */
export const cursorAfter = ({ at, id }: PagePosition): string => sealCursor(`${at}.${id}`)

/** Where a cursor points, in a list of such ids; undefined when it is none of that list. */
export const placeOf = (kind: IdKind, cursor: string): PagePosition | undefined => {
  const [, at, id] = /^(\d{1,15})\.(\w{1,40})$/u.exec(openCursor(cursor)) ?? []
  return at !== undefined && id !== undefined && isId(kind, id) ? { at: Number(at), id } : undefined
}

/**
 * A page of what was read, one row more than fits in it: the row after which the next one begins, if there is a next.
 */
export const pageOf = <A>(
  rows: ReadonlyArray<A>,
  limit: number
): { readonly rows: ReadonlyArray<A>; readonly last: A | undefined } =>
  rows.length > limit ? { rows: rows.slice(0, limit), last: rows[limit - 1] } : { rows, last: undefined }
