/**
 * The record of one call of an endpoint, from its begin to its end: what guard and action have found, for those who
 * observe it. Owns that each observer hears of one end; observers.ts owns who they are and their order.
 */
import type { AuditOrigin } from "../../src/domain/account/audit-event.ts"
import { ownerOf, programCredentialOf } from "../../src/domain/account/principal.ts"
import type { Span } from "../../src/tracing/span.ts"
import { noLimits, rateLimitHead } from "./rate-limit-headers.ts"
import type { RequestParts } from "./request-parts.ts"
import type { Answer, SentCommand } from "./response.ts"
import type { Verdict } from "./verdict.ts"

/** How a call ends: with an answer; with a stream, as it begins; or its caller leaves before either. */
export type CallEnd = Answer | "stream" | "left"

/** The status that the caller gets; undefined: none. */
export const statusOf = (end: CallEnd): number | undefined => {
  if (typeof end !== "string") return end.status
  return end === "stream" ? 200 : undefined
}

/** Observes the calls of one endpoint. */
export interface Observer {
  readonly begin?: (call: CallRecord) => void
  /** The guard has decided, either way. */
  readonly judged?: (call: CallRecord, verdict: Verdict) => void
  /** Once for each call that began. */
  readonly end: (call: CallRecord, end: CallEnd) => void
}

export class CallRecord {
  readonly request: RequestParts
  /** On the monotonic clock, in nanoseconds. */
  readonly startedAt: number
  /** The guard's decision; undefined: it has not decided. */
  verdict: Verdict | undefined = undefined
  /** The rate limit headers of the answer. */
  rateLimits = noLimits
  /** The command that the action sends, once it says so. */
  command: SentCommand | undefined = undefined
  /** Where its changes come from; undefined: its endpoint is not audited. */
  origin: AuditOrigin | undefined = undefined
  /** Its span, where its trace is kept, and the span of the part of it that is under way. */
  span: Span | undefined = undefined
  part: Span | undefined = undefined
  /** Gives the endpoint's slot back; undefined: it has none. */
  slot: (() => void) | undefined = undefined
  /** An action runs that does not end with its caller, and keeps its slot. */
  outlivesCaller = false
  readonly #ends: ReadonlyArray<Observer["end"]>
  #hasEnded = false

  constructor(request: RequestParts, startedAt: number, ends: ReadonlyArray<Observer["end"]>) {
    this.request = request
    this.startedAt = startedAt
    this.#ends = ends
  }

  /** Takes the guard's decision. */
  judge(verdict: Verdict): void {
    this.verdict = verdict
    this.rateLimits = rateLimitHead(verdict.decisions)
  }

  /** "": none is known. */
  get account(): string {
    return this.verdict === undefined ? "" : this.verdict.principal.accountId
  }

  /** The key or grant that it came with, once known; "" for a session. */
  get keyId(): string {
    return this.verdict === undefined ? "" : (programCredentialOf(this.verdict.principal) ?? "")
  }

  /** The person or the service account that acts, once known; "": neither. */
  get ownerId(): string {
    return this.verdict === undefined ? "" : (ownerOf(this.verdict.principal) ?? "")
  }

  /** The end is known: before the answer is written. Only the first counts. */
  end(end: CallEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const observe of this.#ends) observe(this, end)
  }

  /** Gives the slot back, once. */
  freeSlot(): void {
    this.slot?.()
    this.slot = undefined
  }
}
