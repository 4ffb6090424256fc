/**
 * Nodes that are killed in mid-command: its end is true or `lost`, never pending for ever. Real processes. Larger:
 * HUB_TEST_COMMANDS, and HUB_TEST_RESTARTS, over which they wait.
 */
import { beforeEach, expect, it } from "vitest"
import { type DurableDaemon, startDurableDaemon } from "../../support/command-keeping-daemon.ts"
import { onNodes } from "../../support/own-node-processes.ts"
import { atNight, sizeOf } from "../../support/run-sizes.ts"
import { connectDaemon, type Peer } from "../../support/scripted-daemon.ts"
import { until } from "../../support/until.ts"

const commands = sizeOf("COMMANDS", atNight ? 2_000 : 100)
const restarts = sizeOf("RESTARTS", atNight ? 2 : 1)
const capabilities = ["durable_commands", "command_cancel"]

onNodes("a node that is killed in mid-command", { nodes: [{}, {}] }, (hub) => {
  const [doomed, heir] = [0, 1]
  // each has both, whatever the one before has killed
  beforeEach(async () => {
    for (const node of hub.nodes) if (!node.runs()) await node.start()
  })

  const enrolled = async () => {
    const { daemonId, token } = await hub.nodes[heir]!.operate({ op: "token create", account: "nodes@example.org" })
    const connect = (node: number, auth: object): Promise<Peer> =>
      connectDaemon(hub.nodes[node]!, String(token), { auth: { ...auth }, report: [] })
    return { daemonId: String(daemonId), connect }
  }
  const start = async (node: number, daemonId: string, timeoutSeconds = 600): Promise<string> => {
    const answer = await hub.ask(node, "POST", `/api/v1/daemons/${daemonId}/command`, {
      bearer: hub.key,
      body: { type: "screenshot", timeoutSeconds },
      headers: { prefer: "respond-async" }
    })
    expect(answer.status).toBe(202)
    return answer.body.commandId
  }
  const read = async (node: number, id: string) =>
    (await hub.ask(node, "GET", `/api/v1/commands/${id}`, { bearer: hub.key })).body
  const becomes = (node: number, id: string, state: string) =>
    until(`it is ${state}`, async () => (await read(node, id)).state === state)

  it("has its durable commands ended by their true results elsewhere, each sent once", async () => {
    const { daemonId, connect } = await enrolled()
    const before = await connect(doomed, { capabilities })
    const [runs, ran, forgotten] = [
      await start(heir, daemonId),
      await start(doomed, daemonId),
      await start(doomed, daemonId)
    ]
    for (const _ of [runs, ran, forgotten]) await before.nextCommand()
    // whether this was committed before the kill, nobody knows
    before.send("command_result", { id: ran, success: true, result: "ran" })
    await hub.nodes[doomed]!.kill()
    await before.closed
    expect((await read(heir, runs)).state).toBe("pending")
    const after = await connect(heir, { capabilities, commands: [runs, ran] })
    for (const [id, result] of [
      [ran, "ran"],
      [runs, "runs"]
    ]) {
      after.send("command_result", { id, success: true, result })
      expect((await after.nextFrame("result_ack")).data.ids).toEqual([id])
      expect(await read(heir, id!)).toMatchObject({ state: "succeeded", result })
    }
    await becomes(heir, forgotten, "lost")
    expect(after.frames.filter(({ type }) => type === "command")).toEqual([])
  })

  it("leaves none pending whose daemon keeps none, or never comes back", async () => {
    const [plain, gone] = [await enrolled(), await enrolled()]
    const peers = [await plain.connect(doomed, {}), await gone.connect(doomed, { capabilities })]
    const [ofPlain, ofGone] = [await start(heir, plain.daemonId), await start(heir, gone.daemonId, 1)]
    for (const peer of peers) await peer.nextCommand()
    await hub.nodes[doomed]!.kill()
    await hub.nodes[heir]!.kill()
    await hub.nodes[heir]!.start()
    await plain.connect(heir, {})
    await becomes(heir, ofPlain, "lost")
    await becomes(heir, ofGone, "timed_out")
  })

  it(`loses none of ${commands} through restarts (${restarts}) and a kill, and sends none twice`, async () => {
    const daemons: Array<DurableDaemon & { readonly daemonId: string }> = []
    // one after the other: a hub takes so many administrators at once and closes on the next
    for (let nth = 0; nth < 20; nth++) {
      const { daemonId, token } = await hub.nodes[0]!.operate({ op: "token create", account: "nodes@example.org" })
      let next = nth
      const daemon = startDurableDaemon(() => hub.nodes[next++ % 2]!.url, String(token))
      daemons.push({ ...daemon, daemonId: String(daemonId) })
    }
    await until("they are online", () => daemons.every((one) => one.at() !== undefined))
    const ids: Array<string> = []
    for (let nth = 0; ids.length < commands; nth++)
      ids.push(...(await Promise.all(daemons.map(({ daemonId }) => start(nth % 2, daemonId, 3_600)))))
    for (let restart = 0; restart < restarts; restart++) {
      // the last to restart is not the one that is killed
      const node = (restarts - restart) % 2
      await hub.nodes[node]!.stop()
      await until("all are on the other", () => daemons.every((one) => one.at() === hub.nodes[1 - node]!.url))
      await hub.nodes[node]!.start()
    }
    for (const one of daemons) one.finish()
    await hub.nodes[0]!.kill()
    await until("every result is acknowledged", () => daemons.every((one) => one.unacknowledged() === 0))
    const states = await Promise.all(ids.map(async (id) => (await read(1, id)).state))
    expect(states.filter((state) => state !== "succeeded")).toEqual([])
    const sent = daemons.flatMap((one) => [...one.sent])
    expect(sent.map(([id]) => id).sort()).toEqual([...ids].sort())
    expect(sent.filter(([, times]) => times !== 1)).toEqual([])
    for (const one of daemons) one.stop()
  })
})
