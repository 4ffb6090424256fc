/**
 * The store of the tokens that push messages bear: each answers one question in one way, once. Owns their rows, how
 * many a browser may have, and that a token is taken by one call alone. Keeps no token, only hashes.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Member } from "../../domain/account/member.ts"
import type { Plan } from "../../domain/account/plans.ts"
import type { PushDecision } from "../../domain/push/approval-message.ts"
import { pushAnswersPerBrowserMax } from "../../limits/push.ts"
import { prune } from "../sql/pruning.ts"
import * as query from "../sql/query.ts"

/** A token of one browser, by its hash. */
export interface PushAnswerDraft {
  readonly hash: string
  readonly subscriptionId: string
  readonly decision: PushDecision
}

/** The question of tokens, and until when they answer it: epoch milliseconds. */
export interface AnswerableQuestion {
  readonly approvalId: string
  readonly expiresAt: number
}

/** What a token answers, and its person as they are a member now. */
export interface PushAnswer extends Member {
  readonly accountId: string
  readonly plan: Plan
  readonly subscriptionId: string
  readonly approvalId: string
  readonly decision: PushDecision
}

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Keeps tokens; gives the hashes of those that it kept: of a browser that has too many, none. */
  keep: ({ approvalId, expiresAt }: AnswerableQuestion, drafts: ReadonlyArray<PushAnswerDraft>, now: number) =>
    query
      .many(
        "keep tokens of a push message",
        sql<{
          readonly hash: string
        }>`insert into push_answers (hash, subscription_id, approval_id, decision, expires_at)
          select draft.hash, draft.browser, ${approvalId}::text, draft.decision, ${expiresAt}::bigint
          from unnest(
            ${drafts.map(({ hash }) => hash)}::text[],
            ${drafts.map(({ subscriptionId }) => subscriptionId)}::text[],
            ${drafts.map(({ decision }) => decision)}::text[]
          ) as draft (hash, browser, decision)
          join push_subscriptions s on s.id = draft.browser
          where (select count(*) from push_answers other where other.subscription_id = draft.browser
            and other.expires_at > ${now}::bigint) < ${pushAnswersPerBrowserMax}::bigint
          returning hash`
      )
      .pipe(Effect.map((rows) => new Set(rows.map(({ hash }) => hash)))),
  /**
   * Takes a token, so that it is good no more. Undefined: it is not known, over or taken, its browser or its person
   * has been removed, or the account is disabled.
   */
  take: (hash: string, now: number) =>
    query.one(
      "take a token of a push message",
      sql<PushAnswer>`delete from push_answers t using push_subscriptions s, memberships m, accounts a
        where t.hash = ${hash} and t.expires_at > ${now} and s.id = t.subscription_id
          and m.account_id = s.account_id and m.person_id = s.person_id and a.id = s.account_id and not a.disabled
        returning t.approval_id as "approvalId", t.decision, s.id as "subscriptionId", s.account_id as "accountId",
          m.person_id as "personId", m.role, m.selector, a.plan`
    ),
  /** Removes those that ended before; gives their number. */
  prune: (before: number) =>
    prune(sql, "remove old tokens of push messages", { table: "push_answers", key: "hash", by: "expires_at", before })
}))

/** The store of tokens of push messages. */
export class PushAnswers extends Context.Service<PushAnswers, Effect.Success<typeof make>>()("hub/PushAnswers") {
  static readonly layer = Layer.effect(PushAnswers, make)
}
