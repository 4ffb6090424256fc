/** The stream of a session whose daemon is on another node than the reader. */
import { describe, expect, it } from "vitest"
import { loggedDaemon, readStream } from "../../support/logged-session.ts"
import { useTwoHubs } from "../../support/two-hubs.ts"
import { until } from "../../support/until.ts"

const plans = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `plan ${from + at}`)

describe("a session read through another node", () => {
  const hubs = useTwoHubs()
  const { one, other } = hubs

  it("is streamed in order, resumed, and left", async () => {
    const { logs, path, key, peer } = await loggedDaemon(one)
    for (let n = 0; n < 300; n++) logs.happen("s1", "plan")
    const reader = await readStream(other, path("/stream?after=0"), key)
    const both = await readStream(one, path("/stream"), key)
    await until("what was before arrives", () => reader.events().length === 300)
    for (let n = 0; n < 200; n++) logs.happen("s1", "plan", { text: "é".repeat(n) })
    await until("all arrive", () => reader.events().length === 500 && both.events().length === 200)
    expect(reader.words()).toEqual(plans(1, 500))
    expect((await other.request("GET", path("?limit=2"), { key })).body.events).toHaveLength(2)
    reader.close()
    const again = await readStream(other, path("/stream"), key, { "last-event-id": reader.events()[450]!.id! })
    await until("the rest arrives", () => again.events().length === 49)
    both.close()
    again.close()
    await until("the daemon is asked no more", () => logs.subscribed("s1") === undefined)
    await peer().leave()
  })

  it("goes on when the daemon comes to the reader's node, and when that node's neighbour takes it back", async () => {
    const { logs, path, key, peer, reconnect } = await loggedDaemon(one)
    const reader = await readStream(other, path("/stream?after=0"), key)
    let seen = 0
    for (const at of [other, one, other]) {
      logs.happen("s1", "plan")
      await until("it arrives", () => reader.events().length === seen + 1)
      await peer().cut()
      logs.happen("s1", "plan", {}, false)
      await reconnect({}, at)
      seen += 2
      await until("what was missed arrives", () => reader.events().length === seen)
    }
    expect(reader.words()).toEqual(plans(1, 6))
    reader.close()
    await peer().leave()
  })

  it("answers 409 and 404 as on the daemon's own node", async () => {
    const plain = await loggedDaemon(one, [])
    const { key, path } = plain
    const stream = (rest: string, id?: string) => other.request("GET", path(rest, id), { key })
    expect([(await stream("")).status, (await stream("/stream")).status]).toEqual([409, 409])
    expect((await stream("/stream", "s2")).status).toBe(404)
    await plain.peer().leave()
  })
})
