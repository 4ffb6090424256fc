/** Jobs through the API of one hub under virtual time: many daemons, one command each, one outcome each. */
import { describe, expect, it } from "vitest"
import { newId } from "../../../src/domain/ids.ts"
import { jobLookMillis, jobWaitMillisMax } from "../../../src/limits/jobs.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { connectDaemon, type Peer, type PeerOptions } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const able: PeerOptions = { auth: { capabilities: ["durable_commands", "command_cancel"] }, report: [] }
const scopes = ["ide:read", "ide:control", "terminal:exec"] as const

describe("a job", () => {
  const hub = useHub({ virtual: true })

  interface Fleet {
    readonly account: TestAccount
    readonly key: string
    readonly ids: ReadonlyArray<string>
    readonly connect: (at: number) => Promise<Peer>
  }
  const fleet = async (size: number): Promise<Fleet> => {
    const { account, key } = await hub.withKey(scopes)
    const daemons: Array<{ readonly daemonId: string; readonly token: string }> = []
    for (let at = 0; at < size; at++) daemons.push(await account.daemonToken())
    return {
      account,
      key,
      ids: daemons.map(({ daemonId }) => daemonId),
      connect: (at) => connectDaemon(hub, daemons[at]!.token, able)
    }
  }
  const start = (key: string, body: object) =>
    hub.request("POST", "/api/v1/jobs", { key, body: { type: "screenshot", ...body } })
  const get = async (key: string, jobId: string) => (await hub.request("GET", `/api/v1/jobs/${jobId}`, { key })).body
  const targets = async (key: string, jobId: string, query = "") =>
    (await hub.request("GET", `/api/v1/jobs/${jobId}/targets${query}`, { key })).body.targets
  const passing = <A>(what: string, look: () => Promise<A | undefined | false>): Promise<A> =>
    until(what, async () => {
      await hub.advance(jobLookMillis)
      return (await look()) || undefined
    }) as Promise<A>
  const ended = (key: string, jobId: string) =>
    passing("the job ends", async () => {
      const job = await get(key, jobId)
      return job.state === "running" ? undefined : job
    })

  const commanded = ({ frames }: Peer) =>
    passing("it is commanded", async () => frames.some(({ type }) => type === "command"))

  it("sends its command to each daemon once, and counts what they answered", async () => {
    const { key, ids, connect } = await fleet(3)
    const peers = [await connect(0), await connect(1), await connect(2)]
    const begun = await start(key, { all: true, type: "terminal_exec", payload: { command: "update" } })
    expect(begun.status).toBe(201)
    expect(begun.headers.get("location")).toBe(`/api/v1/jobs/${begun.body.jobId}`)
    expect(begun.body).toMatchObject({ state: "running", targets: 3, counts: { waiting: 3 } })
    const { jobId } = begun.body
    for (const [at, peer] of peers.entries()) {
      const { type, payload, succeed, refuse } = await peer.nextCommand()
      expect([type, payload]).toEqual(["terminal_exec", { command: "update" }])
      if (at === 0) refuse("disk is full", "no_space")
      else succeed({ exitCode: 0, stdout: "done" })
    }
    const job = await ended(key, jobId)
    expect(job).toMatchObject({ state: "completed", stop: null, counts: { succeeded: 2, failed: 1, waiting: 0 } })
    const all = await targets(key, jobId)
    expect(all.map(({ daemonId }: { daemonId: string }) => daemonId)).toEqual([...ids].sort())
    const [failed] = await targets(key, jobId, "?state=failed")
    expect(failed).toMatchObject({ daemonId: ids[0], error: "disk is full" })
    for (const { commandId, daemonId } of all) {
      const { body } = await hub.request("GET", `/api/v1/commands/${commandId}`, { key })
      expect(body).toMatchObject({ daemonId, type: "terminal_exec" })
    }
    for (const peer of peers) expect(peer.frames.filter(({ type }) => type === "command")).toHaveLength(1)
  })

  it("waits for daemons that are offline, and commands one that comes", async () => {
    const { key, ids, connect } = await fleet(2)
    const { jobId } = (await start(key, { daemonIds: ids, expiresAt: hub.now() + 120_000 })).body
    await hub.advance(5_000)
    expect((await get(key, jobId)).counts.waiting).toBe(2)
    const peer = await connect(0)
    await commanded(peer)
    ;(await peer.nextCommand()).succeed()
    await passing("one is done", async () => (await get(key, jobId)).counts.succeeded === 1)
    const [waiting] = await targets(key, jobId, "?state=waiting")
    expect(waiting).toEqual({ daemonId: ids[1], state: "waiting", commandId: null, finishedAt: null })
    expect(await ended(key, jobId)).toMatchObject({ state: "expired", counts: { succeeded: 1, expired: 1 } })
  })

  it("sends nothing more after so many failures, and skips the rest", async () => {
    const { key, ids, connect } = await fleet(3)
    const peers = [await connect(0), await connect(1), await connect(2)]
    const rollout = { concurrency: 1, abortAfterFailures: 1 }
    const { jobId } = (await start(key, { daemonIds: ids, rollout })).body
    const first = await passing("one is commanded", async () =>
      peers.find(({ frames }) => frames.some(({ type }) => type === "command"))
    )
    ;(await first.nextCommand()).refuse("no")
    expect(await ended(key, jobId)).toMatchObject({
      state: "aborted",
      stop: "aborted",
      counts: { failed: 1, skipped: 2 }
    })
    const sent = peers.flatMap(({ frames }) => frames.filter(({ type }) => type === "command"))
    expect(sent).toHaveLength(1)
  })

  it("is cancelled: what waits ends, and what runs is asked to", async () => {
    const { key, ids, connect } = await fleet(2)
    const peer = await connect(0)
    const { jobId } = (await start(key, { daemonIds: ids })).body
    const { id, refuse } = await peer.nextCommand()
    const cancelled = await hub.request("POST", `/api/v1/jobs/${jobId}/cancel`, { key })
    expect([cancelled.status, cancelled.body.stop]).toEqual([200, "cancelled"])
    await passing("the other ends", async () => (await get(key, jobId)).counts.cancelled === 1)
    expect((await peer.nextFrame("command_cancel")).data).toEqual({ id })
    expect((await get(key, jobId)).state).toBe("running")
    refuse("ended", "cancelled")
    expect(await ended(key, jobId)).toMatchObject({ state: "cancelled", counts: { cancelled: 2 } })
    const again = await hub.request("POST", `/api/v1/jobs/${jobId}/cancel`, { key })
    expect(again.body.state).toBe("cancelled")
  })

  it("is cancelled when the key that started it is revoked, which names it; those of other keys go on", async () => {
    const { account, ids } = await fleet(1)
    const session = await account.session()
    const [mine, other] = [await account.keyRecord(scopes), await account.key(scopes)]
    const { jobId } = (await start(mine.key, { daemonIds: ids })).body
    const left = (await start(other, { daemonIds: ids })).body.jobId
    const revoked = await hub.request("DELETE", `/api/v1/api-keys/${mine.keyId}`, { session })
    expect(revoked.body).toEqual({ success: true, id: mine.keyId, cancelledJobs: [jobId] })
    expect(await ended(other, jobId)).toMatchObject({ state: "cancelled", counts: { cancelled: 1 } })
    expect(await get(other, left)).toMatchObject({ state: "running" })
  })

  it("skips a daemon that is removed, and one that is revoked", async () => {
    const { account, key, ids } = await fleet(2)
    const { jobId } = (await start(key, { daemonIds: ids })).body
    const session = await account.session()
    await hub.request("DELETE", `/api/v1/daemons/${ids[0]}`, { session })
    await hub.request("POST", `/api/v1/daemons/${ids[1]}/revoke`, { session })
    expect(await ended(key, jobId)).toMatchObject({ state: "completed", counts: { skipped: 2 } })
    expect((await start(key, { all: true })).body).toMatchObject({ targets: 0 })
  })

  it("goes on under a hub that started anew, and keeps no payload once it has ended", async () => {
    const { key, ids, connect } = await fleet(2)
    const peer = await connect(0)
    const { jobId } = (await start(key, { daemonIds: ids })).body
    await passing("one runs", async () => (await get(key, jobId)).counts.running === 1)
    ;(await peer.nextCommand()).succeed()
    await passing("one is done", async () => (await get(key, jobId)).counts.succeeded === 1)
    await hub.restart()
    const other = await connect(1)
    await commanded(other)
    ;(await other.nextCommand()).succeed()
    expect(await ended(key, jobId)).toMatchObject({ state: "completed", counts: { succeeded: 2 } })
  })

  it("is hidden from who may not send its command", async () => {
    const { account, key, ids } = await fleet(1)
    const terminal = { daemonIds: ids, type: "terminal_exec", payload: { command: "x" } }
    const { jobId } = (await start(key, terminal)).body
    const narrow = await account.key(["ide:control"])
    expect((await hub.request("GET", `/api/v1/jobs/${jobId}`, { key: narrow })).status).toBe(403)
    expect((await hub.request("GET", "/api/v1/jobs", { key: narrow })).body.jobs).toEqual([])
    expect((await start(narrow, terminal)).status).toBe(403)
    await hub.request("POST", `/api/v1/jobs/${jobId}/cancel`, { key })
  })

  it("is not for a key that is bound to some daemons, whether there is such a job or not", async () => {
    const { account, key, ids } = await fleet(1)
    const { jobId } = (await start(key, { daemonIds: ids })).body
    const session = await account.session()
    const body = { name: "bound", scopes: ["ide:control"], selector: "env=prod" }
    const bound = (await hub.request("POST", "/api/v1/api-keys", { session, body })).body.key
    const calls = [
      `POST /api/v1/jobs/${jobId}/cancel`,
      "GET /api/v1/jobs",
      `GET /api/v1/jobs/${jobId}`,
      `GET /api/v1/jobs/${jobId}/targets`,
      `GET /api/v1/jobs/${jobId}/results`,
      `POST /api/v1/jobs/${jobId}/retry`,
      `GET /api/v1/jobs/${newId("job")}`
    ]
    for (const call of calls) {
      const [method, path] = call.split(" ") as [string, string]
      expect((await hub.request(method, path, { key: bound })).status, call).toBe(403)
    }
    expect((await start(bound, { all: true })).status).toBe(403)
  })

  it("has the daemons for its targets that a selector means, and is in the audit log", async () => {
    const { account, key, ids } = await fleet(3)
    const session = await account.session()
    for (const [at, tags] of [{ env: "prod" }, { env: "prod", spot: "" }, { env: "test" }].entries())
      await hub.request("PUT", `/api/v1/daemons/${ids[at]}/tags`, { session, body: { tags } })
    const { body: job } = await start(key, { selector: "env=prod,!spot" })
    expect((await targets(key, job.jobId)).map(({ daemonId }: { daemonId: string }) => daemonId)).toEqual([ids[0]])
    const none = await start(key, { selector: "env=nowhere" })
    expect([none.status, none.body.issues[0].path]).toEqual([400, "selector"])
    await hub.request("POST", `/api/v1/jobs/${job.jobId}/cancel`, { key })
    const { events } = (await hub.request("GET", `/api/v1/audit?object=${job.jobId}`, { session })).body
    const told = events.map(({ action, detail }: Record<string, string>) => `${action} ${detail}`)
    expect(told.sort()).toEqual(["job.cancelled null", "job.started screenshot 1 env=prod,!spot"])
  })

  it("is refused where it asks for too much, or for nothing that a job is", async () => {
    const { key, ids: daemonIds } = await fleet(1)
    const late = hub.now() + jobWaitMillisMax + 60_000
    for (const [body, path] of [
      [{}, "daemonIds"],
      [{ daemonIds, all: true }, "daemonIds"],
      [{ daemonIds, selector: "env=prod" }, "daemonIds"],
      [{ selector: "Env=prod" }, "selector"],
      [{ daemonIds: [] }, "daemonIds"],
      [{ daemonIds, type: "read_chat" }, "type"],
      [{ daemonIds, type: "terminal_exec" }, "payload.command"],
      [{ daemonIds, payload: { targetSessionId: "s1" } }, "payload.targetSessionId"],
      [{ daemonIds, expiresAt: hub.now() - 1 }, "expiresAt"],
      [{ daemonIds, expiresAt: late }, "expiresAt"],
      [{ daemonIds, timeoutSeconds: 0 }, "timeoutSeconds"],
      [{ daemonIds, rollout: { perMinute: 0 } }, "rollout.perMinute"],
      [{ daemonIds, rollout: { concurrency: 1_000_000 } }, "rollout.concurrency"],
      [{ daemonIds, rollout: { abortAfterFailures: 0.5 } }, "rollout.abortAfterFailures"]
    ] as const) {
      const { status, body: answer } = await start(key, body)
      expect([path, status, answer.issues.map((issue: { path: string }) => issue.path)]).toEqual([path, 400, [path]])
    }
  })
})
