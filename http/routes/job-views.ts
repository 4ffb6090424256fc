/** Encodes jobs, their targets and their results. Owns these shapes; reads no store. */
import type { JobSeen } from "../../actors/jobs/account-jobs.ts"
import { type Job, type JobTarget, type Rollout, usualExitCodes } from "../../src/domain/job/job.ts"
import { sealCursor } from "../../src/domain/page-cursor.ts"
import type { TargetResult } from "../../src/store/jobs/job-rows.ts"
import { Answer, type Headers } from "../pipeline/response.ts"

const rolloutOf = ({ perMinute, concurrency, abortAfterFailures, successExitCodes, steps = [] }: Rollout) => ({
  perMinute: perMinute ?? null,
  concurrency,
  abortAfterFailures: abortAfterFailures ?? null,
  successExitCodes: successExitCodes ?? usualExitCodes,
  steps: steps.map(({ count, percent, holdMinutes }) => ({
    count: count ?? null,
    percent: percent ?? null,
    holdMinutes
  }))
})

/** A job without its counts. */
export const recordOf = (job: Job) => {
  const { jobId, type, state, targets, createdAt, expiresAt } = job
  return {
    jobId,
    type,
    state,
    stop: job.stop ?? null,
    targets,
    timeoutSeconds: job.timeoutMs / 1_000,
    rollout: rolloutOf(job.rollout),
    createdAt,
    expiresAt,
    finishedAt: job.finishedAt ?? null,
    name: job.name ?? null,
    createdBy: job.createdBy ?? null,
    retryOf: job.retryOf ?? null,
    leftOut: job.leftOut ?? null
  }
}

/** A job, and how its targets stand. */
export const jobOf = ({ job, counts }: JobSeen) => ({ ...recordOf(job), counts })

export const targetView = ({ daemonId, state, commandId, error, finishedAt, exitCode, output }: JobTarget) => ({
  daemonId,
  state,
  commandId: commandId ?? null,
  ...(error !== undefined && { error }),
  finishedAt: finishedAt ?? null,
  ...(exitCode !== undefined && { exitCode }),
  ...(output !== undefined && { output })
})

/** A target with its result, which is JSON as its daemon wrote it. */
const resultText = (target: TargetResult): string => {
  const { omitted, result } = target
  const view = JSON.stringify({ ...targetView(target), ...(omitted !== undefined && { resultOmitted: omitted }) })
  return result === undefined ? view : `${view.slice(0, -1)},"result":${result}}`
}

const vary = ["vary", "accept"] as const

/** A page of results. `next`: the path of the next one. */
export const resultsAnswer = (
  results: ReadonlyArray<TargetResult>,
  next: ((cursor: string) => string) | undefined,
  inLines: boolean
): Answer => {
  const cursor = next && sealCursor(results.at(-1)!.daemonId)
  const texts = results.map(resultText)
  if (inLines) {
    const link: Headers = cursor === undefined ? [] : [["link", `<${next!(cursor)}>; rel="next"`]]
    // a line break that a daemon wrote between two members would break the line; none stands in a text of JSON
    const lines = texts.map((text) => `${text.replaceAll("\n", " ")}\n`)
    return new Answer(200, [["content-type", "application/x-ndjson"], vary, ...link], lines.join(""))
  }
  const tail = cursor === undefined ? "]}" : `],"nextCursor":${JSON.stringify(cursor)}}`
  return new Answer(200, [["content-type", "application/json"], vary], `{"results":[${texts.join(",")}${tail}`)
}
