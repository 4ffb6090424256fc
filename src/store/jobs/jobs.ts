/**
 * Jobs as their account sees them. Owns their making, in steps that each write few rows (a job is shown once its last
 * target is there), their reading and their removal. job-targets.ts reads targets, led-jobs.ts is for the leader.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { planLimits } from "../../domain/account/plans.ts"
import { isId, newId } from "../../domain/ids.ts"
import type { Job, JobState, JobType, LeftOut } from "../../domain/job/job.ts"
import type { PagePosition } from "../../domain/page-cursor.ts"
import { JobLimitReached, NotFound } from "../../errors.ts"
import {
  jobDraftMillis,
  jobKeepMillis,
  jobMakingMillis,
  jobRowsMax,
  jobsKeptMax,
  jobsUnderWayMax
} from "../../limits/jobs.ts"
import { prunedRowsMax } from "../../limits/store.ts"
import { attemptRecorded, recordChange } from "../accounts/recorded-change.ts"
import * as query from "../sql/query.ts"
import { type CountRow, countsOf, type JobRow, jobOf } from "./job-rows.ts"
import { jobTargets } from "./job-targets.ts"
import * as text from "./jobs-statements.ts"

/** A job that begins. */
export interface NewJob
  extends Pick<Job, "jobId" | "accountId" | "type" | "timeoutMs" | "rollout" | "createdAt" | "expiresAt"> {
  /** What is sent, sealed. */
  readonly payload: string
  /** Each once, of this account. */
  readonly daemonIds: ReadonlyArray<string>
  /** The key that starts it; null: a person does, in this session. */
  readonly keyId: string | null
  readonly sessionId?: string | undefined
  /** The person who starts it, in a session or by a key or an app of theirs; absent: none does. Not kept. */
  readonly by?: string | undefined
  readonly name?: string | undefined
  readonly retryOf?: string | undefined
  readonly leftOut?: LeftOut | undefined
  /** Whom it is for, as the audit log says it. */
  readonly meant?: string | undefined
}

/** Which jobs of an account. */
export interface JobsAsked {
  readonly accountId: string
  readonly types: ReadonlyArray<JobType>
  readonly state: JobState | undefined
  /** After this one, in a list that begins with the newest. */
  readonly after: PagePosition | undefined
  readonly limit: number
}

interface KeptRow {
  readonly underWay: number
  readonly kept: number
  readonly targets: number
  readonly oldest: number | null
}

const jsonOf = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

const soonSeconds = 10

/** Refuses a job that is one too many, or whose targets are. */
const checkRoom = (
  { underWay, kept, targets, oldest }: KeptRow,
  limit: number,
  { daemonIds, createdAt }: NewJob
): Effect.Effect<void, JobLimitReached> => {
  if (underWay >= jobsUnderWayMax)
    return Effect.fail(new JobLimitReached({ limit: jobsUnderWayMax, of: "under way", retryAfter: soonSeconds }))
  const room = Math.max(soonSeconds, Math.ceil(((oldest ?? createdAt) + jobKeepMillis - createdAt) / 1_000))
  if (kept >= jobsKeptMax) return Effect.fail(new JobLimitReached({ limit: jobsKeptMax, of: "kept", retryAfter: room }))
  if (targets + daemonIds.length > limit)
    return Effect.fail(new JobLimitReached({ limit, of: "targets", retryAfter: room }))
  return Effect.void
}

/** The row of a job, as far as there is room; its account's calls take turns. */
const draft = (sql: SqlClient.SqlClient, job: NewJob) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const { jobId, accountId, type, payload, daemonIds, timeoutMs, rollout, createdAt, expiresAt, keyId } = job
      const [account] = yield* sql.unsafe<{ plan: keyof typeof planLimits }>(text.lockText, [accountId])
      if (account === undefined) return yield* new NotFound()
      const [kept] = yield* sql.unsafe<KeptRow>(text.keptText, [accountId, createdAt - jobMakingMillis])
      yield* checkRoom(kept!, planLimits[account.plan].keptCommands, job)
      const { perMinute = null, concurrency, abortAfterFailures = null, successExitCodes = null, steps } = rollout
      const values = [timeoutMs, perMinute, concurrency, abortAfterFailures, createdAt, expiresAt, keyId]
      const { name = null, sessionId = null, retryOf = null, leftOut } = job
      const about = [successExitCodes, jsonOf(steps), name, sessionId, retryOf, jsonOf(leftOut)]
      yield* sql.unsafe(text.draftText, [jobId, accountId, type, payload, daemonIds.length, ...values, ...about])
    })
  )

/** Makes a job in steps that each write few rows; it begins, and is audited, with the last. */
const insertion = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (job: NewJob) {
    const { jobId, accountId, type, daemonIds, by = null, meant = "named" } = job
    yield* query.attempt("store a job", draft(sql, job))
    for (let at = 0; at < daemonIds.length; at += jobRowsMax) {
      const some = daemonIds.slice(at, at + jobRowsMax)
      const values = [jobId, some, some.map(() => newId("command"))]
      yield* query.run("store a job's targets", sql.unsafe(text.addTargetsText, values))
    }
    const begun = {
      action: "job.started",
      accountId,
      object: jobId,
      detail: `${type} ${daemonIds.length} ${meant}`
    } as const
    yield* attemptRecorded(sql, "begin a job", sql.unsafe(text.preparedText, [jobId, by]), () => begun)
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    ...jobTargets(sql),
    /** Makes a job with all its targets, each with the id of its command. */
    insert: insertion(sql),
    /** A job of this account. */
    find: (accountId: string, jobId: string) =>
      isId("job", jobId)
        ? query.one("read a job", sql.unsafe<JobRow>(text.findText, [accountId, jobId]), jobOf)
        : Effect.succeed(undefined),
    /** A page of an account's, newest first. */
    list: ({ accountId, types, state, after, limit }: JobsAsked) =>
      query.many(
        "list jobs",
        sql.unsafe<JobRow>(text.listText, [
          accountId,
          types,
          state ?? null,
          after?.at ?? null,
          after?.id ?? null,
          limit
        ]),
        jobOf
      ),
    /** How many of its targets are in each state. */
    counts: (jobId: string) =>
      Effect.map(query.many("count a job's targets", sql.unsafe<CountRow>(text.countsText, [jobId])), countsOf),
    /** Notes that a caller wants it ended, unless it ends already. */
    cancel: (accountId: string, jobId: string) =>
      query.run(
        "cancel a job",
        recordChange(sql, sql.unsafe(text.cancelText, [accountId, jobId]), ({ length }) =>
          length === 0 ? undefined : { action: "job.cancelled", accountId, object: jobId }
        )
      ),
    /** What it sends, sealed; undefined: it is gone. */
    payload: (jobId: string) =>
      Effect.map(
        query.one("read what a job sends", sql.unsafe<{ payload: string | null }>(text.payloadText, [jobId])),
        (row) => row?.payload ?? undefined
      ),
    /** Removes some of what ended long ago, or was never made whole; false when nothing is left. */
    prune: (now: number) =>
      Effect.gen(function* () {
        const values = [now - jobKeepMillis, now - jobDraftMillis, prunedRowsMax]
        const targets = yield* query.many("remove old targets", sql.unsafe(text.pruneTargetsText, values))
        if (targets.length > 0) return true
        return (yield* query.many("remove old jobs", sql.unsafe(text.pruneJobsText, values))).length > 0
      })
  }
})

/** The store of jobs. */
export class Jobs extends Context.Service<Jobs, Effect.Success<typeof make>>()("hub/Jobs") {
  static readonly layer = Layer.effect(Jobs, make)
}
