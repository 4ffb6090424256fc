/** Bounds of jobs, which send one command to many daemons. Unit last, with what happens at the bound. */
import assert from "node:assert/strict"
import { actorKinds } from "./actors.ts"
import { bodyValuesMax } from "./edge.ts"

/** Daemons of one job; more: 400. */
export const jobTargetsMax = 100_000
/** Daemons that a call names itself; more: 400. */
export const jobNamedMax = 10_000
/** Named daemons that are not the account's, of which a refusal tells; the rest is left out. */
export const jobUnknownShownMax = 20
/** Jobs of one account that are under way; one more: 429 JOB_LIMIT_REACHED. */
export const jobsUnderWayMax = 10
/** Jobs of one account that are kept, those under way included; one more: 429 JOB_LIMIT_REACHED. */
export const jobsKeptMax = 500
/** Jobs that one node leads; more take turns. */
export const jobsLedMax = 64
/** How long a node that leads as many keeps a job before it gives it up for one that no node leads. */
export const jobTurnMillis = 10_000
/** Jobs that it gives up at once; the next go with its next renewal. */
export const jobsGivenUpMax = 8
/** Rows of targets that one statement reads or writes; the rest goes with the next. */
export const jobRowsMax = 1_000
/** How long an ended job is kept. */
export const jobKeepMillis = 86_400_000
/** How long a job waits for daemons where its caller does not say. */
export const jobWaitMillis = 86_400_000
/** How long it may wait at most; later: 400. */
export const jobWaitMillisMax = 604_800_000
/** Commands of one job under way at once where its caller does not say. */
export const jobConcurrency = 100
/** The most that a caller may ask for; more: 400. */
export const jobConcurrencyMax = 1_000
/** Exit codes that a job may name as no failure; more: 400. */
export const jobExitCodesMax = 32
/** Steps of a job; more: 400. */
export const jobStepsMax = 10
/** How long a step may hold what comes after it; more: 400. */
export const jobHoldMinutesMax = 10_080
/** Characters of a job's name; more: 400. */
export const jobNameCharsMax = 100
/** `all` means daemons that were connected within this time. */
export const jobRecentMillis = 30 * 86_400_000
/** Bytes of the results of one page, with one more result at most; the rest comes with the next. */
export const jobResultsBytesMax = 4_194_304
/** The highest rate that a caller may ask for; more: 400. Without one it is bounded by the concurrency. */
export const jobPerMinuteMax = 600_000
/** What a job that was held up may catch up with: the share of a minute's rate that it may send at once. */
export const jobBurstMillis = 2_000
/** Two looks of a job into the store are at least this far apart. */
export const jobLookMillisMin = 100
/** A job looks at least this often, if nothing tells it to. */
export const jobLookMillis = 1_000
/** A look may take this share of the time; a slower store is asked less often, as far as once in `jobLookMillis`. */
export const jobLookShare = 0.1
/** A job that is to stop after failures is never kept longer from a look than this: it must stop within a second. */
export const jobAbortLookMillis = 400
/** How often it looks for daemons that were removed, and for targets that were never sent. */
export const jobTidyMillis = 5_000
/** The least time between two `job:progress` events of one job on a stream. */
export const jobProgressMillis = 1_000
/** How long the hub tries to hand a command to its daemon's node; then the command's row says whether it was sent. */
export const jobSendMillisMax = 15_000
/** A target without a command's row this long after it was taken was not sent, and waits again. */
export const jobOrphanMillis = 60_000
/** When a target that could not be sent is tried again. */
export const jobAgainMillis = 2_000
/** The longest time until such a try, where the hub was told one. */
export const jobAgainMillisMax = 60_000
/** How long a lease on a job is good without renewal. */
export const jobLeaseMillis = 5_000
/** How often a node renews all of its leases, and takes jobs that no node leads. */
export const jobRenewMillis = 1_000
/** How often what is kept long enough is removed. */
export const jobRetentionMillis = 60_000
/** How long a job that is being made counts as under way: its making may have been cut off. */
export const jobMakingMillis = 60_000
/** A job whose creation did not end in this time never will; it is removed. */
export const jobDraftMillis = 600_000
/** Jobs of one page of the list. */
export const jobsPageMax = 100
/** Targets of one page. */
export const jobTargetsPageMax = 1_000
/** Messages that wait for the leader of one job; beyond, a hint is dropped, and it looks a second later. */
export const jobMailboxMax = 64

assert(jobNamedMax * 2 <= bodyValuesMax, "a body must hold the daemons that it may name, and what is sent to them")
assert(jobRenewMillis * 2 < jobLeaseMillis, "one lost renewal must not lose a lease")
assert(jobTurnMillis > jobTidyMillis + jobLookMillis, "a turn must be long enough to take what an earlier one left")
assert(jobsLedMax <= actorKinds.job.residentMax, "a job that is led must have its actor")
assert(jobSendMillisMax < jobOrphanMillis, "a target that is being sent is no orphan")
assert(jobBurstMillis > jobLookMillis, "a job that looks each second must hold its rate")
