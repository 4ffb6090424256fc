/** Jobs on two nodes: led by one, for daemons of both, seen and cancelled through either, told once. */
import { describe, expect, it } from "vitest"
import { JobLeaders } from "../../../actors/jobs/job-leaders.ts"
import { openEvents } from "../../support/event-stream.ts"
import type { TestHub } from "../../support/hub.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"
import { useReceiver } from "../../support/use-started.ts"

const able = { auth: { capabilities: ["durable_commands", "command_cancel"] }, report: [] }

describe("a job on two nodes", () => {
  const hubs = useTwoHubs()
  const { one, other } = hubs
  const receiver = useReceiver()

  const fleet = async (size: number) => {
    const { account, key } = await one.withKey(["ide:read", "ide:control"])
    const daemons: Array<{ readonly daemonId: string; readonly token: string }> = []
    for (let at = 0; at < size; at++) daemons.push(await account.daemonToken())
    const connect = (hub: TestHub, at: number): Promise<Peer> => connectDaemon(hub, daemons[at]!.token, able)
    const start = async (hub: TestHub, body: object = {}): Promise<string> => {
      const answer = await hub.request("POST", "/api/v1/jobs", {
        key,
        body: { daemonIds: daemons.map(({ daemonId }) => daemonId), type: "screenshot", ...body }
      })
      expect(answer.status).toBe(201)
      return answer.body.jobId
    }
    const get = async (hub: TestHub, jobId: string) => (await hub.request("GET", `/api/v1/jobs/${jobId}`, { key })).body
    const becomes = (jobId: string, state: string) =>
      until(`it is ${state}`, async () => {
        const job = await get(one, jobId)
        return job.state === state ? job : undefined
      })
    return { account, key, connect, start, get, becomes }
  }
  const leadsOf = (jobId: string) =>
    Promise.all([one, other].map(async (hub) => (await hub.inside(JobLeaders)).leads(jobId)))

  it("is led by one, and commands a daemon of the other that comes", async () => {
    const { connect, start, becomes } = await fleet(2)
    const here = await connect(one, 0)
    const jobId = await start(one)
    ;(await here.nextCommand()).succeed()
    expect((await leadsOf(jobId)).filter((leads) => leads)).toHaveLength(1)
    const there = await connect(other, 1)
    ;(await there.nextCommand()).succeed()
    expect((await becomes(jobId, "completed")).counts).toMatchObject({ succeeded: 2 })
  })

  it("is cancelled through the node that does not lead it", async () => {
    const { key, connect, start, get, becomes } = await fleet(2)
    const peer = await connect(other, 0)
    const jobId = await start(one)
    const { id, refuse } = await peer.nextCommand()
    const cancelled = await other.request("POST", `/api/v1/jobs/${jobId}/cancel`, { key })
    expect(cancelled.status).toBe(200)
    expect((await peer.nextFrame("command_cancel")).data).toEqual({ id })
    await until("what waits is cancelled", async () => (await get(other, jobId)).counts.cancelled === 1)
    refuse("ended", "cancelled")
    await becomes(jobId, "cancelled")
  })

  it("is told to streams and webhooks that name its events: of its end once, and never what it sends", async () => {
    const { account, key, connect, start, becomes } = await fleet(2)
    const session = await account.session()
    for (const [path, wish] of [
      ["/jobs", { events: [], additionalEvents: ["job:completed"] }],
      ["/every", { events: ["*"] }]
    ] as const) {
      const body = { url: receiver.url(path), ...wish }
      expect((await one.request("POST", "/api/v1/webhooks", { session, body })).status).toBe(201)
    }
    const named = await openEvents(other, key, "?event=job:progress,job:completed")
    const every = await openEvents(other, key)
    const jobId = await start(one, { type: "send_chat", payload: { message: "a secret word" } })
    const first = await connect(other, 0)
    ;(await first.nextCommand()).succeed()
    await until("its progress is told", () => named.text().includes("job:progress"))
    const second = await connect(one, 1)
    ;(await second.nextCommand()).succeed()
    await becomes(jobId, "completed")
    await until("its end is told", () => named.text().includes("job:completed") && receiver.at("/jobs").length > 0)
    const { payload } = receiver.at("/jobs")[0]!.body as { payload: object }
    expect(payload).toMatchObject({ jobId, type: "send_chat", state: "completed", counts: { succeeded: 2 } })
    await second.leave()
    await until("what comes after is told", () => every.text().includes("daemon:disconnect"))
    expect(named.text().split("event: job:completed\n")).toHaveLength(2)
    expect(receiver.at("/jobs")).toHaveLength(1)
    expect(every.text()).not.toContain(jobId)
    expect(receiver.at("/every").some(({ body }) => body.event === "job:completed")).toBe(false)
    expect(`${named.text()}${JSON.stringify(payload)}`).not.toContain("secret")
    named.close()
    every.close()
  })
})
