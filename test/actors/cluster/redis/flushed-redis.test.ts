/**
 * Redis loses all it holds (killed and back empty, or FLUSHALL) while daemons come, move and go: what was told is told
 * once.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Holding } from "../../../../actors/cluster/redis/holding.ts"
import { makeRecords } from "../../../../actors/cluster/redis/records.ts"
import { RedisModel } from "../../../support/redis-model.ts"
import { snapshot } from "../../../support/snapshots.ts"
import { breathe, type VirtualHub, withOneDaemon } from "../../../support/virtual-hub.ts"

const longMillis = 60_000

const isOnline = (hub: VirtualHub): boolean | undefined => hub.world.store.stored.get(hub.daemons[0]!.daemonId)?.online

describe("a Redis that loses its memory", () => {
  it("within a second of a connect whose daemon moves on at once has it told once", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        expect([daemon!.told, isOnline(hub)]).toEqual([["connected"], false])
        hub.redis.flush()
        yield* hub.dial(daemon!, 1)
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected"])
        expect(hub.owners(daemon!)).toEqual([hub.nodes[1]!.name])
      })
    ))

  it("within a second of an end has the daemon that is back at once begin a new time online", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        yield* hub.pass(2_000)
        hub.hangUp(daemon!, "newest", 1000)
        yield* breathe
        expect([daemon!.told, isOnline(hub)]).toEqual([["connected", "disconnected"], true])
        hub.redis.flush()
        yield* hub.dial(daemon!, 1)
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected", "disconnected", "connected"])
      })
    ))

  it("just before an end has that told, once it is known that the daemon is nowhere else", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        yield* hub.pass(2_000)
        hub.redis.flush()
        hub.hangUp(daemon!, "newest", 1000)
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected", "disconnected"])
        expect(hub.redis.holder(daemon!.accountId, daemon!.daemonId)).toBeUndefined()
      })
    ))

  it("just before the end of a connection that has a newer one elsewhere has nothing told", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        yield* hub.dial(daemon!, 0)
        yield* hub.pass(2_000)
        hub.nodes[0]!.line.lose()
        yield* hub.dial(daemon!, 1)
        hub.redis.flush()
        hub.hangUp(daemon!, "oldest", 1000)
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected"])
        expect(hub.owners(daemon!)).toEqual([hub.nodes[1]!.name])
      })
    ))

  for (const back of [true, false]) {
    it(`when a node has not heard that a newer connection came elsewhere and ended${back ? ", and it is back" : ""} has it believe the database`, () =>
      withOneDaemon(2, (hub) =>
        Effect.gen(function* () {
          const [daemon] = hub.daemons
          yield* hub.dial(daemon!, 0)
          yield* hub.pass(2_000)
          hub.nodes[0]!.line.lose()
          yield* hub.dial(daemon!, 1)
          hub.hangUp(daemon!, "newest", 1000)
          yield* breathe
          hub.redis.flush()
          if (back) yield* hub.dial(daemon!, 1)
          yield* hub.pass(longMillis)
          expect(daemon!.told).toEqual(["connected", "disconnected", ...(back ? ["connected"] : [])])
          expect(hub.owners(daemon!)).toEqual(back ? [hub.nodes[1]!.name] : [])
        })
      ))
  }

  it("takes back the word for a connect that was to be told when its connection is welcomed", async () => {
    const model = new RedisModel(() => 0)
    const call = async (command: string, args: ReadonlyArray<string | number>) => model.call("p:", command, args)
    const wire = { node: "a", prefix: "p:", call, tellNode: () => {} }
    const records = makeRecords(wire)
    const timers = { steady: () => 0, after: () => {} }
    const holding = new Holding(wire as never, timers as never, records, {} as never)
    const told: Array<boolean> = []
    const arrive = async (epoch: number) => {
      await holding.take("acc", "m", epoch)
      if (epoch === 2) model.flush()
      await holding.renew()
      holding.settle(snapshot([], { accountId: "acc", daemonId: "m", epoch }), (first) => void told.push(first))
    }
    await holding.renew()
    await records.settled()
    await arrive(1)
    expect(told).toEqual([true])
    await records.release({ accountId: "acc", daemonId: "m", epoch: 1 }, true)
    await records.told({ accountId: "acc", daemonId: "m", epoch: 1 })
    await arrive(2)
    expect(told).toEqual([true])
  })

  it("has nothing told anew of a daemon that came to a node which was cut off, and went on to another", () =>
    withOneDaemon(3, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(3_000)
        yield* hub.dial(daemon!, 0)
        yield* hub.pass(2_000)
        yield* hub.dial(daemon!, 1)
        expect(daemon!.told).toEqual(["connected"])
        hub.redis.flush()
        hub.nodes[0]!.line.mend()
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected"])
        expect(hub.owners(daemon!)).toEqual([hub.nodes[1]!.name])
      })
    ))

  it("has what a node told that has lost Postgres too waited for, until it can say so", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        const [node] = hub.nodes
        yield* hub.dial(daemon!, 0)
        yield* hub.pass(2_000)
        node!.storeless = true
        hub.hangUp(daemon!, "newest", 1000)
        yield* breathe
        hub.redis.flush()
        yield* hub.dial(daemon!, 1)
        yield* hub.pass(longMillis)
        expect([daemon!.told, isOnline(hub)]).toEqual([["connected", "disconnected"], true])
        node!.storeless = false
        yield* hub.pass(5_000)
        expect([daemon!.told, isOnline(hub)]).toEqual([["connected", "disconnected", "connected"], true])
        hub.hangUp(daemon!, "newest", 1000)
        yield* hub.pass(1_000)
        expect(daemon!.told).toEqual(["connected", "disconnected", "connected", "disconnected"])
      })
    ))

  it("while a node is taken for dead has that node begin a new time online of a daemon whose end was told", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        const [node] = hub.nodes
        yield* hub.dial(daemon!, 0)
        yield* hub.pass(2_000)
        node!.line.cut(false)
        node!.storeless = true
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected", "disconnected"])
        hub.redis.flush()
        node!.line.mend()
        // without the database it believes itself no more
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual(["connected", "disconnected", "connected"])
        hub.hangUp(daemon!, "newest", 1000)
        yield* hub.pass(1_000)
        expect(daemon!.told).toEqual(["connected", "disconnected", "connected", "disconnected"])
      })
    ))
})

describe("a daemon whose connect was not told", () => {
  it("is not recorded as online: when its node is killed nothing is told of its end", () =>
    withOneDaemon(2, (hub) =>
      Effect.gen(function* () {
        const [daemon] = hub.daemons
        hub.nodes[0]!.line.cut(false)
        yield* hub.pass(3_000)
        yield* hub.dial(daemon!, 0)
        yield* hub.pass(3_000)
        expect(isOnline(hub)).toBe(false)
        yield* hub.stop(0, "killed")
        hub.redis.flush()
        yield* hub.pass(longMillis)
        expect(daemon!.told).toEqual([])
        yield* hub.dial(daemon!, 1)
        yield* hub.pass(longMillis)
        expect([daemon!.told, isOnline(hub)]).toEqual([["connected"], true])
      })
    ))
})
