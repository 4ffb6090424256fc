/** The rows of jobs in a real database: taken by one lead, ended once, within their bounds, and gone in time. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { planLimits } from "../../../../src/domain/account/plans.ts"
import { newId } from "../../../../src/domain/ids.ts"
import {
  jobDraftMillis,
  jobKeepMillis,
  jobMakingMillis,
  jobRowsMax,
  jobsKeptMax,
  jobsUnderWayMax
} from "../../../../src/limits/jobs.ts"
import { belongings, removeSome } from "../../../../src/store/accounts/account-removal.ts"
import { Commands } from "../../../../src/store/daemons/commands.ts"
import { Daemons } from "../../../../src/store/daemons/daemons.ts"
import { Jobs, type NewJob } from "../../../../src/store/jobs/jobs.ts"
import { LedJobs } from "../../../../src/store/jobs/led-jobs.ts"
import { takeTargetsText } from "../../../../src/store/jobs/led-jobs-statements.ts"
import { useStore } from "../../../support/store-services.ts"

describe("jobs in the store", () => {
  const store = useStore(Layer.mergeAll(Jobs.layer, LedJobs.layer, Commands.layer, Daemons.layer))
  const jobs = store.using(Jobs)
  const led = store.using(LedJobs)
  const sql = (text: string, values: ReadonlyArray<unknown> = []) => store.sql<Record<string, unknown>>(text, values)

  const daemonOf = async (accountId: string, online = true): Promise<string> => {
    const tokenHash = createHash("sha256").update(newId("key")).digest("hex")
    const enrolment = { accountId, daemonId: undefined, tokenHash, name: "", now: 5 }
    const daemonId = (await store.run(Effect.flatMap(Daemons, (port) => port.enrol(enrolment))))!
    if (online) {
      const values = [daemonId, accountId]
      await sql(
        "insert into daemon_presence (daemon_id, account_id, epoch, node, online_since) values ($1, $2, 1, 'n', 1)",
        values
      )
    }
    return daemonId
  }
  const rollout = { perMinute: undefined, concurrency: 10, abortAfterFailures: undefined }
  const jobOf = (accountId: string, daemonIds: ReadonlyArray<string>, more: Partial<NewJob> = {}): NewJob => ({
    jobId: newId("job"),
    accountId,
    type: "screenshot",
    payload: "sealed",
    daemonIds,
    timeoutMs: 1_000,
    rollout,
    createdAt: 100,
    expiresAt: 1_000,
    keyId: null,
    ...more
  })
  /** A job that this node leads, and nothing else does. */
  const ledJob = async (size: number, online = true) => {
    await sql("update jobs set state = 'cancelled', finished_at = 1 where state = 'running'")
    const accountId = await store.account()
    const daemonIds: Array<string> = []
    for (let at = 0; at < size; at++) daemonIds.push(await daemonOf(accountId, online))
    const job = jobOf(accountId, daemonIds)
    await jobs((port) => port.insert(job))
    const [taken] = await led((port) => port.take("node_1", 5))
    return { accountId, daemonIds, jobId: job.jobId, lead: { jobId: job.jobId, fence: taken!.fence } }
  }
  const counts = (jobId: string) => jobs((port) => port.counts(jobId))

  it("starts no job of a credential that is no more by the time that its last target is there", async () => {
    const accountId = await store.account()
    const made = async (keyId: string) => {
      const job = jobOf(accountId, [await daemonOf(accountId)], { keyId })
      await jobs((port) => port.insert(job))
      return (await jobs((port) => port.find(accountId, job.jobId)))?.stop
    }
    const grantId = newId("grant")
    await sql(
      `insert into oauth_grants (id, account_id, person_id, client_id, client_name, redirect_host, scopes, offline, created_at, expires_at)
        values ($1, $2, $3, '', '', '', '{}', true, 0, 9e15)`,
      [grantId, accountId, accountId.replace("acc", "per")]
    )
    expect(await made(grantId)).toBeUndefined()
    await sql("delete from oauth_grants where id = $1", [grantId])
    // a key goes with its service account
    expect([await made(grantId), await made(newId("key"))]).toEqual(["cancelled", "cancelled"])
  })

  it.each([
    ["is a viewer", "update memberships set role = 'viewer' where account_id = $1"],
    ["is bound to daemons", "update memberships set role = 'operator', selector = 'env=ci' where account_id = $1"],
    ["is no member", "delete from memberships where account_id = $1"]
  ])("starts no job of a person who %s by the time that its last target is there", async (_, change) => {
    const accountId = await store.account()
    const made = async () => {
      const job = jobOf(accountId, [await daemonOf(accountId)], { by: accountId.replace("acc", "per") })
      await jobs((port) => port.insert(job))
      return job.jobId
    }
    const before = await made()
    await sql(change, [accountId])
    const after = await made()
    const stops = [before, after].map((jobId) => jobs((port) => port.find(accountId, jobId)))
    expect((await Promise.all(stops)).map((job) => job?.stop)).toEqual([undefined, "cancelled"])
  })

  it("are led by one node, and by another once the lease has ended, under a higher number", async () => {
    const { jobId, lead } = await ledJob(1)
    // by the database's clock, which goes on
    const lasts = (until: number) => sql("update job_leases set until = $2 where job_id = $1", [jobId, until])
    await lasts(9e15)
    expect(await led((port) => port.take("node_2", 5))).toEqual([])
    expect(await led((port) => port.renew("node_1", [lead]))).toEqual(new Map([[jobId, lead.fence]]))
    await lasts(0)
    expect(await led((port) => port.renew("node_1", []))).toEqual(new Map())
    const [again] = await led((port) => port.take("node_2", 5))
    expect(again).toMatchObject({ fence: lead.fence + 1, sealed: "sealed", plan: "pro" })
    expect(await led((port) => port.takeTargets(lead, 100, 5))).toEqual([])
    expect(await led((port) => port.standing(lead))).toBeUndefined()
    await lasts(9e15)
    await led((port) => port.release("node_1", [lead]))
    expect(await led((port) => port.take("node_3", 5))).toEqual([])
  })

  it("give each target to one taker, the online ones only, and back what has no command", async () => {
    const { accountId, jobId, lead } = await ledJob(3)
    const offline = await ledJob(1, false)
    expect(await led((port) => port.takeTargets(offline.lead, 100, 5))).toEqual([])
    await sql("update jobs set state = 'running', finished_at = null where id = $1", [jobId])
    const takes = await Promise.all([1, 2, 3].map(() => led((port) => port.takeTargets(lead, 100, 2))))
    const taken = takes.flat()
    expect(new Set(taken.map(({ daemonId }) => daemonId)).size).toBe(taken.length)
    const rest = await led((port) => port.takeTargets(lead, 100, 5))
    expect(taken.length + rest.length).toBe(3)
    const [sent, unsent] = [...taken, ...rest]
    const row = { accountId, type: "screenshot", durable: true, cancellable: true, epoch: 1, createdAt: 1 } as const
    const command = { ...row, ...sent!, deadlineAt: 9 }
    await store.run(Effect.flatMap(Commands, (port) => port.insert([command])))
    const back = [sent!, unsent!].map(({ daemonId }) => ({ daemonId, dueAt: 200 }))
    await led((port) => port.giveBack(lead, back))
    expect(await counts(jobId)).toMatchObject({ waiting: 1, running: 2 })
    expect(await led((port) => port.takeTargets(lead, 199, 5))).toEqual([])
    expect(await led((port) => port.takeTargets(lead, 200, 5))).toEqual([unsent])
  })

  it("fail what can never be sent, each target with its words, under their own lead and while it is taken", async () => {
    const { daemonIds, jobId, lead } = await ledJob(3)
    const [first, second, third] = daemonIds.sort() as [string, string, string]
    await led((port) => port.takeTargets(lead, 100, 5))
    const words = [first, second].map((daemonId, at) => ({ daemonId, words: `too large ${at}` }))
    await led((port) => port.fail({ ...lead, fence: lead.fence - 1 }, words, 150))
    expect(await counts(jobId)).toMatchObject({ running: 3 })
    await led((port) => port.fail(lead, words, 150))
    await led((port) => port.fail(lead, [{ daemonId: first, words: "again" }], 160))
    const failed = await jobs((port) => port.targets(jobId, { state: "failed", after: "", limit: 5 }))
    expect(failed).toMatchObject([
      { daemonId: first, error: "too large 0", finishedAt: 150 },
      { daemonId: second, error: "too large 1", finishedAt: 150 }
    ])
    const running = await jobs((port) => port.targets(jobId, { state: "running", after: "", limit: 5 }))
    expect(running).toMatchObject([{ daemonId: third }])
  })

  it("are taken by their places, so that a job without statistics compares none with each other", async () => {
    const { accountId, lead } = await ledJob(0)
    const many = Array.from({ length: 2 * jobRowsMax }, () => newId("daemon"))
    await jobs((port) => port.insert(jobOf(accountId, many)))
    const plan = await sql(`explain ${takeTargetsText}`, [lead.jobId, lead.fence, 100, 5])
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toContain("Tid Scan on job_targets t")
  })

  it("have a target that an earlier lead took and never sent wait again, and lose it with its daemon", async () => {
    const { daemonIds, jobId, lead } = await ledJob(2)
    await led((port) => port.takeTargets(lead, 100, 5))
    await led((port) => port.tidy(lead, 110, 100))
    expect(await counts(jobId)).toMatchObject({ running: 2 })
    await sql("update job_leases set fence = fence + 1 where job_id = $1", [jobId])
    await sql("delete from daemons where id = $1", [daemonIds[0]])
    await led((port) => port.tidy({ ...lead, fence: lead.fence + 1 }, 110, 100))
    expect(await counts(jobId)).toMatchObject({ waiting: 1, lost: 1 })
    await sql("update daemons set revoked = true where id = $1", [daemonIds[1]])
    await led((port) => port.tidy({ ...lead, fence: lead.fence + 1 }, 110, 100))
    expect(await counts(jobId)).toMatchObject({ skipped: 1, lost: 1 })
  })

  it("take the ends of their commands once, keep those until they have, and keep a payload that may be sent again", async () => {
    const { accountId, jobId, lead } = await ledJob(2)
    const taken = await led((port) => port.takeTargets(lead, 100, 5))
    const row = { accountId, type: "screenshot", durable: true, cancellable: true, epoch: 1, createdAt: 1 } as const
    const commands = store.using(Commands)
    await commands((port) => port.insert(taken.map((one) => ({ ...row, ...one, deadlineAt: 9 }))))
    const [first, second] = taken
    await commands((port) => port.end([{ ...first!, at: 5, state: "failed", error: "no", deliveries: [] }], 1))
    await commands((port) => port.prune(1_000))
    await led((port) => port.settle(jobId))
    await commands((port) => port.end([{ ...second!, at: 6, state: "timed_out", deliveries: [] }], 1))
    expect(await led((port) => port.finish(jobId, "completed", 7, 1, []))).toBeUndefined()
    await led((port) => port.settle(jobId))
    await commands((port) => port.end([{ ...second!, at: 8, state: "succeeded", deliveries: [] }], 1))
    await led((port) => port.settle(jobId))
    expect(await counts(jobId)).toMatchObject({ failed: 1, timed_out: 1, running: 0 })
    const failed = await jobs((port) => port.targets(jobId, { state: "failed", after: "", limit: 5 }))
    expect(failed).toEqual([{ ...first, state: "failed", error: "no", finishedAt: 5 }])
    expect(await led((port) => port.finish(jobId, "completed", 9, 1, []))).toEqual(new Set())
    expect(await led((port) => port.finish(jobId, "completed", 9, 1, []))).toBeUndefined()
    const left = () => sql("select payload, state from jobs where id = $1", [jobId])
    expect(await left()).toEqual([{ payload: "sealed", state: "completed" }])
    await sql("update jobs set state = 'running', finished_at = null, type = 'send_chat' where id = $1", [jobId])
    await led((port) => port.finish(jobId, "completed", 9, 1, []))
    expect(await left()).toEqual([{ payload: null, state: "completed" }])
  })

  it("take nothing more once they stop, and end all that waits, however many", async () => {
    const { accountId } = await ledJob(0)
    await sql("update jobs set state = 'cancelled', finished_at = 1 where state = 'running'")
    const many = Array.from({ length: 2 * jobRowsMax + 1 }, () => newId("daemon"))
    const job = jobOf(accountId, many)
    await jobs((port) => port.insert(job))
    const [taken] = await led((port) => port.take("node_1", 5))
    const lead = { jobId: job.jobId, fence: taken!.fence }
    await jobs((port) => port.cancel(accountId, job.jobId))
    await led((port) => port.stop(lead, "aborted"))
    expect(await led((port) => port.standing(lead))).toEqual({ state: "running", stop: "cancelled" })
    expect(await led((port) => port.takeTargets(lead, 100, 5))).toEqual([])
    await led((port) => port.endWaiting(job.jobId, "cancelled", 100))
    expect(await counts(job.jobId)).toMatchObject({ waiting: 0, cancelled: many.length })
  })

  it("are refused beyond what an account may keep, in number and in targets", async () => {
    const accountId = await store.account()
    const refused = (job: NewJob) => jobs((port) => Effect.flip(port.insert(job)))
    const limit = planLimits.pro.keptCommands
    const much = Array.from({ length: limit + 1 }, () => "dmn_x")
    expect(await refused(jobOf(accountId, much))).toMatchObject({ _tag: "JobLimitReached", of: "targets", limit })
    await sql(
      `insert into jobs (id, account_id, type, prepared, state, targets, timeout_ms, concurrency, created_at, expires_at,
         finished_at)
       select 'job_' || g || $1, $1, 'screenshot', true, 'completed', 0, 1, 1, 1, 1, 50 from generate_series(1, $2) g`,
      [accountId, jobsKeptMax]
    )
    expect(await refused(jobOf(accountId, []))).toMatchObject({ of: "kept", limit: jobsKeptMax })
    expect(await refused(jobOf("acc_unknown", []))).toMatchObject({ _tag: "NotFound" })
  })

  it(`whose making was cut off are not under way after ${jobMakingMillis / 1_000} s`, async () => {
    const accountId = await store.account()
    for (let at = 0; at < jobsUnderWayMax; at++) await jobs((port) => port.insert(jobOf(accountId, [])))
    await sql("update jobs set prepared = false where account_id = $1", [accountId])
    const next = (after: number) => jobOf(accountId, [], { createdAt: 100 + after })
    const refused = await jobs((port) => Effect.flip(port.insert(next(jobMakingMillis - 1))))
    expect(refused).toMatchObject({ of: "under way", limit: jobsUnderWayMax })
    await jobs((port) => port.insert(next(jobMakingMillis)))
  })

  it("are removed a day after their end, and what was never made whole before", async () => {
    const { accountId, jobId, lead } = await ledJob(1)
    await led((port) => port.endWaiting(jobId, "cancelled", 100))
    await led((port) => port.finish(lead.jobId, "cancelled", 100, 1, []))
    const draft = jobOf(accountId, [])
    await jobs((port) => port.insert(draft))
    await sql("update jobs set prepared = false where id = $1", [draft.jobId])
    const prune = async (now: number) => {
      while (await jobs((port) => port.prune(now)));
      return (await sql("select id from jobs where account_id = $1", [accountId])).map(({ id }) => id).sort()
    }
    expect(await jobs((port) => port.find(accountId, draft.jobId))).toBeUndefined()
    expect(await prune(100)).toEqual([jobId, draft.jobId].sort())
    expect(await prune(jobDraftMillis + 101)).toEqual([jobId])
    expect(await prune(jobKeepMillis + 101)).toEqual([])
    expect(await sql("select 1 from job_targets where job_id = $1", [jobId])).toEqual([])
  })

  it("are another account's for no other, and leave with their account", async () => {
    const { accountId, jobId } = await ledJob(2)
    const stranger = await store.account()
    expect(await jobs((port) => port.find(stranger, jobId))).toBeUndefined()
    await jobs((port) => port.cancel(stranger, jobId))
    expect((await jobs((port) => port.find(accountId, jobId)))?.stop).toBeUndefined()
    while (!(await store.run(removeSome(accountId))));
    expect(await sql("select 1 from jobs where id = $1", [jobId])).toEqual([])
    expect(await store.run(belongings(accountId))).toMatchObject({ daemons: 0 })
  })
})
