/**
 * Jobs as the node that leads them writes them. Owns the leases (whose times are the database's) and the moves of
 * targets between states: a target is taken in its row before it is sent, under the lead that the row names, so that a
 * node which led before takes none. jobs.ts has what the account sees.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Plan } from "../../domain/account/plans.ts"
import type { Job, JobState, JobStop, TargetCounts, TargetOutcome } from "../../domain/job/job.ts"
import type { StoreFailed } from "../../errors.ts"
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

/** The store of led jobs. */
export class LedJobs extends Context.Service<
  LedJobs,
  {
    /** Takes jobs that no node leads: first those that were never led, then those that wait longest. */
    readonly take: (node: string, limit: number) => Effect.Effect<ReadonlyArray<TakenJob>, StoreFailed>
    /** How many jobs no node leads, counted up to this. */
    readonly free: (limit: number) => Effect.Effect<number, StoreFailed>
    /**
     * Renews these leases of a node; returns the fences of what it still leads. Not all in its name: one whose
     * taking or giving back was not answered has no leader, and must end.
     */
    readonly renew: (
      node: string,
      leads: ReadonlyArray<Lead>
    ) => Effect.Effect<ReadonlyMap<string, number>, StoreFailed>
    readonly release: (node: string, leads: ReadonlyArray<Lead>) => Effect.Effect<void, StoreFailed>
    /** Ends every lease: for a database with one user, which has just started. */
    readonly reclaim: Effect.Effect<void, StoreFailed>
    /** How a job stands; undefined: another leads it, or it is gone. */
    readonly standing: (
      lead: Lead
    ) => Effect.Effect<{ readonly state: JobState; readonly stop: JobStop | null } | undefined, StoreFailed>
    /** Gives targets the outcomes of their commands. */
    readonly settle: (jobId: string) => Effect.Effect<void, StoreFailed>
    readonly counts: (jobId: string) => Effect.Effect<TargetCounts, StoreFailed>
    /** When the last of its commands ended; undefined: none has. */
    readonly lastEnd: (jobId: string) => Effect.Effect<number | undefined, StoreFailed>
    /** Takes up to so many targets whose daemons are online. */
    readonly takeTargets: (
      lead: Lead,
      now: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<TakenTarget>, StoreFailed>
    /** Those that have no command wait again. */
    readonly giveBack: (lead: Lead, targets: ReadonlyArray<GivenBack>) => Effect.Effect<void, StoreFailed>
    /** Ends targets that can never be sent. */
    readonly fail: (lead: Lead, targets: ReadonlyArray<Unsendable>, now: number) => Effect.Effect<void, StoreFailed>
    /** Ends targets of removed daemons, and has those wait again that an earlier lead took and never sent. */
    readonly tidy: (lead: Lead, now: number, sentBefore: number) => Effect.Effect<void, StoreFailed>
    /** Nothing more is taken. */
    readonly stop: (lead: Lead, why: JobStop) => Effect.Effect<void, StoreFailed>
    /** Ends all targets that wait. */
    readonly endWaiting: (jobId: string, outcome: TargetOutcome, now: number) => Effect.Effect<void, StoreFailed>
    /** Asks for the end of its commands; returns those that were not asked before. */
    readonly cancelRunning: (jobId: string, now: number) => Effect.Effect<ReadonlyArray<TakenTarget>, StoreFailed>
    /** Ends a job whose targets have all ended. Undefined: it has ended before, or some have not. */
    readonly finish: (
      jobId: string,
      state: JobState,
      now: number,
      maxAttempts: number,
      deliveries: ReadonlyArray<NewDelivery>
    ) => Effect.Effect<ReadonlySet<string> | undefined, StoreFailed>
  }
>()("hub/LedJobs") {
  static readonly layer = Layer.effect(LedJobs)(Effect.suspend(() => make))
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

type Leases = Pick<LedJobs["Service"], "take" | "free" | "renew" | "release" | "reclaim">

const leasesOf = (sql: SqlClient.SqlClient): Leases => ({
  take: (node, limit) => query.many("take jobs", sql.unsafe<TakenRow>(text.takeText, [node, limit]), takenOf),
  free: (limit) =>
    Effect.map(
      query.many("count jobs without a lead", sql.unsafe<{ free: number }>(text.freeCountText, [limit])),
      ([row]) => row!.free
    ),
  renew: (node, leads) =>
    Effect.map(
      query.many(
        "renew leases of jobs",
        sql.unsafe<{ id: string; fence: number }>(text.renewText, [node, ...columnsOf(leads)])
      ),
      (rows) => new Map(rows.map(({ id, fence }) => [id, fence]))
    ),
  release: (node, leads) =>
    query.run("release leases of jobs", sql.unsafe(text.releaseText, [node, ...columnsOf(leads)])),
  reclaim: query.run("reclaim leases of jobs", sql.unsafe(text.reclaimText))
})

type Reads = Pick<LedJobs["Service"], "standing" | "counts" | "lastEnd">

const readsOf = (sql: SqlClient.SqlClient): Reads => ({
  standing: ({ jobId, fence }) =>
    query.one(
      "read how a job stands",
      sql.unsafe<{ state: JobState; stop: JobStop | null }>(text.standingText, [jobId, fence])
    ),
  counts: (jobId) =>
    Effect.map(query.many("count a job's targets", sql.unsafe<CountRow>(countsText, [jobId])), countsOf),
  lastEnd: (jobId) =>
    Effect.map(
      query.one("read a job's last end", sql.unsafe<{ at: number | null }>(text.lastEndText, [jobId])),
      (row) => row?.at ?? undefined
    )
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const endWaiting = Effect.fnUntraced(function* (jobId: string, outcome: TargetOutcome, now: number) {
    for (;;) {
      const ended = yield* query.affected(
        "end a job's targets",
        sql.unsafe(text.endWaitingText, [jobId, outcome, now, jobRowsMax])
      )
      if (ended < jobRowsMax) return
    }
  })

  return LedJobs.of({
    ...leasesOf(sql),
    ...readsOf(sql),
    settle: (jobId) => query.run("settle a job's targets", sql.unsafe(text.settleText, [jobId])),
    takeTargets: ({ jobId, fence }, now, limit) =>
      query.many("take a job's targets", sql.unsafe<TakenTarget>(text.takeTargetsText, [jobId, fence, now, limit])),
    giveBack: ({ jobId, fence }, targets) =>
      query.run(
        "give targets of a job back",
        sql.unsafe(text.giveBackText, [
          jobId,
          fence,
          targets.map(({ daemonId }) => daemonId),
          targets.map(({ dueAt }) => dueAt)
        ])
      ),
    fail: ({ jobId, fence }, targets, now) =>
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
    tidy: Effect.fnUntraced(function* ({ jobId, fence }, now, sentBefore) {
      const orphans = [jobId, fence, now, sentBefore]
      yield* query.run("lose a job's targets", sql.unsafe(text.loseOrphansText, orphans))
      yield* query.run("return a job's targets", sql.unsafe(text.returnOrphansText, orphans))
      yield* query.run("skip a job's targets", sql.unsafe(text.skipRemovedText, [jobId, now]))
    }),
    stop: ({ jobId, fence }, why) => query.run("stop a job", sql.unsafe(text.stopText, [jobId, why, fence])),
    endWaiting,
    cancelRunning: (jobId, now) =>
      query.many("cancel a job's commands", sql.unsafe<TakenTarget>(text.cancelRunningText, [jobId, now])),
    finish: (jobId, state, now, maxAttempts, deliveries) =>
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
  })
})
