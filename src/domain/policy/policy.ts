/** Policies: rules for the daemons that a selector means, and what holds besides. Owns the shape. */
import type { Selector } from "../daemon/selector.ts"
import type { Rule } from "./rule.ts"

/** What a question without an answer in time comes to. */
export const onTimeouts = ["reject", "leave"] as const
export type OnTimeout = (typeof onTimeouts)[number]

export interface Policy {
  readonly id: string
  /** Counted up by each change. */
  readonly version: number
  /** Which daemons; none asked for: all. */
  readonly selector: Selector
  readonly rules: ReadonlyArray<Rule>
  /** What holds where no rule matches. */
  readonly default: "ask" | "deny"
  /** How long a question waits for an answer. Null: without an end. */
  readonly timeoutSeconds: number | null
  readonly onTimeout: OnTimeout
  /** Epoch milliseconds. */
  readonly updatedAt: number
}
