/** The bounds of jobs at a whole hub: what a caller sees there, and that the hub goes on as before. */
import { beforeAll, describe, expect, it } from "vitest"
import { JobLeaders } from "../../../actors/jobs/job-leaders.ts"
import {
  jobLookMillis,
  jobNamedMax,
  jobRenewMillis,
  jobsGivenUpMax,
  jobsLedMax,
  jobsUnderWayMax,
  jobTargetsMax
} from "../../../src/limits/jobs.ts"
import { databaseKind } from "../../support/database.ts"
import { startHub, type TestAccount, type TestHub, useHub } from "../../support/hub.ts"
import { idOfRow, insertMany } from "../../support/many-rows.ts"
import { connectDaemon } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"
import { useStarted } from "../../support/use-started.ts"

const able = { auth: { capabilities: ["durable_commands", "command_cancel"] }, report: [] }
const startOf = (hub: TestHub) => (key: string, body: object) =>
  hub.request("POST", "/api/v1/jobs", { key, body: { type: "screenshot", ...body } })

describe("as many jobs as a node leads", () => {
  const hub = useStarted(() => startHub({ virtual: true }), "test")

  interface Begun {
    readonly key: string
    readonly jobId: string
    readonly token: string
  }
  /** Jobs of one account, each for the same daemon, which is offline. */
  const begin = async (count: number): Promise<ReadonlyArray<Begun>> => {
    const { account, key } = await hub.withKey(["ide:read", "ide:control"])
    const { daemonId, token } = await account.daemonToken()
    const begun: Array<Begun> = []
    for (let nth = 0; nth < count; nth++) {
      const { status, body } = await startOf(hub)(key, { daemonIds: [daemonId] })
      expect(status).toBe(201)
      begun.push({ key, jobId: body.jobId, token })
    }
    return begun
  }
  const beginMany = async (count: number): Promise<ReadonlyArray<Begun>> => {
    const begun: Array<Begun> = []
    while (begun.length < count) begun.push(...(await begin(Math.min(jobsUnderWayMax, count - begun.length))))
    return begun
  }
  /** At once, unless the machine stood still until leases ran out, of which only the database's clock knows. */
  const allAreLed = async (begun: ReadonlyArray<Begun>) => {
    const { leads } = await hub.inside(JobLeaders)
    await until("all are led", async () => {
      if (begun.every(({ jobId }) => leads(jobId))) return true
      await hub.advance(jobRenewMillis)
      return false
    })
  }
  const get = async ({ key, jobId }: Begun) => (await hub.request("GET", `/api/v1/jobs/${jobId}`, { key })).body

  it(`are ${jobsLedMax}: one more is taken in and waits, and is led once another has ended`, async () => {
    const led = await beginMany(jobsLedMax)
    const leads = await hub.inside(JobLeaders)
    await allAreLed(led)
    const [beyond] = (await begin(1)) as [Begun]
    const peer = await connectDaemon(hub, beyond.token, able)
    await hub.advance(3 * jobRenewMillis)
    expect(leads.leads(beyond.jobId)).toBe(false)
    expect(await get(beyond)).toMatchObject({ state: "running", stop: null, counts: { waiting: 1 } })
    expect(peer.frames.filter(({ type }) => type === "command")).toEqual([])

    const [first] = led as [Begun]
    await hub.request("POST", `/api/v1/jobs/${first.jobId}/cancel`, { key: first.key })
    await until("it is led and sends", async () => {
      await hub.advance(jobLookMillis)
      return peer.frames.some(({ type }) => type === "command")
    })
    ;(await peer.nextCommand()).succeed()
    const ended = await until("it ends", async () => {
      await hub.advance(jobLookMillis)
      const job = await get(beyond)
      return job.state === "running" ? undefined : job
    })
    expect(ended).toMatchObject({ state: "completed", counts: { succeeded: 1 } })
    expect(await get(first)).toMatchObject({ state: "cancelled" })
  })

  it("have their turn beside them all the same, however long these wait, and so have these again", async () => {
    const first = await beginMany(jobsLedMax)
    await allAreLed(first)
    const [late] = (await begin(1)) as [Begun]
    const { leads } = await hub.inside(JobLeaders)
    const becomesTrue = (what: string, look: () => boolean) =>
      until(what, async () => {
        await hub.advance(jobRenewMillis)
        return look()
      })
    expect([first.every(({ jobId }) => leads(jobId)), leads(late.jobId)]).toEqual([true, false])
    await becomesTrue("it is led", () => leads(late.jobId))
    const without = first.filter(({ jobId }) => !leads(jobId))
    expect(without.length).toBeGreaterThan(0)
    expect(without.length).toBeLessThanOrEqual(jobsGivenUpMax)
    await becomesTrue("one that was given up is led again", () => without.some(({ jobId }) => leads(jobId)))
  })
})

describe("as many daemons as a job may have", () => {
  const hub = useHub()
  let account: TestAccount
  let key: string
  let ids: ReadonlyArray<string>
  beforeAll(async () => {
    account = await hub.account({ plan: "enterprise" })
    key = await account.key(["ide:read", "ide:control"])
    await daemons(jobNamedMax + 1, idOfRow("dmn"))
    ids = (await sql<{ id: string }>("select id from daemons order by id")).map(({ id }) => id)
  })

  const daemons = (count: number, id: string) =>
    hub.inside(
      insertMany(
        count,
        `insert into daemons (id, account_id, hostname, revoked, created_at, connected_at)
         select ${id}, '${account.accountId}', 'h' || n, false, 0, ${Date.now()}`
      )
    )
  const sql = <A extends object>(text: string) => hub.sql((client) => client.unsafe<A>(text))
  const refusal = async (body: object) => {
    const answer = await startOf(hub)(key, body)
    return [answer.status, answer.body.reason, answer.body.issues]
  }
  const kept = async () => (await hub.request("GET", "/api/v1/jobs", { key })).body.jobs.length
  /** Ends at once: nothing was sent. */
  const cancelled = async (jobId: string) => {
    await hub.request("POST", `/api/v1/jobs/${jobId}/cancel`, { key })
    return until("it ends", async () => {
      const { body } = await hub.request("GET", `/api/v1/jobs/${jobId}`, { key })
      return body.state === "running" ? undefined : body
    })
  }

  it(`are ${jobNamedMax} that a call names: one more is refused, and makes nothing`, async () => {
    const message = `Expected from 1 to ${jobNamedMax} daemons`
    const issues = [{ path: "daemonIds", message }]
    const daemonIds = ids.slice(0, jobNamedMax + 1)
    expect(await refusal({ daemonIds })).toEqual([400, "VALIDATION_FAILED", issues])
    expect(await kept()).toBe(0)
    const begun = await startOf(hub)(key, { daemonIds: daemonIds.slice(1) })
    expect([begun.status, begun.body.targets]).toEqual([201, jobNamedMax])
    expect(await cancelled(begun.body.jobId)).toMatchObject({ state: "cancelled", counts: { cancelled: jobNamedMax } })
  })

  // on one database only: the embedded one takes most of a minute for so many rows
  it.runIf(databaseKind === "postgres")(
    `are ${jobTargetsMax} however they are meant: one more is refused`,
    async () => {
      await daemons(jobTargetsMax - jobNamedMax, "'dmn_' || left(md5('more' || n), 20)")
      const before = await kept()
      const message = `More than ${jobTargetsMax} daemons`
      expect(await refusal({ all: true })).toEqual([400, "VALIDATION_FAILED", [{ path: "all", message }]])
      const path = "selector"
      expect(await refusal({ selector: "!spot" })).toEqual([400, "VALIDATION_FAILED", [{ path, message }]])
      expect(await kept()).toBe(before)
      await sql(`delete from daemons where id = '${ids[0]}'`)
      const begun = await startOf(hub)(key, { all: true })
      expect([begun.status, begun.body.targets]).toEqual([201, jobTargetsMax])
      const ended = await cancelled(begun.body.jobId)
      expect(ended).toMatchObject({ state: "cancelled", counts: { cancelled: jobTargetsMax } })
    }
  )
})
