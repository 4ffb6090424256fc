/**
 * The contract of jobs: one command for many daemons, started, read, listed, cancelled. Owns paths and shapes; answers
 * nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { jobStates, jobTypes, targetStates } from "../../src/domain/job/job.ts"
import { commandSecondsMax } from "../../src/limits/commands.ts"
import {
  jobConcurrency,
  jobConcurrencyMax,
  jobNamedMax,
  jobPerMinuteMax,
  jobsPageMax,
  jobTargetsMax,
  jobTargetsPageMax
} from "../../src/limits/jobs.ts"
import { wireKey } from "../../src/protocol/wire-key.ts"
import { type Access, access } from "./access.ts"
import { answers } from "./answers.ts"
import { bodyFailures, failures, idempotentFailures, scopedFailures } from "./failures.ts"
import { TargetCounts } from "./job-shapes.ts"
import { optional } from "./optional.ts"
import { millis, pageQuery } from "./shapes.ts"

const maybe = Schema.optionalKey
const path = "/api/v1/jobs"

/** A whole number; routes/jobs.ts checks its bounds. */
const whole = (maximum?: number) =>
  Schema.Finite.annotate({ [wireKey]: { type: "integer", minimum: 1, ...(maximum === undefined ? {} : { maximum }) } })

const RolloutAsked = Schema.Struct({
  perMinute: optional(whole(jobPerMinuteMax), "Commands sent per minute; absent: as fast as `concurrency` allows"),
  concurrency: optional(whole(jobConcurrencyMax), `Commands under way at once; absent: ${jobConcurrency}`),
  abortAfterFailures: optional(
    whole(),
    "After so many targets that `failed`, `timed_out` or were `lost` nothing more is sent, and the rest is `skipped`"
  )
})

const JobAsked = Schema.Struct({
  daemonIds: optional(
    Schema.Array(Schema.String),
    `Daemons of this account, at most ${jobNamedMax}; or \`all\`, or \`selector\``
  ),
  all: optional(Schema.Boolean, `True: all daemons of this account, revoked ones apart, at most ${jobTargetsMax}`),
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
  timeoutSeconds: optional(whole(commandSecondsMax), `How long each command may take; absent: ${commandSecondsMax}`),
  rollout: optional(RolloutAsked, "How fast commands are sent, and when the rest is given up"),
  expiresAt: optional(
    Schema.Finite.annotate({ [wireKey]: { type: "integer" } }),
    "Epoch milliseconds: targets that are offline until then end as `expired`; absent: a day, at most seven days"
  )
}).annotate({ identifier: "JobAsked" })

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
    abortAfterFailures: Schema.NullOr(Schema.Int)
  }).annotate({ identifier: "JobRollout" }),
  createdAt: millis,
  expiresAt: millis,
  finishedAt: Schema.NullOr(millis)
}

const JobRecord = Schema.Struct(common).annotate({ identifier: "JobRecord" })
const Job = Schema.Struct({ ...common, counts: TargetCounts }).annotate({ identifier: "Job" })

const JobList = Schema.Struct({
  jobs: Schema.Array(JobRecord),
  nextCursor: maybe(Schema.String).annotate({ description: "Absent on the last page" })
}).annotate({ identifier: "JobList" })

const JobTarget = Schema.Struct({
  daemonId: Schema.String,
  state: Schema.Literals(targetStates).annotate({ identifier: "JobTargetState" }),
  commandId: Schema.NullOr(Schema.String).annotate({ description: "Once it was sent; its result is under this id" }),
  error: maybe(Schema.String).annotate({ description: "Why it failed" }),
  finishedAt: Schema.NullOr(millis)
}).annotate({ identifier: "JobTarget" })

const JobTargetList = Schema.Struct({
  targets: Schema.Array(JobTarget),
  nextCursor: maybe(Schema.String).annotate({ description: "Absent on the last page" })
}).annotate({ identifier: "JobTargetList" })

const words = (summary: string, description: string) => OpenApi.annotations({ summary, description })
const visibility =
  "A job is shown to a credential that may send its command: `terminal:exec` for `terminal_exec`, `ide:control` for the others, `agent:control` for chats and approvals."
const using: Access = { kind: "any", anyScope: ["ide:control", "terminal:exec", "agent:control"], onHangUp: "finish" }
const reading: Access = { ...using, onHangUp: "cancel" }
const one = { jobId: Schema.String.annotate({ description: "Id of a job of this account" }) }

/** `/api/v1/jobs`. */
export const Jobs = HttpApiGroup.make("jobs")
  .annotateMerge(
    OpenApi.annotations({ description: "Jobs: one command for many daemons, kept for 24 hours after their end." })
  )
  .add(
    HttpApiEndpoint.post("start", path, {
      payload: JobAsked,
      success: Job.pipe(HttpApiSchema.status(201)),
      error: failures(...scopedFailures, ...bodyFailures, ...idempotentFailures, "NotFound", "JobLimitReached")
    })
      .annotateMerge(answers({ headers: ["Location"] }))
      .annotateMerge(
        words(
          "Send one command to many daemons",
          "Its targets are those of this moment. Each is sent the command once, when it is online and the rollout allows it, and ends in exactly one state, whatever befalls the hub. The payload is sealed, and gone once the job has ended."
        )
      )
      .annotateMerge(access({ ...using, audits: "job.started", tool: "start_job" })),
    HttpApiEndpoint.get("list", path, {
      query: {
        state: maybe(Schema.Literals(jobStates).annotate({ description: "Only those in this state" })),
        ...pageQuery(jobsPageMax, "which it is when absent")
      },
      success: JobList,
      error: failures(...scopedFailures, "ValidationFailed")
    })
      .annotateMerge(words("List jobs", `Newest first, without counts. ${visibility}`))
      .annotateMerge(access({ ...reading, tool: "list_jobs" })),
    HttpApiEndpoint.get("get", `${path}/:jobId`, {
      params: one,
      success: Job,
      error: failures(...scopedFailures, "NotFound")
    })
      .annotateMerge(words("A job and how its targets stand", visibility))
      .annotateMerge(access({ ...reading, tool: "get_job" })),
    HttpApiEndpoint.get("targets", `${path}/:jobId/targets`, {
      params: one,
      query: {
        state: maybe(Schema.Literals(targetStates).annotate({ description: "Only those in this state" })),
        ...pageQuery(jobTargetsPageMax, "which it is when absent")
      },
      success: JobTargetList,
      error: failures(...scopedFailures, "ValidationFailed", "NotFound")
    })
      .annotateMerge(
        words(
          "The targets of a job",
          `By daemon. \`timed_out\` and \`lost\` say that the hub does not know how the command ended. ${visibility}`
        )
      )
      .annotateMerge(access({ ...reading, tool: "list_job_targets" })),
    HttpApiEndpoint.post("cancel", `${path}/:jobId/cancel`, {
      params: one,
      success: Job,
      error: failures(...scopedFailures, ...idempotentFailures, "NotFound")
    })
      .annotateMerge(
        words(
          "Cancel a job",
          "Targets that were not sent end as `cancelled`. Those under way are asked to end, as far as their daemons know how, and the job ends when they have. One that is over stays as it is."
        )
      )
      .annotateMerge(access({ ...using, audits: "job.cancelled", tool: "cancel_job" }))
  )
