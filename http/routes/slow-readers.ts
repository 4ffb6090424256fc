/**
 * The readers of logs, or of events, that do not keep up, bounded by account and in total. Owns the sums of what waits
 * for them, and which of them are cut off when it is too much: those with the most, of the account with the most.
 * Writes nothing.
 */
import { logBufferedBytesMax, logBufferedBytesPerAccountMax } from "../../src/limits/logs.ts"
import { count } from "../../src/runtime/metrics.ts"

export interface SlowReader {
  readonly accountId: string
  /** Bytes that wait for it. */
  readonly buffered: () => number
  readonly cut: () => void
}

/** The readers of an account, and at least what waits for them: only added to until it seems too much, then counted. */
interface Own {
  readonly accountId: string
  readonly readers: Set<SlowReader>
  bytes: number
}

/** What is kept of a bound that was met: were it all, each byte more would have all readers counted again. */
const keptShare = 7 / 8

export class SlowReaders {
  private readonly byAccount = new Map<string, Own>()
  private bytes = 0
  private readonly bytesMax: number
  private readonly accountBytesMax: number

  constructor(bytesMax = logBufferedBytesMax, accountBytesMax = logBufferedBytesPerAccountMax) {
    this.bytesMax = bytesMax
    this.accountBytesMax = accountBytesMax
  }

  /** So much more waits for a reader. */
  add(reader: SlowReader, bytes: number): void {
    const { accountId } = reader
    const own = this.byAccount.get(accountId) ?? { accountId, readers: new Set(), bytes: 0 }
    this.byAccount.set(accountId, own)
    own.readers.add(reader)
    own.bytes += bytes
    this.bytes += bytes
    if (own.bytes > this.accountBytesMax) {
      this.count(own)
      this.cutDown(own, this.accountBytesMax * keptShare)
    }
    if (this.bytes > this.bytesMax) this.cutAll(this.bytesMax * keptShare)
  }

  /** A reader has left. */
  remove(reader: SlowReader): void {
    const own = this.byAccount.get(reader.accountId)
    if (own === undefined || !own.readers.delete(reader) || own.readers.size > 0) return
    this.byAccount.delete(reader.accountId)
    this.bytes -= own.bytes
  }

  /** A reader of a log was cut off. */
  ended(): void {
    count("hub_log_streams_ended_total", "slow_reader")
  }

  private count(own: Own): void {
    let bytes = 0
    for (const reader of own.readers) {
      const one = reader.buffered()
      bytes += one
      if (one === 0) own.readers.delete(reader)
    }
    this.bytes += bytes - own.bytes
    own.bytes = bytes
    if (bytes === 0) this.byAccount.delete(own.accountId)
  }

  /** Has no more than this wait for all: what is beyond goes from the account with the most, down to the next. */
  private cutAll(keep: number): void {
    for (const own of [...this.byAccount.values()]) this.count(own)
    while (this.bytes > keep) {
      const [most, next] = [...this.byAccount.values()].sort((one, other) => other.bytes - one.bytes)
      if (most === undefined) return
      const beyond = this.bytes - keep
      this.cutDown(most, Math.max(most.bytes - beyond, Math.min(next?.bytes ?? 0, most.bytes - 1)))
    }
  }

  private cutDown(own: Own, keep: number): void {
    const waiting = [...own.readers].map((reader) => ({ reader, bytes: reader.buffered() }))
    for (const { reader, bytes } of waiting.sort((one, other) => other.bytes - one.bytes)) {
      if (own.bytes <= keep) return
      own.bytes -= bytes
      this.bytes -= bytes
      this.remove(reader)
      reader.cut()
    }
  }
}
