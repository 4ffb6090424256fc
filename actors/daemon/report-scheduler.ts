/**
 * The shares of all accounts that have daemons on this node, and the daemons whose reports wait, first come first
 * served. Owns one timer per account that waits; account-share.ts decides what a share allows.
 */
import type { Snapshot } from "../../src/domain/daemon/snapshot.ts"
import type { FairDebts } from "../../src/domain/limits/fair-debts.ts"
import { shareLingerMillis } from "../../src/limits.ts"
import type { Timer, Timers } from "../../src/runtime/timers.ts"
import {
  type AccountShare,
  addDaemons,
  type KeptReports,
  newShare,
  takeReport,
  untilReport,
  weightOnArrival
} from "./account-share.ts"
import type { Daemon } from "./state.ts"

interface Account {
  readonly share: AccountShare
  /** Who waits, and with how many bytes. One per daemon. */
  readonly waiting: Map<Daemon, number>
  timer: Timer | undefined
}

/** All shares of a node. */
export class ReportScheduler {
  readonly #timers: Pick<Timers["Service"], "after" | "now">
  readonly #node: FairDebts
  readonly #kept: KeptReports = { weight: 0, daemons: 0 }
  readonly #accounts = new Map<string, Account>()

  /** `node`: what all accounts cost this node. */
  constructor(timers: Pick<Timers["Service"], "after" | "now">, node: FairDebts) {
    this.#timers = timers
    this.#node = node
  }

  /** One more daemon of an account, with what its snapshot weighs already. */
  join(snapshot: Snapshot): { readonly share: AccountShare; readonly weight: number } {
    const { accountId } = snapshot
    const account = this.#accounts.get(accountId) ?? {
      share: newShare(accountId, this.#node, this.#kept),
      waiting: new Map(),
      timer: undefined
    }
    this.#accounts.set(accountId, account)
    const { share } = account
    if (share.daemons === 0) {
      account.timer?.clear()
      account.timer = undefined
    }
    const weight = weightOnArrival(snapshot)
    addDaemons(share, 1, weight)
    return { share, weight }
  }

  /** A daemon is gone, with what it held and weighed. */
  leave(accountId: string, daemon: Daemon | undefined, heldBytes: number, weight: number): void {
    const account = this.#accounts.get(accountId)
    if (account === undefined) return
    const { share, waiting } = account
    if (daemon !== undefined) waiting.delete(daemon)
    share.heldBytes -= heldBytes
    addDaemons(share, -1, -weight)
    if (share.daemons > 0) return
    account.timer?.clear()
    // what was taken is not given back by a daemon that leaves and comes again
    account.timer = this.#timers.after(shareLingerMillis, () => void this.#accounts.delete(accountId))
  }

  /** A daemon has a report of so many bytes that waits; it keeps its place where it had one before. */
  wait(accountId: string, daemon: Daemon, bytes: number): void {
    const account = this.#accounts.get(accountId)
    if (account === undefined) return
    account.waiting.set(daemon, bytes)
    this.#serve(account)
  }

  /** A daemon's report waits no more. */
  forget(accountId: string, daemon: Daemon): void {
    this.#accounts.get(accountId)?.waiting.delete(daemon)
  }

  /** Accounts with a share. */
  get size(): number {
    return this.#accounts.size
  }

  #serve(account: Account): void {
    if (account.timer !== undefined) return
    for (const [daemon, bytes] of account.waiting) {
      const now = this.#timers.now()
      const millis = untilReport(account.share, bytes, now)
      if (millis > 0) {
        account.timer = this.#timers.after(millis, () => {
          account.timer = undefined
          this.#serve(account)
        })
        return
      }
      takeReport(account.share, bytes, now)
      account.waiting.delete(daemon)
      daemon.tell({ type: "reportDue", now })
    }
  }
}
