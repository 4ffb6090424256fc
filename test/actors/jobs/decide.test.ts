/** What the leader of a job decides, without a fiber and without a store: against a model of the rows. */
import { describe, expect, it } from "vitest"
import { beginLeading, decideLeading } from "../../../actors/jobs/decide.ts"
import type { JobAction, JobMessage, LeaderState } from "../../../actors/jobs/messages.ts"
import { type LedJob, noTargets, type Rollout, type TargetCounts } from "../../../src/domain/job/job.ts"
import { jobAbortLookMillis, jobLookMillis, jobLookMillisMin, jobProgressMillis } from "../../../src/limits/jobs.ts"
import { given } from "../../support/given.ts"
import { fc, forAll } from "../../support/properties.ts"

const rollout: Rollout = { perMinute: undefined, concurrency: 10, abortAfterFailures: undefined }
const jobOf = (given: Partial<Rollout>, expiresAt = 1e9): LedJob => ({
  jobId: "job_1",
  accountId: "acc_1",
  type: "screenshot",
  state: "running",
  stop: undefined,
  targets: 100,
  timeoutMs: 1_000,
  rollout: { ...rollout, ...given },
  createdAt: 0,
  expiresAt,
  finishedAt: undefined,
  plan: "free",
  fence: 1,
  payload: "{}"
})

/** A leader that is told by hand. */
const subject = (given: Partial<Rollout> = {}, expiresAt?: number) => {
  let now = 0
  let state: LeaderState = beginLeading(jobOf(given, expiresAt), now)
  const tell = (message: JobMessage): ReadonlyArray<JobAction> => {
    const turn = decideLeading(state, message)
    state = turn.state
    return turn.actions
  }
  let behind = 0
  const at = () => ({ now: now - behind, steady: now })
  return {
    setBack: (millis: number) => {
      behind += millis
    },
    begin: () => tell({ type: "begin" }),
    look: () => tell({ type: "look", ...at() }),
    looked: (counts: Partial<TargetCounts>, stop?: "aborted" | "cancelled" | "expired") =>
      tell({ type: "looked", counts: { ...noTargets, ...counts }, stop, ...at() }),
    taken: (number: number, full = true) => {
      const targets = Array.from({ length: number }, (_, at) => ({ daemonId: `dmn_${at}`, commandId: `cmd_${at}` }))
      return tell({ type: "taken", targets, full, ...at() })
    },
    refused: (daemonId: string) =>
      tell({ type: "sent", daemonId, sent: { is: "not yet", afterMillis: 2_000, gone: false }, ...at() }),
    unseen: (look: Extract<JobAction, { do: "look" }>) => tell({ type: "unseen", look: look.look, ...at() }),
    over: () => tell({ type: "over" }),
    pass: (millis: number) => {
      now += millis
    }
  }
}

const names = (actions: ReadonlyArray<JobAction>): ReadonlyArray<string> => actions.map((action) => action.do)
const wakeIn = (actions: ReadonlyArray<JobAction>): number | undefined =>
  actions.find((action) => action.do === "wake")?.afterMillis

describe("the leader of a job", () => {
  given(subject)("looks first, takes as many as its concurrency leaves, and sends each", (one) => {
    expect(one.begin()).toMatchObject([{ do: "look", look: { tidy: true } }])
    expect(one.looked({ waiting: 50, running: 4 })).toEqual([{ do: "take", limit: 6 }])
    expect(names(one.taken(6))).toEqual(["send", "send", "send", "send", "send", "send", "wake"])
    one.pass(jobLookMillis)
    one.look()
    expect(names(one.looked({ waiting: 44, running: 10 }))).toEqual(["tell", "wake"])
  })

  given(subject)("looks once at a time, and again soon after a hint that came meanwhile", (one) => {
    one.begin()
    expect(one.look()).toEqual([])
    expect(wakeIn(one.looked({ running: 1 }))).toBe(jobLookMillisMin)
    expect(names(one.look())).toEqual(["wake"])
    one.pass(jobLookMillisMin)
    expect(names(one.look())).toEqual(["look"])
  })

  it("looks less often where the store takes long, but once in a second", () => {
    for (const [took, wake] of [
      [50, 450],
      [400, 600]
    ] as const) {
      const one = subject()
      one.begin()
      one.look()
      one.pass(took)
      expect(wakeIn(one.looked({ waiting: 1, running: 10 }))).toBe(wake)
    }
  })

  it("is not kept from a look for long where failures are to stop it, however long the store takes", () => {
    const one = subject({ abortAfterFailures: 1 })
    one.begin()
    one.look()
    one.pass(200)
    expect(wakeIn(one.looked({ waiting: 1, running: 10 }))).toBe(jobAbortLookMillis - 200)
    one.pass(jobAbortLookMillis - 200)
    expect(names(one.look())).toEqual(["look"])
  })

  it("stops at its failures with the next look, and takes nothing from then on", () => {
    const one = subject({ abortAfterFailures: 2 })
    one.begin()
    expect(one.looked({ waiting: 5, running: 1, failed: 2 })).toMatchObject([{ do: "look", look: { stop: "aborted" } }])
    expect(names(one.looked({ skipped: 5, running: 1, failed: 2 }, "aborted"))).toEqual(["wake"])
    one.pass(jobLookMillis)
    one.look()
    expect(one.looked({ skipped: 5, succeeded: 1, failed: 2 }, "aborted")).toMatchObject([
      { do: "finish", state: "aborted" }
    ])
    expect(names(one.over())).toEqual(["leave"])
  })

  given(() => subject({}, 300))("wakes in time to expire", (one) => {
    one.begin()
    expect(wakeIn(one.looked({ waiting: 1, running: 10 }))).toBe(300)
    one.pass(300)
    one.look()
    expect(one.looked({ waiting: 1, running: 10 })).toMatchObject([{ do: "look", look: { stop: "expired" } }])
  })

  given(subject)("writes what was not sent with its next look, also after one that failed", (one) => {
    one.begin()
    one.looked({ waiting: 5 })
    one.taken(2)
    expect(names(one.refused("dmn_0"))).toEqual(["wake"])
    one.pass(jobLookMillis)
    const [look] = one.look() as [Extract<JobAction, { do: "look" }>]
    expect(look.look.givenBack).toEqual([{ daemonId: "dmn_0", dueAt: 2_000 }])
    expect(wakeIn(one.unseen(look))).toBe(jobLookMillis)
    one.refused("dmn_1")
    one.pass(jobLookMillis)
    expect(one.look()).toMatchObject([
      { do: "look", look: { givenBack: [{ daemonId: "dmn_0" }, { daemonId: "dmn_1" }] } }
    ])
  })

  given(subject)("tells of its progress at most once in a second, and only where something changed", (one) => {
    one.begin()
    let told = 0
    for (let passed = 0; passed < 10_000; passed += 100) {
      // which no clock that is set back holds up
      if (passed === 5_000) one.setBack(3_600_000)
      told += names(one.looked({ running: 100 - Math.min(50, passed / 100), succeeded: passed })).includes("tell")
        ? 1
        : 0
      one.pass(100)
      one.look()
    }
    expect(told).toBe(10_000 / jobProgressMillis - 1)
    one.looked({ running: 1 })
    one.pass(jobLookMillis)
    one.look()
    one.looked({ running: 1 })
    one.pass(jobLookMillis)
    one.look()
    expect(names(one.looked({ running: 1 }))).toEqual(["wake"])
  })

  it("holds its rate and its concurrency over any life of its commands", () => {
    const life = fc.integer({ min: 10, max: 3_000 })
    forAll(20, fc.integer({ min: 60, max: 6_000 }), life, (perMinute, millis) => {
      const concurrency = 1_000
      const one = subject({ perMinute, concurrency })
      const ends: Array<number> = []
      let now = 0
      let [sent, ended] = [0, 0]
      let wake = 0
      one.begin()
      while (now < 120_000) {
        while (ends[ended]! <= now) ended++
        const running = sent - ended
        expect(running).toBeLessThanOrEqual(concurrency)
        let actions = one.looked({ waiting: 100_000, running, succeeded: sent - running })
        const take = actions.find((action) => action.do === "take")
        if (take !== undefined) {
          sent += take.limit
          for (let at = 0; at < take.limit; at++) ends.push(now + millis)
          actions = one.taken(take.limit)
        }
        wake = Math.ceil(wakeIn(actions)! / 50) * 50
        now += wake
        one.pass(wake)
        one.look()
      }
      const expected = (perMinute * now) / 60_000
      expect(Math.abs(sent - expected)).toBeLessThanOrEqual(expected * 0.05 + 3)
    })
  })
})
