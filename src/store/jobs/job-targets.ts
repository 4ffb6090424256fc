/**
 * Whom a job is for, and what became of each. Owns the reads of daemons that a new job may have for targets, and of the
 * targets of one that is there; writes nothing.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Selector } from "../../domain/daemon/selector.ts"
import { type LeftOut, retriedStates, type TargetState } from "../../domain/job/job.ts"
import type { StoreFailed } from "../../errors.ts"
import { selectorValues } from "../daemons/selector-condition.ts"
import * as query from "../sql/query.ts"
import { type ResultRow, resultOf, type TargetResult, type TargetRow, targetOf } from "./job-rows.ts"
import * as text from "./jobs-statements.ts"

/** Which targets of a job. */
export interface TargetsAsked {
  readonly state: TargetState | undefined
  /** Only those with this exit code, or with another than 0. */
  readonly exitCode?: number | "nonzero" | undefined
  /** After this daemon, in a list by id; "" for the first page. */
  readonly after: string
  readonly limit: number
}

/** A page of results. */
export interface ResultsPage {
  readonly results: ReadonlyArray<TargetResult>
  readonly more: boolean
}

interface Id {
  readonly id: string
}

const askedValues = (jobId: string, { state, after, limit, exitCode }: TargetsAsked): ReadonlyArray<unknown> => [
  jobId,
  state ?? null,
  after,
  limit,
  exitCode === "nonzero" ? true : null,
  typeof exitCode === "number" ? exitCode : null
]

export const jobTargets = (sql: SqlClient.SqlClient) => {
  const ids = (what: string, statement: string, values: ReadonlyArray<unknown>) =>
    query.many(what, sql.unsafe<Id>(statement, values), ({ id }) => id)
  return {
    /** The daemons of an account that a selector means and that are not revoked, by id: so many after one. */
    daemonsOf: (accountId: string, selector: Selector, after: string, limit: number) =>
      ids("list daemons", text.daemonsText, [accountId, after, limit, ...selectorValues(selector)]),
    /** Those that were connected since a time, by id: so many after one. */
    recentOf: (accountId: string, since: number, after: string, limit: number) =>
      ids("list daemons", text.recentText, [accountId, after, limit, since]),
    /** How many were not. */
    leftOutOf: (accountId: string, since: number) =>
      Effect.map(
        query.many("count daemons", sql.unsafe<LeftOut>(text.leftOutText, [accountId, since])),
        ([row]) => row!
      ),
    /** Those of these daemons that are the account's. */
    knownOf: (accountId: string, daemonIds: ReadonlyArray<string>) =>
      Effect.map(ids("look up daemons", text.knownText, [accountId, daemonIds]), (found) => new Set(found)),
    /** A page of its targets. */
    targets: (jobId: string, asked: TargetsAsked) =>
      query.many("list a job's targets", sql.unsafe<TargetRow>(text.targetsText, askedValues(jobId, asked)), targetOf),
    /** The same, with results of so many bytes, and one more at most. */
    results: (jobId: string, asked: TargetsAsked, bytes: number): Effect.Effect<ResultsPage, StoreFailed> =>
      Effect.map(
        query.many(
          "list a job's results",
          sql.unsafe<ResultRow & { readonly found: number }>(text.resultsText, [
            ...askedValues(jobId, { ...asked, limit: asked.limit + 1 }),
            bytes
          ])
        ),
        (rows) => {
          const results = rows.slice(0, asked.limit).map(resultOf)
          return { results, more: results.length < (rows[0]?.found ?? 0) }
        }
      ),
    /** The daemons of a job that may be tried again, by id: so many after one. */
    retriedOf: (jobId: string, after: string, limit: number) =>
      ids("list what failed of a job", text.retriedText, [jobId, retriedStates, after, limit])
  }
}
