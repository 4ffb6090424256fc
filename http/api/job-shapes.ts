/** Shapes of jobs, which their contract and their events share. Owns no path. */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { jobStates, jobTypes, targetStates } from "../../src/domain/job/job.ts"
import { commandSecondsMax } from "../../src/limits/commands.ts"
import {
  jobConcurrency,
  jobConcurrencyMax,
  jobHoldMinutesMax,
  jobNameCharsMax,
  jobNamedMax,
  jobPerMinuteMax,
  jobStepsMax,
  jobTargetsMax
} from "../../src/limits/jobs.ts"
import { wireKey } from "../../src/protocol/wire-key.ts"
import { optional } from "./optional.ts"
import { millis, Name, nextCursor, terminalOutcome } from "./shapes.ts"

/** How many targets are in each state. */
export const TargetCounts = Schema.Struct(
  Object.fromEntries(targetStates.map((state) => [state, Schema.Int])) as {
    readonly [K in (typeof targetStates)[number]]: typeof Schema.Int
  }
).annotate({ identifier: "TargetCounts", description: "How many targets are in each state" })

const maybe = Schema.optionalKey
/** A whole number; routes/jobs.ts checks its bounds. */
const whole = (maximum?: number) =>
  Schema.Finite.annotate({ [wireKey]: { type: "integer", minimum: 1, ...(maximum === undefined ? {} : { maximum }) } })

const RolloutAsked = Schema.Struct({
  perMinute: optional(whole(jobPerMinuteMax), "Commands sent per minute; absent: as fast as `concurrency` allows"),
  concurrency: optional(whole(jobConcurrencyMax), `Commands under way at once; absent: ${jobConcurrency}`),
  abortAfterFailures: optional(
    whole(),
    "After so many targets that `failed`, `timed_out` or were `lost` nothing more is sent, and the rest is `skipped`"
  ),
  successExitCodes: optional(
    Schema.Array(Schema.Finite),
    "Exit codes of `terminal_exec` that are no failure, at most 32; absent: 0. With any other the target has `failed`"
  ),
  steps: optional(
    Schema.Array(
      Schema.Struct({
        count: optional(whole(jobTargetsMax), "Until so many targets were sent in all; or `percent`"),
        percent: optional(
          Schema.Finite.annotate({ [wireKey]: { type: "number", exclusiveMinimum: 0, maximum: 100 } }),
          "Of all targets"
        ),
        holdMinutes: optional(
          Schema.Finite.annotate({ [wireKey]: { type: "integer", minimum: 0, maximum: jobHoldMinutesMax } }),
          "How long nothing is sent once all of them have ended; absent: 0"
        )
      })
    ),
    `Some targets first, at most ${jobStepsMax} steps, each beyond the one before; behind the last all others go`
  )
})

const name = optional(Name(jobNameCharsMax), `What it is for, at most ${jobNameCharsMax} characters of one line`)
const expiresAt = optional(
  Schema.Finite.annotate({ [wireKey]: { type: "integer" } }),
  "Epoch milliseconds: targets that are offline until then end as `expired`; absent: a day, at most seven days"
)
const timeout = optional(whole(commandSecondsMax), `How long each command may take; absent: ${commandSecondsMax}`)

/** A job that is asked for. */
export const JobAsked = Schema.Struct({
  name,
  daemonIds: optional(
    Schema.Array(Schema.String),
    `Daemons of this account, at most ${jobNamedMax}; or \`all\`, or \`selector\``
  ),
  all: optional(
    Schema.Boolean,
    `True: all daemons of this account that were connected within 30 days, revoked ones apart, at most ${jobTargetsMax}; \`leftOut\` counts the others`
  ),
  selector: optional(
    Schema.String,
    `Those daemons of this account whose tags it means (\`env=prod,gpu\`), revoked ones apart, at most ${jobTargetsMax}`
  ),
  // routes/jobs.ts refuses other types, after the Idempotency-Key was judged
  type: Schema.String.annotate({ [wireKey]: { type: "string", enum: jobTypes } }),
  payload: optional(
    Schema.Record(Schema.String, Schema.Unknown),
    "As of a single command of this type; of `terminal_exec`: `{command, name?, cwd?}`"
  ),
  timeoutSeconds: timeout,
  rollout: optional(RolloutAsked, "How fast commands are sent, and when the rest is given up"),
  expiresAt
}).annotate({ identifier: "JobAsked" })

/** What another try of a job does otherwise. */
export const RetryAsked = Schema.Struct({
  name,
  payload: optional(
    Schema.Record(Schema.String, Schema.Unknown),
    "Instead of the job's own, which is kept while it runs and where targets failed; of `send_chat` it must be given once the job has ended"
  ),
  timeoutSeconds: optional(whole(commandSecondsMax), "Absent: as before"),
  rollout: optional(RolloutAsked, "Absent: as before"),
  expiresAt
}).annotate({ identifier: "JobRetryAsked" })

const state = Schema.Literals(jobStates).annotate({ identifier: "JobState" })

const common = {
  jobId: Schema.String,
  type: Schema.String,
  state,
  stop: Schema.NullOr(Schema.Literals(["aborted", "cancelled", "expired"])).annotate({
    description: "Why nothing more is sent: the state in which it ends once its commands have"
  }),
  targets: Schema.Int,
  timeoutSeconds: Schema.Int,
  rollout: Schema.Struct({
    perMinute: Schema.NullOr(Schema.Int),
    concurrency: Schema.Int,
    abortAfterFailures: Schema.NullOr(Schema.Int),
    successExitCodes: Schema.Array(Schema.Int),
    steps: Schema.Array(
      Schema.Struct({
        count: Schema.NullOr(Schema.Int),
        percent: Schema.NullOr(Schema.Finite),
        holdMinutes: Schema.Int
      }).annotate({ identifier: "JobStep" })
    )
  }).annotate({ identifier: "JobRollout" }),
  createdAt: millis,
  expiresAt: millis,
  finishedAt: Schema.NullOr(millis),
  name: Schema.NullOr(Schema.String),
  createdBy: Schema.NullOr(
    Schema.Struct({ kind: Schema.Literals(["key", "grant", "session"]), id: Schema.String }).annotate({
      identifier: "JobMaker"
    })
  ).annotate({ description: "The API key, the connected app or the session that started it" }),
  retryOf: Schema.NullOr(Schema.String).annotate({ description: "The job whose failed targets it tries again" }),
  leftOut: Schema.NullOr(
    Schema.Struct({ neverConnected: Schema.Int, away: Schema.Int }).annotate({ identifier: "JobLeftOut" })
  ).annotate({
    description: "Of `all`: daemons that are none of its targets, as they never connected, or not within 30 days"
  })
}

const JobRecord = Schema.Struct(common).annotate({ identifier: "JobRecord" })
/** A job, and how its targets stand. */
export const Job = Schema.Struct({ ...common, counts: TargetCounts }).annotate({ identifier: "Job" })

/** A page of jobs. */
export const JobList = Schema.Struct({ jobs: Schema.Array(JobRecord), nextCursor }).annotate({ identifier: "JobList" })

const target = {
  daemonId: Schema.String,
  state: Schema.Literals(targetStates).annotate({ identifier: "JobTargetState" }),
  commandId: Schema.NullOr(Schema.String).annotate({ description: "Once it was sent; its result is under this id" }),
  error: maybe(Schema.String).annotate({ description: "Why it failed" }),
  finishedAt: Schema.NullOr(millis),
  ...terminalOutcome
}

const JobTarget = Schema.Struct(target).annotate({ identifier: "JobTarget" })

const JobResult = Schema.Struct({
  ...target,
  result: maybe(Schema.Unknown).annotate({ description: "As the daemon sent it, as long as the command is kept" }),
  resultOmitted: maybe(Schema.Literals(["RESULT_TOO_LARGE", "RESULT_NOT_KEPT"])).annotate({
    description: "Why a result that came is not here"
  })
}).annotate({ identifier: "JobResult" })

/** A page of results. */
export const JobResultList = Schema.Struct({ results: Schema.Array(JobResult), nextCursor }).annotate({
  identifier: "JobResultList"
})

/** The same page, one result a line. */
export const JobResultLines = Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))

/** A page of targets. */
export const JobTargetList = Schema.Struct({ targets: Schema.Array(JobTarget), nextCursor }).annotate({
  identifier: "JobTargetList"
})
