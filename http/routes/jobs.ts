/** The routes of jobs. Owns what may be asked for, and who may see which; actors/jobs has the jobs. */
import { Clock, Effect } from "effect"
import { AccountJobs, type JobSeen } from "../../actors/jobs/account-jobs.ts"
import type { Principal } from "../../src/domain/account/principal.ts"
import { readSelector } from "../../src/domain/daemon/selector.ts"
import { type Job, type JobType, jobScopes, visibleJobTypes } from "../../src/domain/job/job.ts"
import { readJobCommand } from "../../src/domain/job/job-command.ts"
import { cursorAfter, pageOf } from "../../src/domain/page-cursor.ts"
import { AuthForbidden, type Issue, ValidationFailed } from "../../src/errors.ts"
import { commandSecondsMax } from "../../src/limits/commands.ts"
import {
  jobConcurrency,
  jobConcurrencyMax,
  jobNamedMax,
  jobPerMinuteMax,
  jobsPageMax,
  jobTargetsMax,
  jobTargetsPageMax,
  jobWaitMillis,
  jobWaitMillisMax
} from "../../src/limits/jobs.ts"
import type { Jobs } from "../api/jobs.ts"
import type { Routes } from "../pipeline/action.ts"
import { json } from "../pipeline/response.ts"
import { readJobCursor, readTargetCursor, targetCursor } from "./paging.ts"

type Asked = Parameters<Routes<typeof Jobs>["start"]>[0]["payload"]

const path = "/api/v1/jobs"

const recordOf = ({
  jobId,
  type,
  state,
  stop,
  targets,
  timeoutMs,
  rollout,
  createdAt,
  expiresAt,
  finishedAt
}: Job) => ({
  jobId,
  type,
  state,
  stop: stop ?? null,
  targets,
  timeoutSeconds: timeoutMs / 1_000,
  rollout: {
    perMinute: rollout.perMinute ?? null,
    concurrency: rollout.concurrency,
    abortAfterFailures: rollout.abortAfterFailures ?? null
  },
  createdAt,
  expiresAt,
  finishedAt: finishedAt ?? null
})

const jobOf = ({ job, counts }: JobSeen) => ({ ...recordOf(job), counts })

/** A whole number between two; absent is fine. */
const outside = (path: string, value: number | undefined, least: number, most: number): ReadonlyArray<Issue> =>
  value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most)
    ? []
    : [{ path, message: `Expected a whole number from ${least} to ${most}` }]

const issuesOf = (asked: Asked, now: number): ReadonlyArray<Issue> => {
  const { daemonIds, all, selector, timeoutSeconds, rollout, expiresAt } = asked
  const issues = [
    ...outside("timeoutSeconds", timeoutSeconds, 1, commandSecondsMax),
    ...outside("rollout.perMinute", rollout?.perMinute, 1, jobPerMinuteMax),
    ...outside("rollout.concurrency", rollout?.concurrency, 1, jobConcurrencyMax),
    ...outside("rollout.abortAfterFailures", rollout?.abortAfterFailures, 1, jobTargetsMax),
    ...outside("expiresAt", expiresAt, now + 1, now + jobWaitMillisMax)
  ]
  if ([daemonIds !== undefined, all === true, selector !== undefined].filter(Boolean).length !== 1) {
    issues.push({ path: "daemonIds", message: "Expected one of daemonIds, all and selector" })
  } else if (daemonIds !== undefined && (daemonIds.length === 0 || daemonIds.length > jobNamedMax)) {
    issues.push({ path: "daemonIds", message: `Expected from 1 to ${jobNamedMax} daemons` })
  }
  return issues
}

/** A key that is bound to some daemons may not use jobs, whose targets may be others. */
const unbound = ({ selector }: Principal): Effect.Effect<void, AuthForbidden> =>
  selector === undefined ? Effect.void : Effect.fail(new AuthForbidden({}))

const mayUse = ({ scopes }: Principal, type: JobType): Effect.Effect<void, AuthForbidden> => {
  const needed = jobScopes(type)
  if (needed.some((scope) => scopes.has(scope))) return Effect.void
  return Effect.fail(new AuthForbidden({ requiredScope: needed[0]! }))
}

export const jobRoutes = Effect.gen(function* () {
  const jobs = yield* AccountJobs

  const seen = (principal: Principal, jobId: string) =>
    Effect.andThen(
      unbound(principal),
      Effect.tap(jobs.find(principal.accountId, jobId), ({ type }) => mayUse(principal, type))
    )

  const start = Effect.fnUntraced(function* (principal: Principal, asked: Asked) {
    const now = yield* Clock.currentTimeMillis
    yield* unbound(principal)
    const { type, payload } = yield* Effect.fromResult(readJobCommand(asked.type, asked.payload ?? {}))
    yield* mayUse(principal, type)
    const issues = issuesOf(asked, now)
    if (issues.length > 0) return yield* new ValidationFailed({ issues })
    const selector = yield* Effect.fromResult(readSelector(asked.selector ?? ""))
    const { perMinute, concurrency = jobConcurrency, abortAfterFailures } = asked.rollout ?? {}
    const begun = yield* jobs.start({
      accountId: principal.accountId,
      daemonIds: asked.daemonIds,
      selector,
      type,
      payload,
      timeoutMs: (asked.timeoutSeconds ?? commandSecondsMax) * 1_000,
      rollout: { perMinute, concurrency, abortAfterFailures },
      expiresAt: asked.expiresAt ?? now + jobWaitMillis,
      keyId: principal.credential.kind === "key" ? principal.credential.keyId : null
    })
    return json(201, jobOf(begun), [["location", `${path}/${begun.job.jobId}`]])
  })

  const routes: Routes<typeof Jobs> = {
    start: ({ principal, payload }) => start(principal, payload),
    list: Effect.fnUntraced(function* ({ principal, query }) {
      yield* unbound(principal)
      const { accountId, scopes } = principal
      const limit = query.limit ?? jobsPageMax
      const after = yield* Effect.fromResult(readJobCursor(query.cursor))
      const asked = { accountId, types: visibleJobTypes(scopes), state: query.state, after, limit: limit + 1 }
      const { rows, last } = pageOf(yield* jobs.list(asked), limit)
      return {
        jobs: rows.map(recordOf),
        ...(last !== undefined && { nextCursor: cursorAfter({ at: last.createdAt, id: last.jobId }) })
      }
    }),
    get: Effect.fnUntraced(function* ({ principal, params }) {
      return jobOf(yield* jobs.seen(yield* seen(principal, params.jobId)))
    }),
    targets: Effect.fnUntraced(function* ({ principal, params, query }) {
      const limit = query.limit ?? jobTargetsPageMax
      const after = yield* Effect.fromResult(readTargetCursor(query.cursor))
      const { jobId } = yield* seen(principal, params.jobId)
      const { rows, last } = pageOf(yield* jobs.targets(jobId, { state: query.state, after, limit: limit + 1 }), limit)
      return {
        targets: rows.map(({ daemonId, state, commandId, error, finishedAt }) => ({
          daemonId,
          state,
          commandId: commandId ?? null,
          ...(error !== undefined && { error }),
          finishedAt: finishedAt ?? null
        })),
        ...(last !== undefined && { nextCursor: targetCursor(last.daemonId) })
      }
    }),
    cancel: Effect.fnUntraced(function* ({ principal, params }) {
      return jobOf(yield* jobs.cancel(yield* seen(principal, params.jobId)))
    })
  }
  return routes
})
