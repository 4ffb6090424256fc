/**
 * The readers of logs, or of events, that do not keep up, bounded in total. Owns the sum of what waits for them, and
 * which of them is cut off when it is too much: the one with the most. Writes nothing.
 */
import { logBufferedBytesMax } from "../../src/limits/logs.ts"
import { count } from "../../src/runtime/metrics.ts"

export interface SlowReader {
  /** Bytes that wait for it. */
  readonly buffered: () => number
  readonly cut: () => void
}

export class SlowReaders {
  private readonly readers = new Set<SlowReader>()
  /** At least what waits: it is only added to until it seems too much, and then counted. */
  private bytes = 0
  private readonly bytesMax: number

  constructor(bytesMax = logBufferedBytesMax) {
    this.bytesMax = bytesMax
  }

  /** So much more waits for a reader. */
  add(reader: SlowReader, bytes: number): void {
    this.readers.add(reader)
    this.bytes += bytes
    if (this.bytes <= this.bytesMax) return
    this.count()
    while (this.bytes > this.bytesMax) {
      const [most] = [...this.readers].sort((a, b) => b.buffered() - a.buffered())
      if (most === undefined) return
      this.readers.delete(most)
      this.bytes -= most.buffered()
      most.cut()
    }
  }

  /** A reader has left. */
  remove(reader: SlowReader): void {
    this.readers.delete(reader)
  }

  /** A reader of a log was cut off. */
  ended(): void {
    count("hub_log_streams_ended_total", "slow_reader")
  }

  private count(): void {
    this.bytes = 0
    for (const reader of this.readers) {
      const bytes = reader.buffered()
      if (bytes === 0) this.readers.delete(reader)
      this.bytes += bytes
    }
  }
}
