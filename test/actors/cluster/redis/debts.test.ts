/**
 * Answers of Redis that are lost, nodes that only Redis does not hear, and words of older connections: one owner, told
 * once.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Holding } from "../../../../actors/cluster/redis/holding.ts"
import { makeRecords, type Records } from "../../../../actors/cluster/redis/records.ts"
import { nodeOwedMillisMax, nodeWaitingMax } from "../../../../src/limits/nodes.ts"
import { RedisModel } from "../../../support/redis-model.ts"
import { snapshot } from "../../../support/snapshots.ts"
import { withOneDaemon } from "../../../support/virtual-hub.ts"

const longMillis = 60_000

const redisOf = (now = () => 0) => {
  const model = new RedisModel(now)
  const of = (node: string) =>
    makeRecords({ node, prefix: "p:", call: async (command, args) => model.call("p:", command, args) })
  return { model, of }
}

const at = (epoch: number) => snapshot([], { accountId: "acc", daemonId: "m", epoch, online: true })

describe("an answer of Redis that is lost", () => {
  it("leaves a connect to be told once, when the line stands again", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        hub.nodes[0]!.line.cut(true)
        yield* hub.dial(daemon!, 0)
        yield* hub.pass(3_000)
        expect(daemon!.told).toEqual([])
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected"])
      })
    ))

  it("leaves it to the node that the daemon is on by then", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        hub.nodes[0]!.line.cut(true)
        yield* hub.dial(daemon!, 0)
        yield* hub.dial(daemon!, 1)
        yield* hub.pass(3_000)
        expect(daemon!.told).toEqual([])
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected"])
        expect(hub.owners(daemon!)).toEqual([hub.nodes[1]!.name])
      })
    ))

  it("and whose node is killed then, likewise", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        hub.nodes[0]!.line.cut(true)
        yield* hub.dial(daemon!, 0)
        yield* hub.dial(daemon!, 1)
        yield* hub.stop(0, "killed")
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected"])
      })
    ))

  it("leaves an end to be told once, also when the daemon has come back elsewhere", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        hub.nodes[0]!.line.cut(true)
        hub.hangUp(daemon!, "newest", 1000)
        yield* hub.dial(daemon!, 1)
        yield* hub.pass(3_000)
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected"])
        hub.hangUp(daemon!, "newest", 1000)
        yield* hub.pass(1_000)
        expect(daemon!.told).toEqual(["connected", "disconnected"])
        expect(hub.redis.holder(daemon!.accountId, daemon!.daemonId)).toBeUndefined()
      })
    ))

  it("leaves an end to be told once, also when the daemon has come back to the same node and gone again", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        hub.nodes[0]!.line.cut(true)
        hub.hangUp(daemon!, "newest", 1000)
        yield* hub.dial(daemon!, 0)
        hub.hangUp(daemon!, "newest", 1006)
        yield* hub.pass(20_000)
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected", "disconnected"])
        expect(hub.redis.holder(daemon!.accountId, daemon!.daemonId)).toBeUndefined()
      })
    ))

  it("is the same when the same is asked again, and nobody else is given the word meanwhile", async () => {
    const { of } = redisOf()
    const [one, other] = [of("a"), of("b")]
    await one.settled()
    expect((await one.take("acc", "m", 1)).word).toBe("first")
    expect((await one.assert(at(1))).word).toBe("first")
    expect(await other.take("acc", "m", 2)).toMatchObject({ word: "pending", ower: "a" })
    await one.told(at(1))
    expect((await other.assert(at(2))).word).toBe("moved")
    expect((await other.release(at(2), false)).ours).toBe(true)
    expect((await other.release(at(2), false)).ours).toBe(true)
    expect((await one.take("acc", "m", 3)).word).toBe("pending")
    await other.told(at(2))
    expect((await one.assert(at(3))).word).toBe("first")
  })
})

describe("a word that is owed by a node which does not know it", () => {
  /** One owes it and is heard again at the bound, a little before and wholly: what the other finds each time. */
  const found = async (owe: (one: Records) => Promise<unknown>) => {
    let now = 0
    const { of } = redisOf(() => now)
    const [one, other] = [of("a"), of("b")]
    const ask = async () => (await other.assert(at(2))).word
    await one.settled()
    await owe(one)
    const words = [(await other.take("acc", "m", 2)).word]
    now = nodeOwedMillisMax - 1
    await one.renew("wholly")
    await one.renew("wholly")
    words.push(await ask())
    now = nodeOwedMillisMax
    await one.renew("said")
    words.push(await ask())
    await one.leave()
    words.push(await ask())
    // the first after it had none says nothing yet
    for (let at = 0; at < 2; at++) {
      await one.renew("wholly")
      words.push(await ask())
    }
    return words
  }

  it("is a connect of the node that has the daemon after a minute, once all that the other holds is recorded", async () => {
    const words = await found((one) => one.take("acc", "m", 1))
    expect(words).toEqual([...Array.from({ length: 5 }, () => "pending"), "first"])
  })

  it("is no end any more then: the time online goes on", async () => {
    const owe = async (one: Records) => {
      await one.take("acc", "m", 1)
      await one.told(at(1))
      return one.release(at(1), true)
    }
    expect(await found(owe)).toEqual([...Array.from({ length: 5 }, () => "pending"), "moved"])
  })
})

describe("an end of a daemon that is online nowhere", () => {
  it("is nobody's to tell", async () => {
    const { of } = redisOf()
    const one = of("a")
    await one.settled()
    expect((await one.release(at(1), true)).ours).toBe(false)
  })
})

describe("a daemon whose end was told since Redis lost its memory", () => {
  it("is not recovered, though the database has it online yet, and with a newer number", async () => {
    const { of } = redisOf()
    const [one, other] = [of("a"), of("b")]
    await one.assert(at(1), { was: "here" })
    expect((await one.release(at(1), false)).ours).toBe(true)
    await one.told(at(1))
    expect(await other.recover([at(2)])).toEqual([])
  })
})

describe("an older connection", () => {
  it("lets go of nothing that a newer one has", async () => {
    const { model, of } = redisOf()
    const [one, other] = [of("a"), of("b")]
    await one.settled()
    await one.take("acc", "m", 1)
    await one.told(at(1))
    for (const [epoch, records] of [
      [2, other],
      [3, one]
    ] as const) {
      await records.take("acc", "m", epoch)
      expect((await one.release(at(1), false)).ours).toBe(false)
      expect(model.holder("acc", "m")).toBe(records === one ? "a" : "b")
    }
  })

  it("takes nothing over from a newer one", async () => {
    const { model, of } = redisOf()
    const [one, other] = [of("a"), of("b")]
    await other.take("acc", "m", 2)
    await other.assert(at(2), { was: "here" })
    expect((await one.take("acc", "m", 1)).word).toBe("fenced")
    expect((await one.assert(at(1), { was: "here" })).word).toBe("fenced")
    expect(model.holder("acc", "m")).toBe("b")
  })
})

const idle = (): Holding => {
  const [wire, timers] = [{ away: () => true }, {}] as unknown as ConstructorParameters<typeof Holding>
  return new Holding(wire, timers, {} as never, {} as never)
}

describe("more ends than may wait", () => {
  it("forget the oldest, which is told that it is not to be said", () => {
    const holding = idle()
    const told: Array<readonly [number, boolean]> = []
    for (let epoch = 0; epoch <= nodeWaitingMax; epoch++) {
      holding.release(at(epoch), (ours) => void told.push([epoch, ours]))
    }
    expect(told).toEqual([[0, false]])
  })
})

describe("more arrivals than may wait", () => {
  it("leave the newest unsaid", () => {
    const holding = idle()
    const told: Array<readonly [number, boolean]> = []
    for (let epoch = 0; epoch <= nodeWaitingMax; epoch++) {
      holding.settle(at(epoch), (first) => void told.push([epoch, first]))
    }
    expect(told).toEqual([[nodeWaitingMax, false]])
  })
})
