/**
 * Which health of a webhook is written with a batch of outcomes, and which waits for the next turn. A busy webhook
 * would have its one row written many times a second, for the time of its last delivery alone: as long as Postgres may
 * clean nothing up (an old snapshot), every write would read all earlier versions of that row. Owns what waits; writes
 * nothing.
 */
import type { HealthRow } from "../../src/store/webhooks/deliveries.ts"

interface Recent {
  readonly written: HealthRow
  readonly waiting: HealthRow | undefined
}

const isSame = (one: HealthRow, other: HealthRow): boolean =>
  one.failures === other.failures && one.failingSince === other.failingSince

/** The health of webhooks since the last turn. As many are kept as had an outcome in two turns. */
export class HealthWrites {
  #recent = new Map<string, Recent>()

  /** Those of a batch, in the order of their attempts, that are written now: the last of each webhook at most. */
  due(rows: Iterable<HealthRow>): ReadonlyArray<HealthRow> {
    const due: Array<HealthRow> = []
    for (const row of new Map(Array.from(rows, (row) => [row.webhookId, row])).values()) {
      const written = this.#recent.get(row.webhookId)?.written
      if (written !== undefined && isSame(written, row)) {
        this.#recent.set(row.webhookId, { written, waiting: row })
        continue
      }
      this.#recent.set(row.webhookId, { written: row, waiting: undefined })
      due.push(row)
    }
    return due
  }

  /** Whether any waits. */
  get waits(): boolean {
    for (const { waiting } of this.#recent.values()) if (waiting !== undefined) return true
    return false
  }

  /** A turn: those that waited, to be written now. */
  turn(): ReadonlyArray<HealthRow> {
    const rows = [...this.#recent.values()].flatMap(({ waiting }) => waiting ?? [])
    this.#recent = new Map(rows.map((row) => [row.webhookId, { written: row, waiting: undefined }]))
    return rows
  }
}
