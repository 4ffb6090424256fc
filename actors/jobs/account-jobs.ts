/**
 * Jobs as their account calls for them, through any node: made, read, listed, cancelled. Owns the list of targets that
 * a job begins with; job-leaders.ts sends to them.
 */
import { Context, Effect, Layer } from "effect"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Bus } from "../../src/bus/bus.ts"
import type { Selector } from "../../src/domain/daemon/selector.ts"
import { newId } from "../../src/domain/ids.ts"
import type { Job, JobTarget, JobType, Rollout, TargetCounts } from "../../src/domain/job/job.ts"
import { shownName } from "../../src/domain/redaction/shown-name.ts"
import { type Issue, type JobLimitReached, NotFound, type StoreFailed, ValidationFailed } from "../../src/errors.ts"
import { jobRowsMax, jobTargetsMax, jobUnknownShownMax } from "../../src/limits/jobs.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Jobs, type JobsAsked, type TargetsAsked } from "../../src/store/jobs/jobs.ts"
import { JobLeaders } from "./job-leaders.ts"

/** A job that is asked for. */
export interface JobAsked {
  readonly accountId: string
  /** Undefined: those that the selector means. */
  readonly daemonIds: ReadonlyArray<string> | undefined
  /** Empty: all of the account. */
  readonly selector: Selector
  readonly type: JobType
  readonly payload: unknown
  readonly timeoutMs: number
  readonly rollout: Rollout
  readonly expiresAt: number
  /** The key that asks; null: a person does. */
  readonly keyId: string | null
}

/** A job, and how its targets stand. */
export interface JobSeen {
  readonly job: Job
  readonly counts: TargetCounts
}

/** The jobs of accounts. */
export class AccountJobs extends Context.Service<
  AccountJobs,
  {
    readonly start: (
      asked: JobAsked
    ) => Effect.Effect<JobSeen, JobLimitReached | NotFound | StoreFailed | ValidationFailed>
    /** A job of this account; of another it is as unknown as any. */
    readonly find: (accountId: string, jobId: string) => Effect.Effect<Job, NotFound | StoreFailed>
    readonly seen: (job: Job) => Effect.Effect<JobSeen, StoreFailed>
    readonly list: (asked: JobsAsked) => Effect.Effect<ReadonlyArray<Job>, StoreFailed>
    readonly targets: (jobId: string, asked: TargetsAsked) => Effect.Effect<ReadonlyArray<JobTarget>, StoreFailed>
    /** Asks for the end of a job. One that is over, or ends already, stays as it is. */
    readonly cancel: (job: Job) => Effect.Effect<JobSeen, NotFound | StoreFailed>
  }
>()("hub/AccountJobs") {
  static readonly layer = Layer.effect(AccountJobs)(Effect.suspend(() => make))
}

const refuse = (issues: ReadonlyArray<Issue>) => Effect.fail(new ValidationFailed({ issues }))

/** The daemons of an account that a selector means, page by page. */
const meant = Effect.fnUntraced(function* (store: Jobs["Service"], accountId: string, selector: Selector) {
  const all: Array<string> = []
  for (let after = ""; ; after = all.at(-1)!) {
    const page = yield* store.daemonsOf(accountId, selector, after, jobRowsMax)
    for (const id of page) all.push(id)
    if (all.length > jobTargetsMax)
      return yield* refuse([
        { path: selector.length === 0 ? "all" : "selector", message: `More than ${jobTargetsMax} daemons` }
      ])
    if (page.length >= jobRowsMax) continue
    // a job without a target would be a mistake of its caller
    if (all.length === 0 && selector.length > 0)
      return yield* refuse([{ path: "selector", message: "No daemon of this account matches" }])
    return all
  }
})

/** These daemons, each once; all must be the account's. Behind the first that are not no more are looked up. */
const checked = Effect.fnUntraced(function* (
  store: Jobs["Service"],
  accountId: string,
  daemonIds: ReadonlyArray<string>
) {
  const named = [...new Set(daemonIds)]
  for (let at = 0; at < named.length; at += jobRowsMax) {
    const some = named.slice(at, at + jobRowsMax)
    const known = yield* store.knownOf(accountId, some)
    const unknown = some.filter((id) => !known.has(id)).slice(0, jobUnknownShownMax)
    if (unknown.length > 0)
      return yield* new NotFound({ what: `daemon ${unknown.map(shownName).join(", ")} in this account` })
  }
  return named
})

const make = Effect.gen(function* () {
  const store = yield* Jobs
  const box = yield* SecretBox
  const bus = yield* Bus
  const timers = yield* Timers
  const leaders = yield* JobLeaders

  const find = (accountId: string, jobId: string) =>
    Effect.flatMap(store.find(accountId, jobId), (job) =>
      job === undefined ? Effect.fail(new NotFound()) : Effect.succeed(job)
    )
  const seen = (job: Job) => Effect.map(store.counts(job.jobId), (counts) => ({ job, counts }))

  const start = Effect.fnUntraced(function* (asked: JobAsked) {
    const { accountId, daemonIds, selector, payload, ...rest } = asked
    const targets = yield* daemonIds === undefined
      ? meant(store, accountId, selector)
      : checked(store, accountId, daemonIds)
    const jobId = newId("job")
    const createdAt = timers.now()
    const sealed = box.seal(JSON.stringify(payload), jobId)
    yield* store.insert({ ...rest, jobId, accountId, createdAt, payload: sealed, daemonIds: targets })
    const begun = yield* seen(yield* find(accountId, jobId))
    // whoever has room leads it: this node at once, else another within a second
    yield* Effect.ignore(leaders.round)
    return begun
  })

  return AccountJobs.of({
    start,
    find,
    seen,
    list: store.list,
    targets: store.targets,
    cancel: Effect.fnUntraced(function* ({ accountId, jobId }) {
      yield* store.cancel(accountId, jobId)
      bus.publish("job_cancelled", { jobId })
      return yield* seen(yield* find(accountId, jobId))
    })
  })
})
