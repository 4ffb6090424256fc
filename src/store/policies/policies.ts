/**
 * The store of policies: what an account's agents may do, by the names that its owner gave them. Owns the rows, their
 * versions and how many there may be; src/domain/policy decides by them.
 */
import { Context, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { type Plan, planLimits } from "../../domain/account/plans.ts"
import { readSelector, selectorText } from "../../domain/daemon/selector.ts"
import type { OnTimeout, Policy } from "../../domain/policy/policy.ts"
import type { Rule } from "../../domain/policy/rule.ts"
import type { StoreFailed } from "../../errors.ts"
import { rulesBytesMax, rulesPerAccountMax } from "../../limits/policies.ts"
import { lockAccount } from "../accounts/account-lock.ts"
import { attemptRecorded } from "../accounts/recorded-change.ts"
import * as query from "../sql/query.ts"

/** A policy as it is written; the store counts its version. */
export type PolicyDraft = Omit<Policy, "version">

/** Which version a change is of: that number; `some`: it must be there; `none`: it must be new; undefined: any. */
export type Expected = number | "some" | "none" | undefined

interface Row {
  readonly accountId: string
  readonly id: string
  readonly version: number
  readonly selector: string
  readonly rules: ReadonlyArray<Rule>
  readonly default: "ask" | "deny"
  readonly timeoutSeconds: number | null
  readonly onTimeout: OnTimeout
  readonly updatedAt: number
}

/** One that cannot be read, of a later version of the hub, means every daemon: its denials must not be lost. */
const policyOf = ({ accountId: _, selector, ...row }: Row): Policy => {
  const read = readSelector(selector)
  return { ...row, selector: Result.isSuccess(read) ? read.success : [] }
}

const reading = (sql: SqlClient.SqlClient, accountIds: ReadonlyArray<string>) =>
  Effect.map(
    query.many(
      "read policies",
      sql<Row>`select account_id as "accountId", id, version, selector, rules, default_effect as "default",
          timeout_seconds as "timeoutSeconds", on_timeout as "onTimeout", updated_at as "updatedAt"
        from policies where account_id = any(${[...accountIds]}::text[]) order by account_id, id`
    ),
    (rows) => {
      const found = new Map<string, Array<Policy>>()
      for (const row of rows) {
        const its = found.get(row.accountId) ?? []
        its.push(policyOf(row))
        found.set(row.accountId, its)
      }
      return found
    }
  )

const isMeant = (expected: Expected, version: number | undefined): boolean => {
  if (expected === undefined) return true
  return expected === "some" ? version !== undefined : expected === (version ?? "none")
}

/** The version that a policy has, and the highest of those that its account has removed. */
const versionsOf = (sql: SqlClient.SqlClient, accountId: string, id: string) =>
  Effect.map(
    sql<{ version: number | null; removed: number }>`select p.version, a.removed_policy_version as removed
      from accounts a left join policies p on p.account_id = a.id and p.id = ${id} where a.id = ${accountId}`,
    ([row]) => ({ version: row?.version ?? undefined, removed: row?.removed ?? 0 })
  )

/**
 * The account's row is locked before its policies are counted. A word: why nothing was written; the policy is another
 * by now, there are as many as the plan allows, or all rules together are too many.
 */
const writing = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (accountId: string, plan: Plan, draft: PolicyDraft, expected: Expected) {
    const { id, selector, rules, timeoutSeconds, onTimeout, updatedAt } = draft
    yield* lockAccount(sql, accountId)
    const [others] = yield* sql<{
      policies: number
      rules: number
      bytes: number
    }>`select count(*)::integer as policies,
        coalesce(sum(rule_count), 0)::integer as rules, coalesce(sum(octet_length(rules::text)), 0)::integer as bytes
      from policies where account_id = ${accountId} and id <> ${id}`
    const text = JSON.stringify(rules)
    const before = yield* versionsOf(sql, accountId, id)
    // one that a larger plan allowed may still be changed
    if (before.version === undefined && others!.policies >= planLimits[plan].policies) return "full" as const
    if (others!.rules + rules.length > rulesPerAccountMax) return "rules" as const
    if (others!.bytes + Buffer.byteLength(text) > rulesBytesMax) return "rules" as const
    if (!isMeant(expected, before.version)) return "changed" as const
    const version = (before.version ?? before.removed) + 1
    yield* sql`insert into policies
        (account_id, id, version, selector, rules, rule_count, default_effect, timeout_seconds, on_timeout, updated_at)
      values (${accountId}, ${id}, ${version}, ${selectorText(selector)}, ${text}::json, ${rules.length},
        ${draft.default}, ${timeoutSeconds}, ${onTimeout}, ${updatedAt})
      on conflict (account_id, id) do update set version = excluded.version, selector = excluded.selector,
        rules = excluded.rules, rule_count = excluded.rule_count, default_effect = excluded.default_effect,
        timeout_seconds = excluded.timeout_seconds, on_timeout = excluded.on_timeout, updated_at = excluded.updated_at`
    return version
  })

const putting = (sql: SqlClient.SqlClient) => {
  const write = writing(sql)
  return (accountId: string, plan: Plan, draft: PolicyDraft, expected: Expected) =>
    attemptRecorded(sql, "write a policy", write(accountId, plan, draft, expected), (written) =>
      typeof written === "number"
        ? { action: "policy.set", accountId, object: draft.id, detail: `version ${written}` }
        : undefined
    )
}

const removing = (sql: SqlClient.SqlClient) => (accountId: string, id: string, expected: number | undefined) =>
  attemptRecorded(
    sql,
    "remove a policy",
    Effect.gen(function* () {
      yield* lockAccount(sql, accountId)
      const { version, removed } = yield* versionsOf(sql, accountId, id)
      if (version === undefined) return false
      if (expected !== undefined && expected !== version) return "changed" as const
      yield* sql`delete from policies where account_id = ${accountId} and id = ${id}`
      yield* sql`update accounts set removed_policy_version = ${Math.max(removed, version)}
              where id = ${accountId}`
      return true
    }),
    (removed) => (removed === true ? { action: "policy.removed", accountId, object: id } : undefined)
  )

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * Writes a policy over one of the same id. Gives its version: of a new one 1, or one more than that of any policy
   * that the account had removed, so that a version that a caller has read is never that of another text.
   */
  put: putting(sql),
  /** All of an account, in the order of their ids. */
  list: (accountId: string): Effect.Effect<ReadonlyArray<Policy>, StoreFailed> =>
    Effect.map(reading(sql, [accountId]), (found) => found.get(accountId) ?? []),
  /** The same of several accounts; one without policies has no entry. */
  of: (accountIds: ReadonlyArray<string>) => reading(sql, accountIds),
  /** False: there is none of this id. */
  remove: removing(sql)
}))

export class Policies extends Context.Service<Policies, Effect.Success<typeof make>>()("hub/Policies") {
  static readonly layer = Layer.effect(Policies, make)
}
