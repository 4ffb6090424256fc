/**
 * A job: one command sent to many daemons. Owns its shape, its states, the outcomes of its targets and the rules
 * between them; stores and sends nothing.
 */
import type { Plan } from "../account/plans.ts"
import type { Scope } from "../account/scopes.ts"
import { scopesFor } from "../command/stored-command.ts"
import type { OutputEnds } from "../command/terminal-outcome.ts"

/** The types of commands that a job may send: those whose result may be kept. */
export const jobTypes = [
  "terminal_exec",
  "send_chat",
  "resolve_action",
  "screenshot",
  "launch_ide",
  "launch_cli",
  "stop_cli"
] as const
export type JobType = (typeof jobTypes)[number]

/** Every state of a job. */
export const jobStates = ["running", "completed", "aborted", "cancelled", "expired"] as const
export type JobState = (typeof jobStates)[number]

/** Why a job sends nothing more although targets wait; it ends in this state. */
export type JobStop = Exclude<JobState, "running" | "completed">

/** How a target may end, once and for all. */
const targetOutcomes = ["succeeded", "failed", "cancelled", "timed_out", "lost", "expired", "skipped"] as const
export type TargetOutcome = (typeof targetOutcomes)[number]

/** Every state of a target. */
export const targetStates = ["waiting", "running", ...targetOutcomes] as const
export type TargetState = (typeof targetStates)[number]

/** How many targets are in each state. */
export type TargetCounts = Readonly<Record<TargetState, number>>

/** No target at all. */
export const noTargets: TargetCounts = Object.fromEntries(targetStates.map((state) => [state, 0])) as TargetCounts

/** What becomes of the targets that wait when a job stops. */
export const waitingBecomes: Readonly<Record<JobStop, TargetOutcome>> = {
  aborted: "skipped",
  cancelled: "cancelled",
  expired: "expired"
}

/** Until this step is over, no more targets than these are sent, those of the steps before included. */
export interface Step {
  readonly count?: number | undefined
  /** Of all targets; instead. */
  readonly percent?: number | undefined
  /** How long nothing is sent once all of them have ended. */
  readonly holdMinutes: number
}

/** How fast a job may go. */
export interface Rollout {
  /** Commands per minute; undefined: as fast as the concurrency allows. */
  readonly perMinute: number | undefined
  /** Commands under way at once. */
  readonly concurrency: number
  /** So many failures stop the job; undefined: none do. */
  readonly abortAfterFailures: number | undefined
  /** Exit codes of terminal commands that are no failure; undefined: 0. */
  readonly successExitCodes?: ReadonlyArray<number> | undefined
  /** Absent: all targets are sent as fast as the rest allows. */
  readonly steps?: ReadonlyArray<Step> | undefined
}

/** Exit codes that are no failure where a job does not say. */
export const usualExitCodes: ReadonlyArray<number> = [0]

/** What may be tried again of a job that has ended: what failed, and what ended in a way that is not known. */
export const retriedStates = ["failed", "timed_out", "lost"] as const satisfies ReadonlyArray<TargetOutcome>

/** Whether what a job sent is kept, sealed, beyond its end, where targets failed: it holds no chat. */
export const maySendAgain = (type: JobType): boolean => type !== "send_chat"

/** Who made a job. */
export interface JobMaker {
  readonly kind: "key" | "grant" | "session"
  readonly id: string
}

/** Daemons that `all` did not mean. */
export interface LeftOut {
  readonly neverConnected: number
  /** Connected last too long ago. */
  readonly away: number
}

/** A job, without its payload. Times are epoch milliseconds. */
export interface Job {
  readonly jobId: string
  readonly accountId: string
  readonly type: JobType
  readonly state: JobState
  /** Set while it ends before all was sent. */
  readonly stop: JobStop | undefined
  readonly targets: number
  readonly timeoutMs: number
  readonly rollout: Rollout
  readonly createdAt: number
  /** From then on no target is sent. */
  readonly expiresAt: number
  readonly finishedAt: number | undefined
  readonly name?: string | undefined
  /** Undefined: an earlier version made it. */
  readonly createdBy?: JobMaker | undefined
  /** The job whose targets it tries again. */
  readonly retryOf?: string | undefined
  /** Undefined: it was not for `all`. */
  readonly leftOut?: LeftOut | undefined
}

/** A target of a job. */
export interface JobTarget {
  readonly daemonId: string
  readonly state: TargetState
  /** Undefined as long as it was not sent. */
  readonly commandId: string | undefined
  readonly error: string | undefined
  readonly finishedAt: number | undefined
  /** Of a terminal command, where its daemon said one. */
  readonly exitCode?: number | undefined
  /** As long as the command is kept. */
  readonly output?: OutputEnds | undefined
}

/** A job that a node leads. */
export interface LedJob extends Job {
  readonly plan: Plan
  readonly fence: number
  /** What is sent, opened; JSON. Undefined: this hub cannot open it. */
  readonly payload: string | undefined
}

/** Failures, as `abortAfterFailures` counts them: also those whose end the hub does not know. */
export const failuresOf = ({ failed, timed_out, lost }: TargetCounts): number => failed + timed_out + lost

/** Targets without an outcome. */
export const unfinishedOf = ({ waiting, running }: TargetCounts): number => waiting + running

/** Why a job must stop now; undefined: it goes on. With nothing left to send there is nothing to stop. */
export const mustStop = (
  { rollout, expiresAt }: Pick<Job, "rollout" | "expiresAt">,
  counts: TargetCounts,
  now: number
): JobStop | undefined => {
  if (counts.waiting === 0) return undefined
  const { abortAfterFailures } = rollout
  if (abortAfterFailures !== undefined && failuresOf(counts) >= abortAfterFailures) return "aborted"
  return now >= expiresAt ? "expired" : undefined
}

/** The scopes of which one is needed to start, to see or to cancel a job of this type: as for a single command. */
export const jobScopes = (type: JobType): ReadonlyArray<Scope> => scopesFor(type)

/** The types that a credential with these scopes may see. */
export const visibleJobTypes = (scopes: ReadonlySet<Scope>): ReadonlyArray<JobType> =>
  jobTypes.filter((type) => jobScopes(type).some((scope) => scopes.has(scope)))
