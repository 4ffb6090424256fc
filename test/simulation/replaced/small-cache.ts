/**
 * The library of caches with less room in each: it allocates all room at once, which for the nodes of thousands of
 * worlds takes most of the time. Owns the size; module-hooks.ts puts it in the place of the library.
 */
import { LRUCache as Library } from "lru-cache"

const roomMax = 256

/** A small cache. */
export class LRUCache<K extends {}, V extends {}> extends Library<K, V> {
  constructor(options: Library.Options<K, V, unknown>) {
    super({ ...options, max: Math.min(options.max ?? roomMax, roomMax) } as Library.Options<K, V, unknown>)
  }
}
