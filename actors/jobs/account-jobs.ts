/**
 * Jobs as their account calls for them, through any node: made, read, listed, cancelled. Owns the list of targets that
 * a job begins with; job-leaders.ts sends to them.
 */

import { Context, Effect, Layer } from "effect"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import { shownCommand, shownOf } from "../../src/domain/command/shown-command.ts"
import { type Selector, selectorText } from "../../src/domain/daemon/selector.ts"
import { newId } from "../../src/domain/ids.ts"
import type { Job, JobType, LeftOut, Rollout, TargetCounts } from "../../src/domain/job/job.ts"
import { shownName } from "../../src/domain/redaction/shown-name.ts"
import { type Issue, NotFound, type StoreFailed, ValidationFailed } from "../../src/errors.ts"
import {
  jobRecentMillis,
  jobResultsBytesMax,
  jobRowsMax,
  jobTargetsMax,
  jobUnknownShownMax
} from "../../src/limits/jobs.ts"
import { Timers } from "../../src/runtime/timers.ts"
import type { TargetsAsked } from "../../src/store/jobs/job-targets.ts"
import { Jobs, type NewJob } from "../../src/store/jobs/jobs.ts"
import { JobLeaders } from "./job-leaders.ts"

/** A job that is asked for. */
export interface JobAsked {
  readonly accountId: string
  /** Undefined: those that the selector means. */
  readonly daemonIds: ReadonlyArray<string> | undefined
  /** Empty: all of the account that were connected lately. */
  readonly selector: Selector
  readonly type: JobType
  readonly payload: unknown
  readonly timeoutMs: number
  readonly rollout: Rollout
  readonly expiresAt: number
  /** The key that asks; null: a person does, in this session. */
  readonly keyId: string | null
  readonly sessionId?: string | undefined
  /** The person who asks, in a session or by a key or an app of theirs. */
  readonly by?: string | undefined
  readonly name?: string | undefined
}

/** What another try of a job does otherwise. */
export type RetryAsked = Pick<JobAsked, "keyId" | "sessionId" | "by" | "name"> &
  Partial<Pick<JobAsked, "payload" | "timeoutMs" | "rollout">> & { readonly expiresAt: number }

/** A job, and how its targets stand. */
export interface JobSeen {
  readonly job: Job
  readonly counts: TargetCounts
}

const refuse = (issues: ReadonlyArray<Issue>) => Effect.fail(new ValidationFailed({ issues }))

type Page = (after: string) => Effect.Effect<ReadonlyArray<string>, StoreFailed>

/** All daemons of these pages, as far as a job may have so many. */
const whole = Effect.fnUntraced(function* (path: string, pageAfter: Page) {
  const all: Array<string> = []
  for (let after = ""; ; after = all.at(-1)!) {
    const page = yield* pageAfter(after)
    for (const id of page) all.push(id)
    if (all.length > jobTargetsMax) return yield* refuse([{ path, message: `More than ${jobTargetsMax} daemons` }])
    if (page.length < jobRowsMax) return all
  }
})

/** Whom a job is for. `meant`: as the audit log says it. */
interface Targets {
  readonly daemonIds: ReadonlyArray<string>
  readonly meant?: string
  readonly leftOut?: LeftOut
}

/** The daemons of an account that a selector means; of an empty one those that were connected lately. */
const meant = Effect.fnUntraced(function* (
  store: Jobs["Service"],
  accountId: string,
  selector: Selector,
  now: number
): Effect.fn.Return<Targets, StoreFailed | ValidationFailed> {
  if (selector.length === 0) {
    const since = now - jobRecentMillis
    const daemonIds = yield* whole("all", (after) => store.recentOf(accountId, since, after, jobRowsMax))
    return { daemonIds, meant: "all", leftOut: yield* store.leftOutOf(accountId, since) }
  }
  const daemonIds = yield* whole("selector", (after) => store.daemonsOf(accountId, selector, after, jobRowsMax))
  // a job without a target would be a mistake of its caller
  if (daemonIds.length === 0) return yield* refuse([{ path: "selector", message: "No daemon of this account matches" }])
  return { daemonIds, meant: selectorText(selector) }
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
  const { auditCommands } = yield* Config

  const find = (accountId: string, jobId: string) =>
    Effect.flatMap(store.find(accountId, jobId), (job) =>
      job === undefined ? Effect.fail(new NotFound()) : Effect.succeed(job)
    )
  const seen = (job: Job) => Effect.map(store.counts(job.jobId), (counts) => ({ job, counts }))

  const begin = Effect.fnUntraced(function* (job: Omit<NewJob, "jobId" | "createdAt">) {
    const jobId = newId("job")
    const { accountId, type, meant = "named" } = job
    const said = shownCommand(shownOf(auditCommands, accountId), type, JSON.parse(job.payload))
    const told = said === undefined ? meant : `${meant}: ${said}`
    yield* store.insert({ ...job, meant: told, jobId, createdAt: timers.now(), payload: box.seal(job.payload, jobId) })
    const begun = yield* seen(yield* find(accountId, jobId))
    // whoever has room leads it: this node at once, else another within a second
    yield* Effect.ignore(leaders.round)
    return begun
  })

  const start = Effect.fnUntraced(function* ({ daemonIds, selector, payload, ...rest }: JobAsked) {
    const targets = yield* daemonIds === undefined
      ? meant(store, rest.accountId, selector, timers.now())
      : Effect.map(checked(store, rest.accountId, daemonIds), (named): Targets => ({ daemonIds: named }))
    return yield* begin({ ...rest, ...targets, payload: JSON.stringify(payload) })
  })

  const retry = Effect.fnUntraced(function* (job: Job, { payload, ...asked }: RetryAsked) {
    const { jobId, accountId, type, timeoutMs, rollout } = job
    const daemonIds = yield* whole("jobId", (after) => store.retriedOf(jobId, after, jobRowsMax))
    if (daemonIds.length === 0) return yield* refuse([{ path: "jobId", message: "None of its targets failed" }])
    const sealed = payload === undefined ? yield* store.payload(jobId) : undefined
    if (payload === undefined && sealed === undefined)
      return yield* refuse([{ path: "payload", message: "Is not kept any more: give it again" }])
    const text = sealed === undefined ? JSON.stringify(payload) : yield* box.open(sealed, jobId)
    const same = { accountId, type, timeoutMs, rollout, retryOf: jobId, meant: `retry of ${jobId}` }
    return yield* begin({ ...same, ...asked, payload: text, daemonIds })
  })

  return {
    start,
    /** A job of this account; of another it is as unknown as any. */
    find,
    seen,
    list: store.list,
    targets: store.targets,
    /** The same, with their results. */
    results: (jobId: string, asked: TargetsAsked) => store.results(jobId, asked, jobResultsBytesMax),
    /** Starts a job for those targets of one that failed by now, or whose end is not known. */
    retry,
    /** Asks for the end of a job. One that is over, or ends already, stays as it is. */
    cancel: Effect.fnUntraced(function* ({ accountId, jobId }: Job) {
      yield* store.cancel(accountId, jobId)
      bus.publish("job_cancelled", { jobId })
      return yield* seen(yield* find(accountId, jobId))
    })
  }
})

/** The jobs of accounts. */
export class AccountJobs extends Context.Service<AccountJobs, Effect.Success<typeof make>>()("hub/AccountJobs") {
  static readonly layer = Layer.effect(AccountJobs, make)
}
