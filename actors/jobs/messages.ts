/** What the leader of one job keeps, is told and does. Owns these shapes; decides nothing. */
import type { JobState, JobStop, LedJob, TargetCounts } from "../../src/domain/job/job.ts"
import type { Pace } from "../../src/domain/job/pacing.ts"
import type { GivenBack, TakenTarget, Unsendable } from "../../src/store/jobs/led-jobs.ts"

/** A time: of the clock that can be set, and of the one that cannot. */
export interface At {
  readonly now: number
  readonly steady: number
}

/** What the leader knows. */
export interface LeaderState {
  readonly job: LedJob
  readonly pace: Pace
  /** Work in the store is under way; there is one at a time. */
  readonly working: boolean
  /** Something happened since the last look began. */
  readonly hinted: boolean
  /** When the last look began, and how long looks take. */
  readonly lookedAt: number
  readonly lookMillis: number
  readonly tidiedAt: number
  readonly toldAt: number
  readonly told: TargetCounts | undefined
  /** To be written with the next look. */
  readonly givenBack: ReadonlyArray<GivenBack>
  readonly unsendable: ReadonlyArray<Unsendable>
}

/** What a look into the store writes first. */
export interface Look {
  readonly tidy: boolean
  readonly givenBack: ReadonlyArray<GivenBack>
  readonly unsendable: ReadonlyArray<Unsendable>
  readonly stop: JobStop | undefined
}

/** What became of a target that was to be sent. */
export type Sent =
  | { readonly is: "sent" }
  | { readonly is: "not yet"; readonly afterMillis: number; readonly gone: boolean }
  | { readonly is: "never"; readonly words: string }

/** What the leader is told. */
export type JobMessage =
  | { readonly type: "begin" }
  | ({ readonly type: "look" } & At)
  | ({
      readonly type: "looked"
      readonly counts: TargetCounts
      readonly stop: JobStop | undefined
      readonly lastEndAt?: number | undefined
    } & At)
  | ({ readonly type: "unseen"; readonly look: Look } & At)
  | ({ readonly type: "taken"; readonly targets: ReadonlyArray<TakenTarget>; readonly full: boolean } & At)
  | ({ readonly type: "sent"; readonly daemonId: string; readonly sent: Sent } & At)
  | { readonly type: "over" }

export type JobAction =
  | { readonly do: "look"; readonly look: Look }
  | { readonly do: "take"; readonly limit: number }
  | { readonly do: "send"; readonly target: TakenTarget }
  | { readonly do: "tell"; readonly counts: TargetCounts }
  | { readonly do: "finish"; readonly state: JobState; readonly counts: TargetCounts }
  | { readonly do: "wake"; readonly afterMillis: number }
  | { readonly do: "leave" }
