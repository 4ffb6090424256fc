/** A list in pages: a promise of its first page, and all its items in turn. Owns the following of cursors. */

type Page = object & { readonly nextCursor?: string }

/** The first page when awaited; every item of every page when iterated. Nothing is asked before. */
export interface Listing<P, Item> extends PromiseLike<P>, AsyncIterable<Item> {}

/** Makes one from the reading of a page behind a cursor. */
export const listing = <P extends Page, Item>(read: (cursor: string | undefined) => Promise<P>): Listing<P, Item> => ({
  // biome-ignore lint/suspicious/noThenProperty: a list is asked for when it is awaited
  then: (resolved, rejected) => read(undefined).then(resolved, rejected),
  async *[Symbol.asyncIterator]() {
    const seen = new Set<string>()
    for (let cursor: string | undefined; ; ) {
      const page = await read(cursor)
      const items = Object.values(page).find((member) => Array.isArray(member)) as ReadonlyArray<Item> | undefined
      yield* items ?? []
      cursor = page.nextCursor
      // a cursor that comes back would be read for ever
      if (cursor === undefined || seen.has(cursor)) return
      seen.add(cursor)
    }
  }
})
