/**
 * The jobs that this node leads, each with a lease and an actor. Owns which there are, the renewal of their leases, the
 * look for jobs that no node leads, and who is told when something happens; perform.ts does what leaders decide.
 */
import { type Cause, Context, Effect, Layer, Result } from "effect"
import { SecretBox } from "../../src/auth/secret-box.ts"
import { Bus } from "../../src/bus/bus.ts"
import { Config } from "../../src/config.ts"
import type { LedJob } from "../../src/domain/job/job.ts"
import type { StoreFailed } from "../../src/errors.ts"
import { jobRenewMillis, jobRetentionMillis, jobsGivenUpMax, jobsLedMax, jobTurnMillis } from "../../src/limits/jobs.ts"
import { watchInScope } from "../../src/runtime/metrics.ts"
import { NodeId } from "../../src/runtime/node-id.ts"
import { repeatEvery } from "../../src/runtime/repeat-every.ts"
import { atStart } from "../../src/runtime/start-work.ts"
import { failureLog, kindOf } from "../../src/runtime/throttled-log.ts"
import { Timers } from "../../src/runtime/timers.ts"
import { Jobs } from "../../src/store/jobs/jobs.ts"
import { type Lead, LedJobs, type TakenJob } from "../../src/store/jobs/led-jobs.ts"
import { StoredCommands } from "../commands/stored-commands.ts"
import { Dispatcher } from "../events/dispatcher.ts"
import { Supervisor } from "../runtime/supervisor.ts"
import { beginLeading } from "./decide.ts"
import type { JobMessage } from "./messages.ts"
import { type LeaderContext, leaderBehaviour } from "./perform.ts"

/** The leaders of this node. */
export class JobLeaders extends Context.Service<
  JobLeaders,
  {
    /** Renews the leases, and takes jobs that no node leads, as far as there is room; without any it makes some. */
    readonly round: Effect.Effect<void, StoreFailed>
    /** Whether this node leads a job. */
    readonly leads: (jobId: string) => boolean
    /** Removes what was kept long enough. */
    readonly prune: Effect.Effect<void, StoreFailed>
  }
>()("hub/JobLeaders") {
  static readonly layer = Layer.effect(JobLeaders)(Effect.suspend(() => make))
}

/** A lead, whose it is, and when its lease was taken. */
interface Leading extends Lead {
  readonly accountId: string
  readonly leasedAt: number
}

/** Events after which the jobs of their account have something to do. */
const hints: ReadonlySet<string> = new Set(["command:completed", "daemon:connect"])
const endMillisMax = 2_000

/** The leads of this node, by job and by account. */
class Leads {
  readonly byJob = new Map<string, Leading>()
  private readonly byAccount = new Map<string, Set<string>>()

  add(lead: Leading): void {
    this.byJob.set(lead.jobId, lead)
    const ids = this.byAccount.get(lead.accountId) ?? new Set()
    this.byAccount.set(lead.accountId, ids.add(lead.jobId))
  }

  remove({ jobId, fence }: Lead): void {
    const lead = this.byJob.get(jobId)
    if (lead?.fence !== fence) return
    this.byJob.delete(jobId)
    const ids = this.byAccount.get(lead.accountId)
    ids?.delete(jobId)
    if (ids?.size === 0) this.byAccount.delete(lead.accountId)
  }

  /** Those that it has had longest. */
  oldest(number: number): ReadonlyArray<Leading> {
    return [...this.byJob.values()].slice(0, number)
  }

  ofAccount(accountId: string): Iterable<string> {
    return this.byAccount.get(accountId) ?? []
  }
}

/** The job with its payload; without one, which ends it, where this hub cannot open it. */
const opened = Effect.fnUntraced(function* (box: SecretBox["Service"], { job, plan, fence, sealed }: TakenJob) {
  const payload = yield* Effect.result(box.open(sealed, job.jobId))
  if (Result.isFailure(payload))
    yield* Effect.logError("a job's payload does not open", job.jobId, payload.failure.cause)
  const led: LedJob = { ...job, plan, fence, payload: Result.isSuccess(payload) ? payload.success : undefined }
  return led
})

/** What leaders need of the node. */
const leaderServices = Effect.gen(function* () {
  const { webhookRetriesSeconds } = yield* Config
  const timers = yield* Timers
  const failures = yield* failureLog<Cause.Cause<unknown>>(timers.after, (cause, heldBack) =>
    Effect.logWarning("a job could not be looked at", { heldBack }, cause)
  )
  return {
    store: yield* LedJobs,
    stored: yield* StoredCommands,
    dispatcher: yield* Dispatcher,
    bus: yield* Bus,
    timers,
    maxAttempts: webhookRetriesSeconds.length + 1,
    failed: (cause: Cause.Cause<unknown>) => failures.add(kindOf(cause), cause)
  }
})

/** Renews the leases, and ends the leaders that have lost theirs. */
const renewing = (
  leads: Leads,
  { store, timers }: Pick<LeaderContext, "store" | "timers">,
  node: string,
  end: (lead: Lead) => void
) =>
  Effect.gen(function* () {
    if (leads.byJob.size === 0) return
    const began = timers.monotonic()
    const still = yield* store.renew(node, [...leads.byJob.values()])
    for (const lead of [...leads.byJob.values()]) {
      if (lead.leasedAt < began && still.get(lead.jobId) !== lead.fence) end(lead)
    }
  })

/**
 * Ends the leaders that this full node has had longest, where no node leads other jobs. A job may wait for its daemons
 * for days, and the next leader goes on where this one ended: the rows are the truth.
 */
const giveUpSome = Effect.fnUntraced(function* (
  leads: Leads,
  { store, timers }: Pick<LeaderContext, "store" | "timers">,
  end: (lead: Lead) => void
) {
  const over = leads.oldest(jobsGivenUpMax).filter(({ leasedAt }) => timers.monotonic() - leasedAt >= jobTurnMillis)
  const free = over.length === 0 ? 0 : yield* store.free(over.length)
  for (const lead of over.slice(0, free)) end(lead)
})

const make = Effect.gen(function* () {
  const { databaseUrl } = yield* Config
  const node = yield* NodeId
  const box = yield* SecretBox
  const supervisor = yield* Supervisor
  const jobs = yield* Jobs
  const services = yield* leaderServices
  const { store, bus, timers } = services
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const leads = new Leads()
  let ending = false

  // The database has one user: whoever held these leases is dead.
  if (databaseUrl === undefined) yield* atStart(store.reclaim)

  const ended = (lead: Lead): void => {
    leads.remove(lead)
    run(Effect.ignore(store.release(node, [lead])))
  }
  const behaviour = leaderBehaviour({ ...services, ended })
  const end = ({ jobId }: Lead): void => supervisor.find("job", jobId)?.kill()
  const tellLook = (jobId: string): void => {
    const message: JobMessage = { type: "look", now: timers.now(), steady: timers.monotonic() }
    supervisor.find<JobMessage>("job", jobId)?.tell(message)
  }

  const start = (job: LedJob): void => {
    const { jobId, accountId, fence } = job
    // this node took what it leads itself: its lease had run out, as where the machine stood still. The leader ends
    // with its old fence, and the job is taken again
    const earlier = leads.byJob.get(jobId)
    if (earlier !== undefined) end(earlier)
    // it was being taken when this node began to end, which waits for the leaders that it had then
    if (ending || earlier !== undefined) return ended({ jobId, fence })
    leads.add({ jobId, accountId, fence, leasedAt: timers.monotonic() })
    const state = () => beginLeading(job, timers.monotonic())
    if (supervisor.spawn(behaviour, jobId, state) === undefined) ended({ jobId, fence })
  }

  const renew = renewing(leads, services, node, end)
  const take = Effect.gen(function* () {
    if (ending) return
    const room = jobsLedMax - leads.byJob.size
    if (room <= 0) return yield* giveUpSome(leads, services, end)
    for (const one of yield* store.take(node, room)) start(yield* opened(box, one))
  })
  const round = Effect.andThen(renew, take)
  const prune = Effect.gen(function* () {
    while (yield* jobs.prune(timers.now())) yield* Effect.yieldNow
  })

  yield* bus.subscribe("event_happened", ({ accountId, event }) => {
    if (hints.has(event)) for (const jobId of leads.ofAccount(accountId)) tellLook(jobId)
  })
  yield* bus.subscribe("job_cancelled", ({ jobId }) => tellLook(jobId))
  yield* repeatEvery(jobRenewMillis, "jobs could not be taken", round, { onceReady: true, warnOnce: true })
  yield* repeatEvery(jobRetentionMillis, "old jobs could not be removed", prune)

  yield* watchInScope("hub_jobs", () => leads.byJob.size)
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      ending = true
      const held = [...leads.byJob.values()]
      for (const lead of held) end(lead)
      yield* supervisor.awaitEmpty(endMillisMax, ["job"])
      // each gives its own back as it ends; this waits for it
      if (held.length > 0) yield* Effect.ignore(store.release(node, held))
    })
  )

  return JobLeaders.of({ round, leads: (jobId) => leads.byJob.has(jobId), prune })
})
