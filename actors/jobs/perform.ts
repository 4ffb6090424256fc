/**
 * Performs what the leader of one job decided. Owns the looks into the store, the handing of commands to their daemons
 * and the events of a job; decides nothing.
 */
import { Cause, Effect, Option } from "effect"
import type { Bus } from "../../src/bus/bus.ts"
import type { CommandFailure } from "../../src/domain/command/command.ts"
import { jobPayload } from "../../src/domain/event/event-payload.ts"
import { type JobState, type LedJob, type TargetCounts, waitingBecomes } from "../../src/domain/job/job.ts"
import { isStepDone } from "../../src/domain/job/steps.ts"
import type { CommandLimitReached } from "../../src/errors.ts"
import {
  jobAgainMillis,
  jobAgainMillisMax,
  jobMailboxMax,
  jobOrphanMillis,
  jobSendMillisMax
} from "../../src/limits/jobs.ts"
import type { Timers } from "../../src/runtime/timers.ts"
import type { Lead, LedJobs, TakenTarget } from "../../src/store/jobs/led-jobs.ts"
import type { StoredCommands } from "../commands/stored-commands.ts"
import type { Dispatcher } from "../events/dispatcher.ts"
import type { Actor, Behaviour } from "../runtime/actor.ts"
import { decideLeading } from "./decide.ts"
import type { At, JobAction, JobMessage, LeaderState, Look, Sent } from "./messages.ts"

/** What leaders work with. */
export interface LeaderContext {
  readonly store: LedJobs["Service"]
  readonly stored: Pick<StoredCommands["Service"], "start">
  readonly dispatcher: Pick<Dispatcher["Service"], "prepare">
  readonly bus: Pick<Bus["Service"], "publish">
  readonly timers: Timers["Service"]
  readonly maxAttempts: number
  /** The store could not be asked. */
  readonly failed: (cause: Cause.Cause<unknown>) => void
  /** The leader of this job has ended. */
  readonly ended: (lead: Lead) => void
}

const atOf = ({ timers }: LeaderContext): At => ({ now: timers.now(), steady: timers.monotonic() })

const looking = Effect.fnUntraced(function* (context: LeaderContext, lead: LedJob, look: Look) {
  const { store, timers, bus } = context
  const { jobId, targets, rollout } = lead
  const now = timers.now()
  if (look.givenBack.length > 0) yield* store.giveBack(lead, look.givenBack)
  if (look.unsendable.length > 0) yield* store.fail(lead, look.unsendable, now)
  if (look.stop !== undefined) yield* store.stop(lead, look.stop)
  const standing = yield* store.standing(lead)
  if (standing?.state !== "running") return { type: "over" } satisfies JobMessage
  yield* store.settle(jobId)
  if (look.tidy) yield* store.tidy(lead, now, now - jobOrphanMillis)
  if (standing.stop !== null) yield* store.endWaiting(jobId, waitingBecomes[standing.stop], now)
  if (standing.stop === "cancelled") {
    for (const command of yield* store.cancelRunning(jobId, now)) bus.publish("command_cancelled", command)
  }
  const counts = yield* store.counts(jobId)
  const lastEndAt = isStepDone(rollout.steps ?? [], targets, counts) ? yield* store.lastEnd(jobId) : undefined
  return { type: "looked", counts, stop: standing.stop ?? undefined, lastEndAt, ...atOf(context) } satisfies JobMessage
})

/** Asks the store; when it cannot be asked, says so. */
const orUnseen = (context: LeaderContext, look: Look, work: Effect.Effect<JobMessage, unknown>) =>
  Effect.catchCause(work, (cause): Effect.Effect<JobMessage> => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
    return Effect.sync(() => {
      context.failed(cause)
      return { type: "unseen", look, ...atOf(context) }
    })
  })

const noLook: Look = { tidy: false, givenBack: [], unsendable: [], stop: undefined }

/** What a failure says of a target: none of them says that it was sent, and its row knows better. */
const notSent = (failure: CommandFailure | CommandLimitReached): Sent => {
  if (failure._tag === "PayloadTooLarge") return { is: "never", words: "The command is too large for a frame" }
  const told = failure._tag === "Overloaded" || failure._tag === "CommandLimitReached" ? failure.retryAfter * 1_000 : 0
  const afterMillis = Math.min(jobAgainMillisMax, Math.max(jobAgainMillis, told))
  return { is: "not yet", afterMillis, gone: failure._tag === "NotFound" }
}

const sending = (
  context: LeaderContext,
  job: LedJob,
  { daemonId, commandId }: TakenTarget
): Effect.Effect<JobMessage> => {
  const { accountId, type, payload, plan, timeoutMs } = job
  const command = {
    accountId,
    daemonId,
    type,
    payload: undefined,
    ...(payload !== undefined && { payloadText: payload })
  }
  const started = context.stored.start(command, plan, timeoutMs, commandId)
  const sent = Effect.match(Effect.timeoutOption(started, jobSendMillisMax), {
    onSuccess: (one): Sent =>
      Option.isSome(one) ? { is: "sent" } : { is: "not yet", afterMillis: jobAgainMillis, gone: false },
    onFailure: notSent
  })
  return Effect.map(sent, (sent) => ({ type: "sent", daemonId, sent, ...atOf(context) }))
}

const finishing = Effect.fnUntraced(function* (
  { store, dispatcher, timers, maxAttempts }: LeaderContext,
  job: LedJob,
  state: JobState,
  counts: TargetCounts
) {
  const { jobId, accountId } = job
  const now = timers.now()
  const payload = jobPayload(job, state, counts, now)
  const event = yield* dispatcher.prepare({ accountId, event: "job:completed", payload, timestamp: now })
  let inserted: ReadonlySet<string> | undefined
  const write = Effect.map(store.finish(jobId, state, now, maxAttempts, event.deliveries), (ids) => {
    inserted = ids
  })
  yield* Effect.uninterruptible(
    Effect.ensuring(
      write,
      Effect.sync(() => event.committed(inserted))
    )
  )
  return { type: "over" } satisfies JobMessage
})

const tell = ({ bus, timers }: LeaderContext, job: LedJob, counts: TargetCounts): void => {
  const timestamp = timers.now()
  const payload = jobPayload(job, "running", counts, timestamp)
  bus.publish("event_happened", { accountId: job.accountId, event: "job:progress", payload, timestamp })
}

/** The behaviour of leaders. */
export const leaderBehaviour = (context: LeaderContext): Behaviour<LeaderState, JobMessage, JobAction> => {
  const perform = (action: JobAction, { job }: LeaderState, self: Actor<JobMessage>): void => {
    switch (action.do) {
      case "look":
        self.pipeToSelf(orUnseen(context, action.look, looking(context, job, action.look)))
        return
      case "take": {
        const { limit } = action
        const take = Effect.map(
          Effect.suspend(() => context.store.takeTargets(job, context.timers.now(), limit)),
          (targets): JobMessage => ({ type: "taken", targets, full: targets.length >= limit, ...atOf(context) })
        )
        self.pipeToSelf(orUnseen(context, noLook, take))
        return
      }
      case "send":
        self.pipeToSelf(sending(context, job, action.target))
        return
      case "tell":
        return tell(context, job, action.counts)
      case "finish":
        self.pipeToSelf(orUnseen(context, noLook, finishing(context, job, action.state, action.counts)))
        return
      case "wake":
        return self.wakeAfter("look", action.afterMillis, () => ({ type: "look", ...atOf(context) }))
      case "leave":
        self.kill()
    }
  }
  return {
    kind: "job",
    mailboxMax: jobMailboxMax,
    opening: { type: "begin" },
    decide: decideLeading,
    perform,
    ended: ({ job }) => context.ended(job)
  }
}
