/**
 * Pending operations per connection, and the daemons that they concern. Owns the count and its bound. Knows no
 * operation.
 */
import type { Snapshot } from "../../../src/domain/daemon/snapshot.ts"
import { nodeWaitingMax } from "../../../src/limits/nodes.ts"

type Connection = Pick<Snapshot, "daemonId" | "epoch">

/** One daemon at one connection, as a name. */
export const keyOf = ({ daemonId, epoch }: Connection): string => `${daemonId}#${epoch}`

/** Things that wait, the oldest first. */
export class Waiting<A> {
  private readonly all = new Map<string, { readonly of: Connection; readonly what: A }>()
  private readonly daemons = new Map<string, Set<number>>()

  /** False, and nothing is added, when it is full. */
  add(of: Connection, what: A): boolean {
    if (!this.all.has(keyOf(of))) {
      if (this.all.size >= nodeWaitingMax) return false
      const epochs = this.daemons.get(of.daemonId)
      if (epochs === undefined) this.daemons.set(of.daemonId, new Set([of.epoch]))
      else epochs.add(of.epoch)
    }
    this.all.set(keyOf(of), { of, what })
    return true
  }

  /** False when it did not wait. */
  remove(of: Connection): boolean {
    if (!this.all.delete(keyOf(of))) return false
    const epochs = this.daemons.get(of.daemonId)!
    epochs.delete(of.epoch)
    if (epochs.size === 0) this.daemons.delete(of.daemonId)
    return true
  }

  /** Takes out the one that has waited longest. */
  shift(): A | undefined {
    const oldest = this.all.values().next().value
    if (oldest !== undefined) this.remove(oldest.of)
    return oldest?.what
  }

  has(of: Connection): boolean {
    return this.all.has(keyOf(of))
  }

  get(of: Connection): A | undefined {
    return this.all.get(keyOf(of))?.what
  }

  /** Whether anything of this machine waits. */
  hasDaemon(daemonId: string): boolean {
    return this.daemons.has(daemonId)
  }

  /** Whether anything waits of this connection or an earlier one. */
  hasUpTo({ daemonId, epoch }: Connection): boolean {
    for (const one of this.daemons.get(daemonId) ?? []) if (one <= epoch) return true
    return false
  }

  /** All that wait now. */
  list(): ReadonlyArray<A> {
    return Array.from(this.all.values(), ({ what }) => what)
  }

  get size(): number {
    return this.all.size
  }
}
