/**
 * Jobs as the node that leads them writes them. Owns the leases (whose times are the database's) and the moves of
 * targets between states: a target is taken in its row before it is sent, under the lead that the row names, so that a
 * node which led before takes none. jobs.ts has what the account sees.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Plan } from "../../domain/account/plans.ts"
import type { Job, JobState, JobStop, TargetOutcome } from "../../domain/job/job.ts"
import { jobRowsMax } from "../../limits/jobs.ts"
import * as query from "../sql/query.ts"
import type { NewDelivery } from "../webhooks/deliveries.ts"
import { deliveryColumns } from "../webhooks/inserted-deliveries.ts"
import { type CountRow, countsOf, type JobRow, jobOf } from "./job-rows.ts"
import { countsText } from "./jobs-statements.ts"
import * as text from "./led-jobs-statements.ts"

/** A job that this node leads from now on. */
export interface TakenJob {
  readonly job: Job
  readonly plan: Plan
  readonly fence: number
  /** What is sent, sealed. */
  readonly sealed: string
}

/** A lead: a job and the number of its lead. */
export interface Lead {
  readonly jobId: string
  readonly fence: number
}

/** A target that is to be sent now. */
export interface TakenTarget {
  readonly daemonId: string
  readonly commandId: string
}

/** A target that was not sent, and when it may be tried again. */
export interface GivenBack {
  readonly daemonId: string
  readonly dueAt: number
}

/** A target that can never be sent, and why. */
export interface Unsendable {
  readonly daemonId: string
  readonly words: string
}

type TakenRow = JobRow & { readonly fence: number; readonly plan: Plan; readonly payload: string }

const takenOf = ({ fence, plan, payload, ...row }: TakenRow): TakenJob => ({
  job: jobOf(row),
  plan,
  fence,
  sealed: payload
})

interface FinishRow {
  readonly jobId: string | null
  readonly deliveryId: string | null
}

/** The deliveries that were inserted with the end of a job; undefined: it did not end. */
const insertedOf = (rows: ReadonlyArray<FinishRow>): ReadonlySet<string> | undefined =>
  rows.some(({ jobId }) => jobId !== null) ? new Set(rows.flatMap(({ deliveryId }) => deliveryId ?? [])) : undefined

const columnsOf = (leads: ReadonlyArray<Lead>): ReadonlyArray<ReadonlyArray<unknown>> => [
  leads.map(({ jobId }) => jobId),
  leads.map(({ fence }) => fence)
]

const leasesOf = (sql: SqlClient.SqlClient) => ({
  /** Takes jobs that no node leads: first those that were never led, then those that wait longest. */
  take: (node: string, limit: number) =>
    query.many("take jobs", sql.unsafe<TakenRow>(text.takeText, [node, limit]), takenOf),
  /** How many jobs no node leads, counted up to this. */
  free: (limit: number) =>
    Effect.map(
      query.many("count jobs without a lead", sql.unsafe<{ free: number }>(text.freeCountText, [limit])),
      ([row]) => row!.free
    ),
  /**
   * Renews these leases of a node; returns the fences of what it still leads. Not all in its name: one whose
   * taking or giving back was not answered has no leader, and must end.
   */
  renew: (node: string, leads: ReadonlyArray<Lead>) =>
    Effect.map(
      query.many(
        "renew leases of jobs",
        sql.unsafe<{ id: string; fence: number }>(text.renewText, [node, ...columnsOf(leads)])
      ),
      (rows) => new Map(rows.map(({ id, fence }) => [id, fence]))
    ),
  release: (node: string, leads: ReadonlyArray<Lead>) =>
    query.run("release leases of jobs", sql.unsafe(text.releaseText, [node, ...columnsOf(leads)])),
  /** Ends every lease: for a database with one user, which has just started. */
  reclaim: query.run("reclaim leases of jobs", sql.unsafe(text.reclaimText))
})

const readsOf = (sql: SqlClient.SqlClient) => ({
  /** How a job stands; undefined: another leads it, or it is gone. */
  standing: ({ jobId, fence }: Lead) =>
    query.one(
      "read how a job stands",
      sql.unsafe<{ state: JobState; stop: JobStop | null }>(text.standingText, [jobId, fence])
    ),
  counts: (jobId: string) =>
    Effect.map(query.many("count a job's targets", sql.unsafe<CountRow>(countsText, [jobId])), countsOf),
  /** When the last of its commands ended; undefined: none has. */
  lastEnd: (jobId: string) =>
    Effect.map(
      query.one("read a job's last end", sql.unsafe<{ at: number | null }>(text.lastEndText, [jobId])),
      (row) => row?.at ?? undefined
    )
})

const endWaiting = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (jobId: string, outcome: TargetOutcome, now: number) {
    for (;;) {
      const ended = yield* query.affected(
        "end a job's targets",
        sql.unsafe(text.endWaitingText, [jobId, outcome, now, jobRowsMax])
      )
      if (ended < jobRowsMax) return
    }
  })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    ...leasesOf(sql),
    ...readsOf(sql),
    /** Gives targets the outcomes of their commands. */
    settle: (jobId: string) => query.run("settle a job's targets", sql.unsafe(text.settleText, [jobId])),
    /** Takes up to so many targets whose daemons are online. */
    takeTargets: ({ jobId, fence }: Lead, now: number, limit: number) =>
      query.many("take a job's targets", sql.unsafe<TakenTarget>(text.takeTargetsText, [jobId, fence, now, limit])),
    /** Those that have no command wait again. */
    giveBack: ({ jobId, fence }: Lead, targets: ReadonlyArray<GivenBack>) =>
      query.run(
        "give targets of a job back",
        sql.unsafe(text.giveBackText, [
          jobId,
          fence,
          targets.map(({ daemonId }) => daemonId),
          targets.map(({ dueAt }) => dueAt)
        ])
      ),
    /** Ends targets that can never be sent. */
    fail: ({ jobId, fence }: Lead, targets: ReadonlyArray<Unsendable>, now: number) =>
      query.run(
        "fail targets of a job",
        sql.unsafe(text.failText, [
          jobId,
          fence,
          now,
          targets.map(({ daemonId }) => daemonId),
          targets.map(({ words }) => words)
        ])
      ),
    /** Ends targets of removed daemons, and has those wait again that an earlier lead took and never sent. */
    tidy: Effect.fnUntraced(function* ({ jobId, fence }: Lead, now: number, sentBefore: number) {
      const orphans = [jobId, fence, now, sentBefore]
      yield* query.run("lose a job's targets", sql.unsafe(text.loseOrphansText, orphans))
      yield* query.run("return a job's targets", sql.unsafe(text.returnOrphansText, orphans))
      yield* query.run("skip a job's targets", sql.unsafe(text.skipRemovedText, [jobId, now]))
    }),
    /** Nothing more is taken. */
    stop: ({ jobId, fence }: Lead, why: JobStop) =>
      query.run("stop a job", sql.unsafe(text.stopText, [jobId, why, fence])),
    /** Ends all targets that wait. */
    endWaiting: endWaiting(sql),
    /** Asks for the end of its commands; returns those that were not asked before. */
    cancelRunning: (jobId: string, now: number) =>
      query.many("cancel a job's commands", sql.unsafe<TakenTarget>(text.cancelRunningText, [jobId, now])),
    /** Ends a job whose targets have all ended. Undefined: it has ended before, or some have not. */
    finish: (
      jobId: string,
      state: JobState,
      now: number,
      maxAttempts: number,
      deliveries: ReadonlyArray<NewDelivery>
    ) =>
      Effect.map(
        query.many(
          "end a job",
          sql.unsafe<FinishRow>(text.finishText, [
            jobId,
            state,
            now,
            maxAttempts,
            ...deliveryColumns([{ deliveries }], () => jobId)
          ])
        ),
        insertedOf
      )
  }
})

/** The store of led jobs. */
export class LedJobs extends Context.Service<LedJobs, Effect.Success<typeof make>>()("hub/LedJobs") {
  static readonly layer = Layer.effect(LedJobs, make)
}
