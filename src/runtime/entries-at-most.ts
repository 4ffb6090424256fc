/**
 * The bound of a cache by its number of entries. Owns that the cache takes its memory as it fills: by its own `max` the
 * library takes that of all entries when it is made, 40 MB for the caches of a hub (`hub bench start`).
 */

/** Options of an `LRUCache` that keeps so many entries, those used last. */
export const entriesAtMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
