/**
 * What the leader of one job decides. Owns when it looks, how many targets it takes and when the job stops or ends;
 * knows no store and no clock. The rows are the truth: each look reads them anew.
 */
import { type LedJob, mustStop, type TargetCounts, targetStates, unfinishedOf } from "../../src/domain/job/job.ts"
import { allowed, spend, startPace, untilNext } from "../../src/domain/job/pacing.ts"
import { stepRoom } from "../../src/domain/job/steps.ts"
import {
  jobAbortLookMillis,
  jobLookMillis,
  jobLookMillisMin,
  jobLookShare,
  jobProgressMillis,
  jobRowsMax,
  jobTidyMillis
} from "../../src/limits/jobs.ts"
import type { Turn } from "../runtime/actor.ts"
import type { At, JobAction, JobMessage, LeaderState, Look } from "./messages.ts"

/** A leader that begins. */
export const beginLeading = (job: LedJob, steady: number): LeaderState => ({
  job,
  pace: startPace(job.rollout.perMinute, steady),
  working: false,
  hinted: false,
  lookedAt: steady,
  lookMillis: 0,
  tidiedAt: Number.NEGATIVE_INFINITY,
  toldAt: steady,
  told: undefined,
  givenBack: [],
  unsendable: []
})

const none: ReadonlyArray<JobAction> = []

type Done = Turn<LeaderState, JobAction>

/** The least time between two looks: the longer they take, the more, up to the usual time. */
const apart = ({ job: { rollout }, lookMillis }: LeaderState): number => {
  const most = rollout.abortAfterFailures === undefined ? jobLookMillis : jobAbortLookMillis
  return Math.min(most, Math.max(jobLookMillisMin, lookMillis / jobLookShare))
}

const look = (state: LeaderState, steady: number, stop?: Look["stop"]): Done => {
  const tidy = steady - state.tidiedAt >= jobTidyMillis
  const { givenBack, unsendable } = state
  return {
    state: {
      ...state,
      working: true,
      hinted: false,
      lookedAt: steady,
      tidiedAt: tidy ? steady : state.tidiedAt,
      givenBack: [],
      unsendable: []
    },
    actions: [{ do: "look", look: { tidy, givenBack, unsendable, stop } }]
  }
}

/** Waits for a hint, or for the next look. */
const rest = (state: LeaderState, { now, steady }: At, atMost: number): Done => {
  const soonest = apart(state) - (steady - state.lookedAt)
  const wanted = state.hinted
    ? 0
    : Math.min(jobLookMillis, atMost, Math.max(0, state.job.expiresAt - now) || jobLookMillis)
  return { state: { ...state, working: false }, actions: [{ do: "wake", afterMillis: Math.max(1, soonest, wanted) }] }
}

/** How long it may rest for the sake of its pace. */
const paceWait = ({ pace }: LeaderState, steady: number): number =>
  pace.rate === undefined ? jobLookMillis : untilNext(pace, steady)

const isTold = (told: TargetCounts | undefined, counts: TargetCounts): boolean =>
  told !== undefined && targetStates.every((state) => told[state] === counts[state])

const asked = (state: LeaderState, { steady, ...at }: At): Done => {
  if (state.working) return { state: { ...state, hinted: true }, actions: none }
  if (steady - state.lookedAt >= apart(state)) return look(state, steady)
  return rest({ ...state, hinted: true }, { steady, ...at }, 0)
}

const looked = (before: LeaderState, message: Extract<JobMessage, { type: "looked" }>): Done => {
  const { counts, stop, now, steady } = message
  const first = before.told === undefined
  const tells = !first && steady - before.toldAt >= jobProgressMillis && !isTold(before.told, counts)
  const told: ReadonlyArray<JobAction> = tells ? [{ do: "tell", counts }] : none
  const state: LeaderState = {
    ...before,
    lookMillis: steady - before.lookedAt,
    ...(tells ? { toldAt: steady } : {}),
    ...(tells || first ? { told: counts } : {})
  }
  const and = ({ state, actions }: Done): Done => ({ state, actions: [...told, ...actions] })
  if (unfinishedOf(counts) === 0) return { state, actions: [{ do: "finish", state: stop ?? "completed", counts }] }
  if (stop !== undefined) return and(rest(state, message, jobLookMillis))
  const why = state.job.payload === undefined ? "aborted" : mustStop(state.job, counts, now)
  if (why !== undefined) return and(look(state, steady, why))
  const { concurrency, steps = [] } = state.job.rollout
  const slots = Math.max(0, concurrency - counts.running)
  const { room, waitMillis } = stepRoom(steps, state.job.targets, counts, message)
  if (room === 0) return and(rest(state, message, waitMillis ?? jobLookMillis))
  const limit = Math.min(slots, room, allowed(state.pace, steady), counts.waiting, jobRowsMax)
  if (limit > 0) return and({ state, actions: [{ do: "take", limit }] })
  return and(rest(state, message, counts.waiting > 0 && slots > 0 ? paceWait(state, steady) : jobLookMillis))
}

const taken = (before: LeaderState, message: Extract<JobMessage, { type: "taken" }>): Done => {
  const { targets, full, steady } = message
  const state = { ...before, pace: spend(before.pace, targets.length, steady) }
  const sends = targets.map((target): JobAction => ({ do: "send", target }))
  // without all that were asked for the others are offline
  const resting = rest(state, message, full ? paceWait(state, steady) : jobLookMillis)
  return { state: resting.state, actions: [...sends, ...resting.actions] }
}

const sent = (before: LeaderState, message: Extract<JobMessage, { type: "sent" }>): Done => {
  const { daemonId, sent, now, steady } = message
  if (sent.is === "sent") return { state: before, actions: none }
  const pace = spend(before.pace, -1, steady)
  const state: LeaderState =
    sent.is === "never"
      ? { ...before, pace, unsendable: [...before.unsendable, { daemonId, words: sent.words }] }
      : {
          ...before,
          pace,
          givenBack: [...before.givenBack, { daemonId, dueAt: now + sent.afterMillis }],
          ...(sent.gone ? { tidiedAt: Number.NEGATIVE_INFINITY } : {})
        }
  return asked(state, message)
}

/** The store could not be asked: what was to be written is written with the next look. */
const unseen = (before: LeaderState, message: Extract<JobMessage, { type: "unseen" }>): Done => {
  const { givenBack, unsendable } = message.look
  const state = {
    ...before,
    hinted: false,
    tidiedAt: message.look.tidy ? Number.NEGATIVE_INFINITY : before.tidiedAt,
    givenBack: [...givenBack, ...before.givenBack],
    unsendable: [...unsendable, ...before.unsendable]
  }
  return rest(state, message, jobLookMillis)
}

/** The turn of a message. */
export const decideLeading = (state: LeaderState, message: JobMessage): Done => {
  switch (message.type) {
    case "begin":
      return look(state, state.lookedAt)
    case "look":
      return asked(state, message)
    case "looked":
      return looked(state, message)
    case "unseen":
      return unseen(state, message)
    case "taken":
      return taken(state, message)
    case "sent":
      return sent(state, message)
    case "over":
      return { state, actions: [{ do: "leave" }] }
  }
}
