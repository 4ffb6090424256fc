/**
 * The hub's limit on what a connection sends of logs, kept on the daemon's side. Owns the count of bytes; sends
 * nothing.
 */
import { logBurstBytes, logBytesPerSecond, logFrameOverheadBytes } from "./limits.ts"

/** Keeps log frames below our share of the hub's limit. They count for no other limit. */
export class LogPace {
  #bytes = logBurstBytes
  #at: number

  constructor(now: number) {
    this.#at = now
  }

  #refill(now: number): void {
    this.#bytes = Math.min(logBurstBytes, this.#bytes + ((now - this.#at) * logBytesPerSecond) / 1_000)
    this.#at = now
  }

  /** Whether a frame may go out now. */
  isFree(now: number): boolean {
    return this.wait(now) === 0
  }

  /** A frame goes out. It may take more than there is: the next one waits the longer. */
  take(now: number, bytes: number): void {
    this.#refill(now)
    this.#bytes -= bytes + logFrameOverheadBytes
  }

  /** How long until a frame may go out. */
  wait(now: number): number {
    this.#refill(now)
    return this.#bytes > 0 ? 0 : Math.floor((-this.#bytes * 1_000) / logBytesPerSecond) + 1
  }
}
