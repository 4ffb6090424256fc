/**
 * The model of Redis that tests of several nodes use under virtual time, held to a real one: the same questions, the
 * same answers.
 */
import * as fc from "fast-check"
import { Redis } from "ioredis"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type LeaseWord, makeRecords, type Records } from "../../../../actors/cluster/redis/records.ts"
import { nodeEndedMillis, nodeOwedMillisMax } from "../../../../src/limits/nodes.ts"
import { hasRedis, startRedis, type TestRedis } from "../../../support/redis.ts"
import { RedisModel } from "../../../support/redis-model.ts"
import { snapshot } from "../../../support/snapshots.ts"

const nodes = ["a", "b", "c"] as const
const node = fc.constantFrom(...nodes)
const daemon = fc.constantFrom("m1", "m2", "m3")
const epoch = fc.integer({ min: 1, max: 5 })

const step = fc.oneof(
  fc.record({
    do: fc.constant("take" as const),
    node,
    daemon,
    epoch,
    how: fc.constantFrom("take" as const, "assert" as const),
    was: fc.constantFrom(undefined, "here" as const, "online" as const, "offline" as const),
    gone: fc.option(node, { nil: undefined })
  }),
  fc.record({
    do: fc.constant("release" as const),
    node,
    daemon,
    epoch,
    told: fc.boolean(),
    was: fc.constantFrom(undefined, "online" as const)
  }),
  fc.record({ do: fc.constant("told" as const), node, daemon, epoch }),
  fc.record({ do: fc.constant("held" as const), node }),
  fc.record({ do: fc.constant("publishSnapshots" as const), node, daemon, epoch }),
  fc.record({ do: fc.constant("recover" as const), node, daemon, epoch }),
  fc.record({ do: fc.constant("renew" as const), node, word: fc.constantFrom("partly", "said", "wholly") }),
  fc.record({ do: fc.constant("adopt" as const), node, dead: node }),
  fc.record({ do: fc.constant("leave" as const), node }),
  fc.record({ do: fc.constant("settled" as const), node }),
  fc.record({ do: fc.constant("recovers" as const), node }),
  fc.record({ do: fc.constant("find" as const), node, daemon }),
  fc.record({ do: fc.constant("of" as const), node })
)
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const account = "acc"
const of = (daemonId: string, epoch: number) => snapshot([], { accountId: account, daemonId, epoch, online: true })

const ask = (records: Records, step: Step): Promise<unknown> => {
  switch (step.do) {
    case "take":
      return step.how === "take"
        ? records.take(account, step.daemon, step.epoch)
        : records.assert(of(step.daemon, step.epoch), { was: step.was, gone: step.gone })
    case "release":
      return records.release(of(step.daemon, step.epoch), step.told, step.was)
    case "told":
      return records.told(of(step.daemon, step.epoch))
    case "held":
      return records.held()
    case "publishSnapshots":
      return records.publishSnapshots([of(step.daemon, step.epoch)])
    case "recover":
      return records.recover([of(step.daemon, step.epoch)])
    case "renew":
      return records.renew(step.word)
    case "adopt":
      return step.dead === step.node ? Promise.resolve([]) : records.adopt(step.dead, 10)
    case "leave":
      return records.leave()
    case "settled":
      return records.settled()
    case "recovers":
      return records.recovers()
    case "find":
      return records.find(account, step.daemon)
    case "of":
      return records.of(account)
  }
}

/** Sets have no order. */
const sorted = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return answer.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof answer !== "object" || answer === null) return answer
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, sorted(value)]))
}

describe.runIf(hasRedis)("records that no node of this version wrote", () => {
  it("are passed over: the rest is listed, taken over and let go of", async () => {
    const redis = await startRedis()
    const client = new Redis(redis.url)
    const call = (command: string, args: ReadonlyArray<string | number>) => client.call(command, [...args])
    const [dead, alive] = ["dead", "alive"].map((node) => makeRecords({ node, prefix: "p:", call }))
    await dead!.renew("wholly")
    await dead!.assert(of("m1", 1), { was: "here" })
    const row = (value: string): string => `dead|1|${value}`
    const strange = ["none", "|", row("{"), row("null"), row("7"), row("{}"), row('{"sessions":7}'), "dead|x|{}"]
    for (const [at, value] of strange.entries()) {
      await client.hset(`p:{machines}:account:${account}`, `x${at}`, value)
      await client.sadd("p:{machines}:held:dead", `${account} x${at}`, `nothing${at}`, "")
    }
    expect((await alive!.of(account)).flatMap(({ snapshot }) => snapshot?.daemonId ?? [])).toEqual(["m1"])
    expect(await alive!.find(account, "x0")).toBeUndefined()
    expect((await alive!.find(account, "x2"))?.snapshot).toBeUndefined()
    await dead!.leave()
    const taken = await alive!.adopt("dead", 500)
    expect(taken.flatMap(({ snapshot }) => snapshot?.daemonId ?? [])).toEqual(["m1"])
    expect((await alive!.assert(of("x0", 2), { was: "here" })).before).toBeUndefined()
    expect((await alive!.release(of("m1", 1), false)).ours).toBe(true)
    client.disconnect()
    await redis.close()
  })
})

describe.runIf(hasRedis)("a word that was owed for a minute", () => {
  it("is another's when whoever owes it is heard and has said all it holds", async () => {
    const redis = await startRedis()
    const client = new Redis(redis.url)
    const call = (command: string, args: ReadonlyArray<string | number>) => client.call(command, [...args])
    const [one, other] = ["a", "b"].map((node) => makeRecords({ node, prefix: "p:", call }))
    const ask = async () => (await other!.assert(of("m1", 2))).word
    const heard = async (word: LeaseWord) => {
      await one!.renew(word)
      await client.persist("p:{machines}:lease:a")
    }
    await one!.settled()
    await one!.take(account, "m1", 1)
    await heard("wholly")
    await heard("wholly")
    expect(await ask()).toBe("pending")
    await client.pexpire("p:{machines}:owed:m1", nodeEndedMillis - nodeOwedMillisMax)
    await heard("said")
    expect(await ask()).toBe("pending")
    await heard("wholly")
    expect(await ask()).toBe("first")
    client.disconnect()
    await redis.close()
  })
})

describe.runIf(hasRedis)("the model of Redis", () => {
  let redis: TestRedis
  let client: Redis
  beforeAll(async () => {
    redis = await startRedis()
    client = new Redis(redis.url)
  })
  afterAll(async () => {
    client.disconnect()
    await redis.close()
  })

  it("answers whatever nodes ask as the scripts do", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        await client.call("FLUSHALL")
        const model = new RedisModel(() => 0)
        const real = new Map<string, Records>()
        const modelled = new Map<string, Records>()
        for (const node of nodes) {
          real.set(node, makeRecords({ node, prefix: "p:", call: (command, args) => client.call(command, [...args]) }))
          const call = async (command: string, args: ReadonlyArray<string | number>) => model.call("p:", command, args)
          modelled.set(node, makeRecords({ node, prefix: "p:", call }))
        }
        for (const one of steps) {
          const [answer, expected] = [await ask(modelled.get(one.node)!, one), await ask(real.get(one.node)!, one)]
          expect(sorted(answer), one.do).toEqual(sorted(expected))
        }
      }),
      { numRuns: 60 }
    )
  })
})
