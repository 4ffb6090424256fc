/**
 * Who wants to know that the snapshot of a daemon of this node changed. Owns the listeners by daemon; a daemon without
 * any costs a look into an empty map. Knows no snapshot.
 */

export class SnapshotWatchers {
  readonly #byDaemon = new Map<string, Set<() => void>>()

  /** Calls at each change until the end that is returned; within the change, so a listener must return at once. */
  add(daemonId: string, listener: () => void): () => void {
    const all = this.#byDaemon.get(daemonId) ?? new Set()
    this.#byDaemon.set(daemonId, all.add(listener))
    return () => {
      all.delete(listener)
      if (all.size === 0 && this.#byDaemon.get(daemonId) === all) this.#byDaemon.delete(daemonId)
    }
  }

  /** The daemon has another snapshot, or is gone from here. */
  tell(daemonId: string): void {
    if (this.#byDaemon.size === 0) return
    for (const listener of [...(this.#byDaemon.get(daemonId) ?? [])]) listener()
  }

  /** Number of listeners of a daemon. */
  of(daemonId: string): number {
    return this.#byDaemon.get(daemonId)?.size ?? 0
  }
}
