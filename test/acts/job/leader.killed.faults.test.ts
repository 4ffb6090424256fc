/** The node that leads a job is killed: another leads on, and each daemon is commanded once. Real processes. */
import { afterEach, expect, it } from "vitest"
import { type DurableDaemon, startDurableDaemon } from "../../support/command-keeping-daemon.ts"
import { onNodes } from "../../support/own-node-processes.ts"
import { until } from "../../support/until.ts"

const daemonsMade = 30
const [doomed, heir] = [0, 1]

onNodes("a node that is killed while it leads a job", { nodes: [{}, {}], when: "each test" }, (hub) => {
  const daemons: Array<DurableDaemon> = []
  afterEach(async () => {
    for (const one of daemons.splice(0)) one.stop()
  })
  const enrol = async (nth: number): Promise<string> => {
    const { daemonId, token } = await hub.nodes[heir]!.operate({ op: "token create", account: "nodes@example.org" })
    let next = nth
    daemons.push(startDurableDaemon(() => hub.nodes[next++ % 2]!.url, String(token)))
    return String(daemonId)
  }
  const commanded = (): number => daemons.filter((one) => one.sent.size > 0).length

  it("is followed by another, under which no daemon is commanded twice and only what no daemon was sent is lost", async () => {
    const daemonIds: Array<string> = []
    for (let nth = 0; nth < daemonsMade; nth++) daemonIds.push(await enrol(nth))
    await until("they are online", () => daemons.every((one) => one.at() !== undefined))
    // so that it has more to do, whenever the node is killed: none of these ends before the kill
    const rollout = { perMinute: 600, concurrency: daemonsMade / 3 }
    const body = { daemonIds, type: "screenshot", timeoutSeconds: 600, rollout }
    const begun = await hub.ask(doomed, "POST", "/api/v1/jobs", { bearer: hub.key, body })
    expect(begun.status).toBe(201)
    const path = `/api/v1/jobs/${begun.body.jobId}`
    const get = async (more = "") => (await hub.ask(heir, "GET", `${path}${more}`, { bearer: hub.key })).body

    await until("a third is commanded", () => commanded() === daemonsMade / 3)
    await hub.nodes[doomed]!.kill()
    for (const one of daemons) one.finish()
    await until("the other node goes on", () => commanded() > daemonsMade / 3)
    const job = await until("the job ends", async () => {
      const now = await get()
      return now.state === "running" ? undefined : now
    })
    const { targets } = (await get("/targets")) as { targets: Array<{ commandId: string; state: string }> }
    const idsOf = (wanted: string): Array<string> =>
      targets.flatMap(({ commandId, state }) => (state === wanted ? [commandId] : [])).sort()
    const sent = daemons.flatMap((one) => [...one.sent])
    expect(sent.filter(([, times]) => times !== 1)).toEqual([])
    expect(idsOf("succeeded")).toEqual(sent.map(([id]) => id).sort())
    // the row of a command is committed before its frame leaves: a node may be killed in between (P105)
    const [succeeded, lost] = [idsOf("succeeded").length, idsOf("lost").length]
    expect(succeeded + lost).toBe(daemonsMade)
    expect(job).toMatchObject({ state: "completed", targets: daemonsMade, counts: { succeeded, lost } })
  })
})
