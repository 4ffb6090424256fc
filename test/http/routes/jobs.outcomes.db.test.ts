/** What becomes of a job whose commands run and fail, through the API of one hub under virtual time. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import {
  jobKeepMillis,
  jobLookMillis,
  jobNameCharsMax,
  jobRecentMillis,
  jobRetentionMillis
} from "../../../src/limits/jobs.ts"
import { useHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const able = { auth: { capabilities: ["durable_commands", "command_cancel"] }, report: [] }
const scopes = ["ide:read", "ide:control", "terminal:exec"] as const

describe("a job whose commands fail", () => {
  const hub = useHub({ virtual: true })

  const fleet = async (size: number) => {
    const account = await hub.account()
    const key = await account.keyRecord(scopes)
    const ids: Array<string> = []
    const peers: Array<Peer> = []
    for (let at = 0; at < size; at++) {
      const { daemonId, token } = await account.daemonToken()
      ids.push(daemonId)
      peers.push(await connectDaemon(hub, token, able))
    }
    return { account, ...key, ids, peers }
  }
  const start = (key: string, body: object) =>
    hub.request("POST", "/api/v1/jobs", { key, body: { type: "terminal_exec", payload: { command: "x" }, ...body } })
  const get = async (key: string, path: string) => (await hub.request("GET", `/api/v1/jobs/${path}`, { key })).body
  const ended = (key: string, jobId: string) =>
    until("the job ends", async () => {
      await hub.advance(jobLookMillis)
      const job = await get(key, jobId)
      return job.state === "running" ? undefined : job
    })
  const commanded = ({ frames }: Peer, times: number) =>
    until("it is commanded", async () => {
      await hub.advance(jobLookMillis)
      return frames.filter(({ type }) => type === "command").length >= times || undefined
    })
  /** Each daemon answers with its exit code. */
  const answer = async (peers: ReadonlyArray<Peer>, codes: ReadonlyArray<number>, times = 1) => {
    for (const [at, peer] of peers.entries()) {
      await commanded(peer, times)
      const { succeed } = await peer.nextCommand()
      succeed({ exitCode: codes[at], stdout: `\u001b[32m${"o".repeat(600)}\u001b[0m`, stderr: "e".repeat(600) })
    }
  }

  it("has failed targets where the exit code is none that it calls a success, found by it, with what was written", async () => {
    const { key, ids, peers } = await fleet(3)
    const rollout = { successExitCodes: [0, 3] }
    const { jobId } = (await start(key, { daemonIds: ids, rollout })).body
    await answer(peers, [0, 3, 4])
    expect(await ended(key, jobId)).toMatchObject({
      state: "completed",
      counts: { succeeded: 2, failed: 1 },
      rollout: { successExitCodes: [0, 3], steps: [] }
    })
    const [failed] = (await get(key, `${jobId}/targets?state=failed`)).targets
    const output = { head: "o".repeat(500), tail: "e".repeat(500) }
    expect(failed).toMatchObject({ daemonId: ids[2], exitCode: 4, error: "exit code 4", output })
    const nonzero = (await get(key, `${jobId}/targets?exitCode=nonzero`)).targets
    expect(nonzero.map(({ exitCode }: { exitCode: number }) => exitCode).sort()).toEqual([3, 4])
    expect((await get(key, `${jobId}/targets?exitCode=0`)).targets).toHaveLength(1)
    const command = await hub.request("GET", `/api/v1/commands/${failed.commandId}`, { key })
    expect(command.body).toMatchObject({ state: "succeeded", exitCode: 4, output })
    expect((await hub.request("GET", `/api/v1/jobs/${jobId}/targets?exitCode=x`, { key })).status).toBe(400)
  })

  it("is aborted by exit codes, 0 alone being none where it does not say", async () => {
    const { key, ids, peers } = await fleet(3)
    const rollout = { concurrency: 1, abortAfterFailures: 1 }
    const { jobId } = (await start(key, { daemonIds: ids, rollout })).body
    const first = await until("one is commanded", async () => {
      await hub.advance(jobLookMillis)
      return peers.find(({ frames }) => frames.some(({ type }) => type === "command"))
    })
    await answer([first], [1])
    expect(await ended(key, jobId)).toMatchObject({ state: "aborted", counts: { failed: 1, skipped: 2 } })
  })

  it("has all its results in one answer, in pages, and as lines of JSON", async () => {
    const { key, ids, peers } = await fleet(3)
    const { jobId } = (await start(key, { daemonIds: ids })).body
    await answer(peers, [0, 1, 2])
    await ended(key, jobId)
    const whole = await get(key, `${jobId}/results`)
    expect(whole.results.map(({ result }: { result: { exitCode: number } }) => result.exitCode).sort()).toEqual([
      0, 1, 2
    ])
    expect(whole.nextCursor).toBeUndefined()
    const first = await get(key, `${jobId}/results?limit=2`)
    const second = await get(key, `${jobId}/results?limit=2&cursor=${first.nextCursor}`)
    expect([...first.results, ...second.results]).toEqual(whole.results)
    const lines = await fetch(`${hub.url}/api/v1/jobs/${jobId}/results?limit=2&state=failed`, {
      headers: { authorization: `Bearer ${key}`, accept: "application/x-ndjson" }
    })
    expect([lines.headers.get("content-type"), lines.headers.get("link")]).toEqual(["application/x-ndjson", null])
    const read = (await lines.text()).trimEnd().split("\n")
    const failed = whole.results.filter(({ state }: { state: string }) => state === "failed")
    expect(read.map((line) => JSON.parse(line))).toEqual(failed)
  })

  it("is tried again for its failed targets alone, by a job of its own, and that again", async () => {
    const { key, keyId, ids, peers } = await fleet(3)
    const { jobId } = (await start(key, { daemonIds: ids, name: "update" })).body
    const retry = (id: string, body: object = {}) => hub.request("POST", `/api/v1/jobs/${id}/retry`, { key, body })
    expect((await retry(jobId)).body.issues).toMatchObject([{ path: "jobId" }])
    await answer(peers, [0, 1, 1])
    await ended(key, jobId)
    const again = await retry(jobId)
    expect([again.status, again.headers.get("location")]).toEqual([201, `/api/v1/jobs/${again.body.jobId}`])
    const createdBy = { kind: "key", id: keyId }
    expect(again.body).toMatchObject({ targets: 2, retryOf: jobId, name: "update", createdBy })
    await answer(peers.slice(1), [0, 1], 2)
    await ended(key, again.body.jobId)
    const third = await retry(again.body.jobId, { payload: { command: "other" }, rollout: { concurrency: 1 } })
    expect(third.body).toMatchObject({ targets: 1, retryOf: again.body.jobId, rollout: { concurrency: 1 } })
    await commanded(peers[2]!, 3)
    expect((await peers[2]!.nextCommand()).payload).toEqual({ command: "other" })
  })

  it("needs its text again where it was a chat's, which is gone with the end", async () => {
    const { key, ids, peers } = await fleet(1)
    const chat = { type: "send_chat", payload: { message: "hello" } }
    const { jobId } = (await start(key, { daemonIds: ids, ...chat })).body
    await commanded(peers[0]!, 1)
    ;(await peers[0]!.nextCommand()).refuse("no")
    await ended(key, jobId)
    const retry = (body: object) => hub.request("POST", `/api/v1/jobs/${jobId}/retry`, { key, body })
    expect((await retry({})).body.issues).toMatchObject([{ path: "payload" }])
    expect((await retry({ payload: { message: "hello" } })).status).toBe(201)
  })

  it(`keeps what it sends, sealed, for ${jobKeepMillis / 3_600_000} hours after its end, and not longer`, async () => {
    const { key, ids, peers } = await fleet(1)
    const { jobId } = (await start(key, { daemonIds: ids, payload: { command: "a secret word" } })).body
    await answer(peers, [1])
    await ended(key, jobId)
    const age = async (millis: number) => {
      await hub.sql((sql) => sql`update jobs set finished_at = finished_at - ${millis}::bigint where id = ${jobId}`)
      await hub.advance(jobRetentionMillis)
      return hub.sql((sql) => sql<{ payload: string }>`select payload from jobs where id = ${jobId}`)
    }
    const [kept] = await age(jobKeepMillis - 10 * jobRetentionMillis)
    expect(kept!.payload).not.toContain("secret")
    await until("it is gone", async () => (await age(10 * jobRetentionMillis)).length === 0)
    expect((await hub.request("POST", `/api/v1/jobs/${jobId}/retry`, { key, body: {} })).status).toBe(404)
  })

  it("is for all that were connected within 30 days, and says how many were not", async () => {
    const { account, key, ids, peers } = await fleet(2)
    await account.daemonToken()
    await peers[0]!.leave()
    const presence = () =>
      hub.sql(
        (sql) => sql<{ at: number }>`select last_ended_at as at from daemon_presence where daemon_id = ${ids[0]!}`
      )
    await until("its end is stored", async () => (await presence())[0]?.at)
    const at = hub.now() - jobRecentMillis - 1
    await hub.sql((sql) =>
      Effect.andThen(
        sql`update daemons set connected_at = ${at}, last_seen_at = ${at} where id = ${ids[0]!}`,
        sql`update daemon_presence set last_ended_at = ${at} where daemon_id = ${ids[0]!}`
      )
    )
    const { body } = await start(key, { all: true })
    expect(body).toMatchObject({ targets: 1, leftOut: { neverConnected: 1, away: 1 } })
    expect(
      (await get(key, `${body.jobId}/targets`)).targets.map(({ daemonId }: { daemonId: string }) => daemonId)
    ).toContain(ids[1])
  })

  it("is refused where a name, an exit code or a step is none", async () => {
    const { key, ids: daemonIds } = await fleet(1)
    for (const [body, path] of [
      [{ name: "x".repeat(10_000) }, "name"],
      [{ name: "x".repeat(jobNameCharsMax + 1) }, "name"],
      [{ name: "\u001b[31mred" }, "name"],
      [{ rollout: { successExitCodes: [0.5] } }, "rollout.successExitCodes[0]"],
      [{ rollout: { successExitCodes: Array(33).fill(0) } }, "rollout.successExitCodes"],
      [{ rollout: { steps: [{ holdMinutes: 1 }] } }, "rollout.steps[0]"],
      [{ rollout: { steps: [{ count: 1, percent: 1 }] } }, "rollout.steps[0]"],
      [{ rollout: { steps: [{ percent: 101 }] } }, "rollout.steps[0].percent"],
      [{ rollout: { steps: [{ count: 0 }] } }, "rollout.steps[0].count"],
      [{ rollout: { steps: [{ count: 1, holdMinutes: -1 }] } }, "rollout.steps[0].holdMinutes"]
    ] as const) {
      const { status, body: answer } = await start(key, { daemonIds, ...body })
      expect([path, status, answer.issues?.map((issue: { path: string }) => issue.path)]).toEqual([path, 400, [path]])
    }
  })
})
