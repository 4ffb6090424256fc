/**
 * The contract of jobs: one command for many daemons, started, read, listed, cancelled. Owns paths and shapes; answers
 * nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { jobStates, targetStates } from "../../src/domain/job/job.ts"
import { jobResultsBytesMax, jobsPageMax, jobTargetsPageMax } from "../../src/limits/jobs.ts"
import { access, type DeclaredAccess } from "./access.ts"
import { answers } from "./answers.ts"
import { bodyFailures, failures, idempotentFailures, scopedFailures } from "./failures.ts"
import { Job, JobAsked, JobList, JobResultLines, JobResultList, JobTargetList, RetryAsked } from "./job-shapes.ts"
import { pageQuery, Words } from "./shapes.ts"

const maybe = Schema.optionalKey
const path = "/api/v1/jobs"

const visibility =
  "A job is shown to a credential that may send its command: `terminal:exec` for `terminal_exec`, `ide:control` for the others, `agent:control` for chats and approvals."
const using: DeclaredAccess = {
  kind: "any",
  anyScope: ["ide:control", "terminal:exec", "agent:control"],
  onHangUp: "finish"
}
const reading: DeclaredAccess = { ...using, onHangUp: "cancel" }
const one = { jobId: Schema.String.annotate({ description: "Id of a job of this account" }) }

const targetsQuery = {
  state: maybe(Schema.Literals(targetStates).annotate({ description: "Only those in this state" })),
  exitCode: maybe(
    Schema.String.check(
      Schema.isPattern(/^(?:nonzero|-?\d{1,10})$/u, { message: "must be `nonzero` or a whole number" })
    ).annotate({ description: "Only those whose command ended with this exit code; `nonzero`: with another than 0" })
  ),
  ...pageQuery(jobTargetsPageMax, "which it is when absent")
}

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
      .annotate(Words, [
        "Send one command to many daemons",
        "Its targets are those of this moment. Each is sent the command once, when it is online and the rollout allows it, and ends in exactly one state, whatever befalls the hub. The payload is sealed, and gone once the job has ended."
      ])
      .annotateMerge(access({ ...using, audits: "job.started", tool: "start_job" })),
    HttpApiEndpoint.get("list", path, {
      query: {
        state: maybe(Schema.Literals(jobStates).annotate({ description: "Only those in this state" })),
        ...pageQuery(jobsPageMax, "which it is when absent")
      },
      success: JobList,
      error: failures(...scopedFailures, "ValidationFailed")
    })
      .annotate(Words, ["List jobs", `Newest first, without counts. ${visibility}`])
      .annotateMerge(access({ ...reading, tool: "list_jobs" })),
    HttpApiEndpoint.get("get", `${path}/:jobId`, {
      params: one,
      success: Job,
      error: failures(...scopedFailures, "NotFound")
    })
      .annotate(Words, ["A job and how its targets stand", visibility])
      .annotateMerge(access({ ...reading, tool: "get_job" })),
    HttpApiEndpoint.get("targets", `${path}/:jobId/targets`, {
      params: one,
      query: targetsQuery,
      success: JobTargetList,
      error: failures(...scopedFailures, "ValidationFailed", "NotFound")
    })
      .annotate(Words, [
        "The targets of a job",
        `By daemon. \`timed_out\` and \`lost\` say that the hub does not know how the command ended. ${visibility}`
      ])
      .annotateMerge(access({ ...reading, tool: "list_job_targets" })),
    HttpApiEndpoint.get("results", `${path}/:jobId/results`, {
      params: one,
      query: targetsQuery,
      headers: { accept: maybe(Schema.String.annotate({ description: "`application/x-ndjson`: one result a line" })) },
      success: [JobResultList, JobResultLines],
      error: failures(...scopedFailures, "ValidationFailed", "NotFound")
    })
      .annotateMerge(answers({ headers: ["Vary"], optionalHeaders: ["Link"] }))
      .annotate(Words, [
        "The targets of a job with their results",
        `By daemon. A page ends with the target by which its results have ${jobResultsBytesMax} bytes. With \`Accept: application/x-ndjson\` it has one result a line, and \`Link\` leads to the next page. ${visibility}`
      ])
      .annotateMerge(access({ ...reading, tool: false })),
    HttpApiEndpoint.post("retry", `${path}/:jobId/retry`, {
      params: one,
      payload: RetryAsked,
      success: Job.pipe(HttpApiSchema.status(201)),
      error: failures(...scopedFailures, ...bodyFailures, ...idempotentFailures, "NotFound", "JobLimitReached")
    })
      .annotateMerge(answers({ headers: ["Location"] }))
      .annotate(Words, [
        "Try the failed targets of a job again",
        "A new job with the same command for those that have `failed`, `timed_out` or are `lost` by now; where there are none: 400. One that runs goes on."
      ])
      .annotateMerge(access({ ...using, audits: "job.started", tool: "retry_job" })),
    HttpApiEndpoint.post("cancel", `${path}/:jobId/cancel`, {
      params: one,
      success: Job,
      error: failures(...scopedFailures, ...idempotentFailures, "NotFound")
    })
      .annotate(Words, [
        "Cancel a job",
        "Targets that were not sent end as `cancelled`. Those under way are asked to end, as far as their daemons know how, and the job ends when they have. One that is over stays as it is."
      ])
      .annotateMerge(access({ ...using, audits: "job.cancelled", tool: "cancel_job" }))
  )
