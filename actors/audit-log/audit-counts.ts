/**
 * Events that are counted before they are written: those alike, within a minute, are one row. Owns what is alike and
 * the bounds: an account has so many rows in a minute, and of more only actions and outcomes are told apart. Writes
 * nothing.
 */
import { type AuditEvent, type AuditOrigin, originMembers } from "../../src/domain/account/audit-event.ts"
import { auditAccountsMax, auditCountedPerAccountMax, auditWaitingMax } from "../../src/limits/audit.ts"

/** What happened. `accountId` undefined: it concerns the account of its origin. */
export type Noted = Pick<AuditEvent, "action" | "outcome"> &
  Partial<Pick<AuditEvent, "accountId" | "object" | "detail" | "reason">>

/** One event that is counted. */
type CountedEvent = Omit<AuditEvent, "id" | "count">

interface Counted {
  readonly event: CountedEvent
  readonly id: string
  count: number
  isWritten: boolean
}

type Share = Map<string, Counted>

const nothing = { object: undefined, detail: undefined, reason: undefined, address: undefined, requestId: undefined }

const keyOf = ({ actor, address }: AuditOrigin, { action, outcome, object, detail, reason }: Noted): string =>
  `${action} ${outcome} ${actor.id ?? actor.kind} ${object} ${detail} ${reason} ${address}`

/** The event, made once for all that are alike. */
export const eventOf = (origin: AuditOrigin, noted: Noted, at: number): CountedEvent => {
  const { action, outcome, object, detail, reason, accountId = origin.accountId } = noted
  return { ...originMembers(origin), accountId, at, action, outcome, object, detail, reason }
}

/** Events by account and by what is alike. */
export class AuditCounts {
  #shares = new Map<string, Share>()
  #size = 0
  readonly #newId: () => string

  constructor(newId: () => string) {
    this.#newId = newId
  }

  /** How many rows are counted. */
  get size(): number {
    return this.#size
  }

  /** Counts what happened so often: in a row that was there, or in one that it began. "omitted": there is no room. */
  add(origin: AuditOrigin, noted: Noted, at: number, times = 1): "counted" | "begun" | "omitted" {
    const account = noted.accountId ?? origin.accountId ?? ""
    let share = this.#shares.get(account)
    if (share === undefined) {
      if (this.#shares.size >= auditAccountsMax) return "omitted"
      share = new Map()
      this.#shares.set(account, share)
    }
    const key = keyOf(origin, noted)
    if (this.#counts(share.get(key), times)) return "counted"
    const event = eventOf(origin, noted, at)
    if (share.size < auditCountedPerAccountMax) return this.#begin(share, key, event, times)
    const alike = `${event.action} ${event.outcome}`
    if (this.#counts(share.get(alike), times)) return "counted"
    return this.#begin(share, alike, { ...event, ...nothing, actor: { kind: event.actor.kind } }, times)
  }

  /** What was not written as it is now. */
  unwritten(): ReadonlyArray<AuditEvent> {
    const found: Array<AuditEvent> = []
    for (const share of this.#shares.values())
      for (const { event, id, count, isWritten } of share.values()) if (!isWritten) found.push({ ...event, id, count })
    return found
  }

  /** Notes that these were written, as far as they were not counted further since. */
  written(events: ReadonlyArray<AuditEvent>): void {
    const counts = new Map(events.map(({ id, count }) => [id, count]))
    for (const share of this.#shares.values())
      for (const one of share.values()) if (counts.get(one.id) === one.count) one.isWritten = true
  }

  /** A new minute begins: what is written is forgotten. */
  forget(): void {
    for (const [account, share] of this.#shares) {
      for (const [key, { isWritten }] of share) {
        if (!isWritten) continue
        share.delete(key)
        this.#size--
      }
      if (share.size === 0) this.#shares.delete(account)
    }
  }

  #counts(one: Counted | undefined, times: number): boolean {
    if (one === undefined) return false
    one.count += times
    one.isWritten = false
    return true
  }

  #begin(share: Share, key: string, event: CountedEvent, times: number): "begun" | "omitted" {
    if (this.#size >= auditWaitingMax) return "omitted"
    share.set(key, { event, id: this.#newId(), count: times, isWritten: false })
    this.#size++
    return "begun"
  }
}
