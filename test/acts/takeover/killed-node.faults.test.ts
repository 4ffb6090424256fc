/** A node that is killed, as callers, daemons and webhooks of the others meet it. Real processes. */
import { expect, it } from "vitest"
import type { NodesDaemon } from "../../support/node-processes.ts"
import { onNodes } from "../../support/own-node-processes.ts"
import { until } from "../../support/until.ts"

onNodes("a node that is killed", { nodes: [{}, {}, {}] }, (hub) => {
  const [doomed, heir, other] = [0, 1, 2]

  it("loses no daemon that comes back, tells of one that does not once, and leaves its deliveries to the others", async () => {
    const back: ReadonlyArray<NodesDaemon> = await Promise.all([0, 1, 2].map(() => hub.daemon(doomed)))
    const gone = await hub.daemon(doomed)
    const elsewhere = await hub.daemon(heir)
    const all = [...back, gone, elsewhere]
    for (const one of all) await until("it came", () => hub.told(one).includes("connect"))
    hub.receiver.react("/held", "hang")
    await hub.webhook("/held")
    const sessions = Array.from({ length: 12 }, (_, at) => `s${at}`)
    for (const [at, session] of sessions.entries()) back[at % 3]!.send({ id: session, session })
    await until("every event is acknowledged", () => back.every((one) => one.waiting() === 0))
    await until("some are under way", () => hub.receiver.open("/held") > 0)
    await until("another node commands it", async () => (await hub.command(other, gone)) === 200)

    await hub.nodes[doomed]!.kill()
    gone.stop()
    hub.receiver.react("/held", 200)
    for (const one of back) await until("it is commanded again", async () => (await hub.command(other, one)) === 200)
    // that a daemon is gone may be among them by now
    const held = () => hub.receiver.at("/held").filter(({ body }) => body.payload.targetSessionId !== undefined)
    const arrived = () => new Set(held().map(({ body }) => body.payload.targetSessionId))
    await until("every delivery has arrived", () => sessions.every((session) => arrived().has(session)))
    expect(new Set(held().map(({ headers }) => headers["x-service-delivery"])).size).toBe(sessions.length)

    await until("the one that stays away is told of", () => hub.told(gone).includes("disconnect"))
    await until("it is offline for all", async () => (await hub.command(other, gone)) === 500)
    for (const one of [...back, elsewhere]) {
      one.leave()
      await until("it left", () => hub.told(one).includes("disconnect"))
    }
    for (const one of [gone, elsewhere]) expect(hub.told(one)).toEqual(["connect", "disconnect"])
    // on a crowded machine one may come back after its grace, and is told of in between
    for (const one of back) expect(hub.told(one).join(" ")).toMatch(/^connect disconnect(?: connect disconnect)?$/u)
    // each command once
    for (const one of all) expect(new Set(one.commands()).size).toBe(one.commands().length)
  })
})
