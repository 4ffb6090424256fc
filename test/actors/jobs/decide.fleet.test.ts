/** What the leader of a job decides over a whole fleet, whose rows and commands are simulated under virtual time. */
import { expect, it } from "vitest"
import { beginLeading, decideLeading } from "../../../actors/jobs/decide.ts"
import type { JobAction, JobMessage } from "../../../actors/jobs/messages.ts"
import { type JobStop, type LedJob, noTargets, type Rollout } from "../../../src/domain/job/job.ts"
import { fc, forAll } from "../../support/properties.ts"

const targets = 10_000
const failing = 300

/** Leads a job to its end. `life`: how long a command runs, `fails`: whether it does, by the number of its target. */
const led = (given: Partial<Rollout>, life: (nth: number) => number, fails: (nth: number) => boolean) => {
  const rollout = { perMinute: undefined, concurrency: 50, abortAfterFailures: undefined, ...given }
  const job = { jobId: "job_1", state: "running", targets, rollout, expiresAt: 1e15, payload: "{}" } as LedJob
  let [now, stop, ended] = [0, undefined as JobStop | undefined, undefined as string | undefined]
  let state = beginLeading(job, now)
  const sentAt: Array<number> = []
  const endOf = (nth: number): number => sentAt[nth]! + life(nth)
  const failedAt = (): ReadonlyArray<number> =>
    sentAt.flatMap((_, nth) => (fails(nth) && endOf(nth) <= now ? [endOf(nth)] : [])).sort((a, b) => a - b)
  const counts = () => {
    const over = sentAt.filter((_, nth) => endOf(nth) <= now).length
    const failed = failedAt().length
    const waiting = targets - sentAt.length
    const left = stop === undefined ? { waiting } : { skipped: waiting }
    return { ...noTargets, ...left, running: sentAt.length - over, succeeded: over - failed, failed }
  }
  const lastEndAt = (): number => Math.max(0, ...sentAt.map((_, nth) => endOf(nth)).filter((at) => at <= now))
  const messages: Array<JobMessage> = [{ type: "begin" }]
  const perform = (action: JobAction): void => {
    const at = { now, steady: now }
    if (action.do === "look") {
      stop ??= action.look.stop
      messages.push({ type: "looked", counts: counts(), stop, lastEndAt: lastEndAt(), ...at })
    } else if (action.do === "take") {
      const taken = Array.from({ length: action.limit }, (_, nth) => ({
        daemonId: `${sentAt.length + nth}`,
        commandId: ""
      }))
      for (const _ of taken) sentAt.push(now)
      messages.push({ type: "taken", targets: taken, full: true, ...at })
    } else if (action.do === "wake") {
      now += action.afterMillis
      messages.push({ type: "look", now, steady: now })
    } else if (action.do === "finish") ended = action.state
  }
  while (ended === undefined) {
    const turn = decideLeading(state, messages.shift()!)
    state = turn.state
    for (const action of turn.actions) perform(action)
  }
  return { ended, sentAt, failedAt: failedAt(), counts: counts(), endOf }
}

it("a job over 10,000 daemons of which 300 fail is aborted at the 11th failure, with at most as many commands more as may be under way at once", () => {
  const abortAfterFailures = 11
  forAll(20, fc.integer({ min: 1, max: 200 }), fc.integer({ min: 200, max: 3_000 }), (concurrency, millis) => {
    const one = led(
      { concurrency, abortAfterFailures },
      (nth) => millis + ((nth * 37) % 400),
      (nth) => nth % Math.floor(targets / failing) === 7
    )
    const eleventh = one.failedAt[abortAfterFailures - 1]!
    expect(one.ended).toBe("aborted")
    expect(one.sentAt.filter((at) => at > eleventh).length).toBeLessThanOrEqual(concurrency)
    expect(one.counts.skipped).toBe(targets - one.sentAt.length)
  })
})

it("a job over 10,000 daemons of which 300 fail sends its first step alone, and the rest once that has ended and was held", () => {
  const holdMinutes = 10
  const one = led(
    { concurrency: 1_000, steps: [{ count: 25, holdMinutes }] },
    () => 5_000,
    () => false
  )
  expect(one.ended).toBe("completed")
  const first = one.sentAt.slice(0, 25).map((_, nth) => one.endOf(nth))
  expect(one.sentAt[25]).toBeGreaterThanOrEqual(Math.max(...first) + holdMinutes * 60_000)
  expect(one.sentAt).toHaveLength(targets)
})
