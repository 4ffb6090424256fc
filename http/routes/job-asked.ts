/** Reads how a job is asked for. Owns what may be asked, and what is said of the rest; starts none. */
import type { Rollout } from "../../src/domain/job/job.ts"
import type { Issue } from "../../src/errors.ts"
import { commandSecondsMax } from "../../src/limits/commands.ts"
import {
  jobConcurrency,
  jobConcurrencyMax,
  jobExitCodesMax,
  jobHoldMinutesMax,
  jobNamedMax,
  jobPerMinuteMax,
  jobStepsMax,
  jobTargetsMax,
  jobWaitMillisMax
} from "../../src/limits/jobs.ts"
import { exitCodeMax, exitCodeMin } from "../../src/limits.ts"
import type { JobAsked } from "../api/job-shapes.ts"

type Asked = typeof JobAsked.Type
type RolloutAsked = NonNullable<Asked["rollout"]>

/** A whole number between two; absent is fine. */
const outside = (path: string, value: number | undefined, least: number, most: number): ReadonlyArray<Issue> =>
  value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most)
    ? []
    : [{ path, message: `Expected a whole number from ${least} to ${most}` }]

const stepIssues = (steps: NonNullable<RolloutAsked["steps"]>): ReadonlyArray<Issue> => {
  if (steps.length > jobStepsMax) return [{ path: "rollout.steps", message: `At most ${jobStepsMax}` }]
  return steps.flatMap(({ count, percent, holdMinutes }, at) => {
    const path = `rollout.steps[${at}]`
    if ((count === undefined) === (percent === undefined))
      return [{ path, message: "Expected one of count and percent" }]
    if (percent !== undefined && !(percent > 0 && percent <= 100))
      return [{ path: `${path}.percent`, message: "Expected more than 0, and 100 at most" }]
    return [
      ...outside(`${path}.count`, count, 1, jobTargetsMax),
      ...outside(`${path}.holdMinutes`, holdMinutes, 0, jobHoldMinutesMax)
    ]
  })
}

const rolloutIssues = ({
  perMinute,
  concurrency,
  abortAfterFailures,
  successExitCodes = [],
  steps = []
}: RolloutAsked) => [
  ...outside("rollout.perMinute", perMinute, 1, jobPerMinuteMax),
  ...outside("rollout.concurrency", concurrency, 1, jobConcurrencyMax),
  ...outside("rollout.abortAfterFailures", abortAfterFailures, 1, jobTargetsMax),
  ...(successExitCodes.length > jobExitCodesMax
    ? [{ path: "rollout.successExitCodes", message: `At most ${jobExitCodesMax}` }]
    : successExitCodes.flatMap((code, at) =>
        outside(`rollout.successExitCodes[${at}]`, code, exitCodeMin, exitCodeMax)
      )),
  ...stepIssues(steps)
]

/** What is wrong with how a job is asked to go. */
export const paceIssues = (
  { timeoutSeconds, rollout = {}, expiresAt }: Pick<Asked, "timeoutSeconds" | "rollout" | "expiresAt">,
  now: number
): ReadonlyArray<Issue> => [
  ...outside("timeoutSeconds", timeoutSeconds, 1, commandSecondsMax),
  ...rolloutIssues(rollout),
  ...outside("expiresAt", expiresAt, now + 1, now + jobWaitMillisMax)
]

/** The rollout that is asked for. */
export const rolloutOf = ({ concurrency = jobConcurrency, steps, ...rest }: RolloutAsked): Rollout => ({
  perMinute: rest.perMinute,
  concurrency,
  abortAfterFailures: rest.abortAfterFailures,
  successExitCodes: rest.successExitCodes,
  steps: steps?.map(({ holdMinutes = 0, ...step }) => ({ ...step, holdMinutes }))
})

/** What is wrong with a job that is asked for. */
export const issuesOf = (asked: Asked, now: number): ReadonlyArray<Issue> => {
  const { daemonIds, all, selector } = asked
  const issues = [...paceIssues(asked, now)]
  if ([daemonIds !== undefined, all === true, selector !== undefined].filter(Boolean).length !== 1) {
    issues.push({ path: "daemonIds", message: "Expected one of daemonIds, all and selector" })
  } else if (daemonIds !== undefined && (daemonIds.length === 0 || daemonIds.length > jobNamedMax)) {
    issues.push({ path: "daemonIds", message: `Expected from 1 to ${jobNamedMax} daemons` })
  }
  return issues
}
