/**
 * Policies: rules for the daemons that a selector means, and what holds besides. Owns their shape, how several become
 * what one daemon decides by, and the version by which two of those are told apart. Pure.
 */
import { hash } from "node:crypto"
import { matches, type Selector } from "../daemon/selector.ts"
import type { Tagged } from "../daemon/tags.ts"
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

/** A rule with the name by which it is told of: the policy's id, and the rule's number in it. */
export interface NamedRule extends Rule {
  readonly rule: string
}

/** All that one daemon decides by. */
export interface PolicySet {
  /** The same for the same content, on every node. */
  readonly version: string
  readonly rules: ReadonlyArray<NamedRule>
  readonly default: "ask" | "deny"
  readonly timeoutSeconds?: number | undefined
  readonly onTimeout: OnTimeout
}

const versionChars = 16

/** The policies that mean a daemon. */
export const policiesOf = (policies: ReadonlyArray<Policy>, daemon: Tagged): ReadonlyArray<Policy> =>
  policies.filter(({ selector }) => matches(selector, daemon))

/** Several policies as one: the union of their rules, the stricter default, the earlier end. */
export const policySet = (policies: ReadonlyArray<Policy>): PolicySet => {
  const ends = policies.flatMap(({ timeoutSeconds }) => timeoutSeconds ?? [])
  const timed = policies.filter(({ timeoutSeconds }) => timeoutSeconds !== null)
  const content = {
    rules: policies.flatMap(({ id, rules }) => rules.map((rule, at) => ({ rule: `${id}/${at + 1}`, ...rule }))),
    default: policies.some((policy) => policy.default === "deny") ? ("deny" as const) : ("ask" as const),
    ...(ends.length > 0 && { timeoutSeconds: Math.min(...ends) }),
    onTimeout:
      timed.length > 0 && timed.every(({ onTimeout }) => onTimeout === "leave")
        ? ("leave" as const)
        : ("reject" as const)
  }
  return { version: hash("sha256", JSON.stringify(content), "base64url").slice(0, versionChars), ...content }
}
