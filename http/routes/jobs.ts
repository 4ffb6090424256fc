/** The routes of jobs. Owns what may be asked for, and who may see which; actors/jobs has the jobs. */
import { Clock, Effect } from "effect"
import { AccountJobs, type JobSeen } from "../../actors/jobs/account-jobs.ts"
import { type Principal, programCredentialOf } from "../../src/domain/account/principal.ts"
import { readSelector } from "../../src/domain/daemon/selector.ts"
import { type JobType, jobScopes, visibleJobTypes } from "../../src/domain/job/job.ts"
import { readJobCommand } from "../../src/domain/job/job-command.ts"
import { cursorAfter, pageOf, sealCursor } from "../../src/domain/page-cursor.ts"
import { AuthForbidden, ValidationFailed } from "../../src/errors.ts"
import { commandSecondsMax } from "../../src/limits/commands.ts"
import { jobsPageMax, jobTargetsPageMax, jobWaitMillis } from "../../src/limits/jobs.ts"
import type { RetryAsked } from "../api/job-shapes.ts"
import type { Jobs } from "../api/jobs.ts"
import type { Routes } from "../pipeline/action.ts"
import { json } from "../pipeline/response.ts"
import { issuesOf, paceIssues, rolloutOf } from "./job-asked.ts"
import { jobOf, recordOf, resultsAnswer, targetView } from "./job-views.ts"
import { readIdCursor, readPlace } from "./paging.ts"

type Asked = Parameters<Routes<typeof Jobs>["start"]>[0]["payload"]
type TargetsQuery = Parameters<Routes<typeof Jobs>["targets"]>[0]["query"]

const path = "/api/v1/jobs"

const begunAnswer = (begun: JobSeen) => json(201, jobOf(begun), [["location", `${path}/${begun.job.jobId}`]])

const pathWith = (path: string, query: Readonly<Record<string, string | number>>): string =>
  `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))}`

const makerOf = (principal: Principal) => {
  const { credential, person: by } = principal
  return credential.kind === "session"
    ? { keyId: null, sessionId: credential.sessionId, by }
    : { keyId: programCredentialOf(principal)!, by }
}

/** A key that is bound to some daemons may not use jobs, whose targets may be others. */
const unbound = ({ selector }: Principal): Effect.Effect<void, AuthForbidden> =>
  selector === undefined ? Effect.void : Effect.fail(new AuthForbidden({}))

const mayUse = ({ scopes }: Principal, type: JobType): Effect.Effect<void, AuthForbidden> => {
  const needed = jobScopes(type)
  if (needed.some((scope) => scopes.has(scope))) return Effect.void
  return Effect.fail(new AuthForbidden({ requiredScope: needed[0]! }))
}

/** A job of the caller's account that he may see. */
const seeing = (jobs: AccountJobs["Service"]) => (principal: Principal, jobId: string) =>
  Effect.andThen(
    unbound(principal),
    Effect.tap(jobs.find(principal.accountId, jobId), ({ type }) => mayUse(principal, type))
  )

/** What makes jobs. */
const making = (jobs: AccountJobs["Service"]) => {
  const start = Effect.fnUntraced(function* (principal: Principal, asked: Asked) {
    const now = yield* Clock.currentTimeMillis
    yield* unbound(principal)
    const { type, payload } = yield* Effect.fromResult(readJobCommand(asked.type, asked.payload ?? {}))
    yield* mayUse(principal, type)
    const issues = issuesOf(asked, now)
    if (issues.length > 0) return yield* new ValidationFailed({ issues })
    const selector = yield* Effect.fromResult(readSelector(asked.selector ?? ""))
    const begun = yield* jobs.start({
      accountId: principal.accountId,
      daemonIds: asked.daemonIds,
      selector,
      type,
      payload,
      timeoutMs: (asked.timeoutSeconds ?? commandSecondsMax) * 1_000,
      rollout: rolloutOf(asked.rollout ?? {}),
      expiresAt: asked.expiresAt ?? now + jobWaitMillis,
      name: asked.name,
      ...makerOf(principal)
    })
    return begunAnswer(begun)
  })

  const retry = Effect.fnUntraced(function* (principal: Principal, jobId: string, asked: typeof RetryAsked.Type) {
    const now = yield* Clock.currentTimeMillis
    const job = yield* seeing(jobs)(principal, jobId)
    const { payload } =
      asked.payload === undefined ? asked : yield* Effect.fromResult(readJobCommand(job.type, asked.payload))
    const issues = paceIssues(asked, now)
    if (issues.length > 0) return yield* new ValidationFailed({ issues })
    const { timeoutSeconds, rollout } = asked
    const begun = yield* jobs.retry(job, {
      ...(payload !== undefined && { payload }),
      ...(timeoutSeconds !== undefined && { timeoutMs: timeoutSeconds * 1_000 }),
      ...(rollout !== undefined && { rollout: rolloutOf(rollout) }),
      expiresAt: asked.expiresAt ?? now + jobWaitMillis,
      name: asked.name ?? job.name,
      ...makerOf(principal)
    })
    return begunAnswer(begun)
  })

  return { start, retry }
}

/** A page of targets, one more than it has where there is a next. */
const targetsAsked = Effect.fnUntraced(function* ({
  state,
  exitCode,
  cursor,
  limit = jobTargetsPageMax
}: TargetsQuery) {
  const after = (yield* readIdCursor("daemon", cursor)) ?? ""
  const code = exitCode === undefined ? undefined : exitCode === "nonzero" ? ("nonzero" as const) : Number(exitCode)
  return { limit, asked: { state, exitCode: code, after, limit: limit + 1 } }
})

export const jobRoutes = Effect.gen(function* () {
  const jobs = yield* AccountJobs
  const seen = seeing(jobs)
  const { start, retry } = making(jobs)

  const routes: Routes<typeof Jobs> = {
    start: ({ principal, payload }) => start(principal, payload),
    list: Effect.fnUntraced(function* ({ principal, query }) {
      yield* unbound(principal)
      const { accountId, scopes } = principal
      const limit = query.limit ?? jobsPageMax
      const after = yield* readPlace("job", query.cursor)
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
      const { limit, asked } = yield* targetsAsked(query)
      const { jobId } = yield* seen(principal, params.jobId)
      const { rows, last } = pageOf(yield* jobs.targets(jobId, asked), limit)
      return { targets: rows.map(targetView), ...(last !== undefined && { nextCursor: sealCursor(last.daemonId) }) }
    }),
    results: Effect.fnUntraced(function* ({ principal, params, query, headers }) {
      const { limit, asked } = yield* targetsAsked(query)
      const { jobId } = yield* seen(principal, params.jobId)
      const { results, more } = yield* jobs.results(jobId, { ...asked, limit })
      const here = `${path}/${jobId}/results`
      const inLines = headers.accept?.includes("application/x-ndjson") === true
      return resultsAnswer(results, more ? (cursor) => pathWith(here, { ...query, cursor }) : undefined, inLines)
    }),
    retry: ({ principal, params, payload }) => retry(principal, params.jobId, payload),
    cancel: Effect.fnUntraced(function* ({ principal, params }) {
      return jobOf(yield* jobs.cancel(yield* seen(principal, params.jobId)))
    })
  }
  return routes
})
