/** Rate limits, and the limits on sign-in attempts, of nodes that share a Redis. */
import { Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import { LoginLimits } from "../../../actors/limits/login-limits.ts"
import { type Decision, RateLimits } from "../../../actors/limits/rate-limits.ts"
import { makeSharedWindows } from "../../../actors/limits/shared-windows.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { RedisTransport } from "../../../src/bus/redis-transport.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { AuthInvalid } from "../../../src/errors.ts"
import { attemptCallsMax, attemptFailuresMax } from "../../../src/limits.ts"
import { layerLog } from "../../../src/runtime/log.ts"
import { toEffect } from "../../../src/runtime/maybe-sync.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { fc, forAllAsync } from "../../support/properties.ts"
import { hasRedis } from "../../support/redis-server.ts"
import { until } from "../../support/until.ts"
import { useRedis } from "../../support/use-started.ts"

/** A crowded machine must not take the nodes apart. */
const patienceMillis = 15_000

describe.runIf(hasRedis)("rate limits over nodes", () => {
  const redis = useRedis()
  let keys = 0
  const ends: Array<() => Promise<void>> = []
  // a test that failed may have left it away
  beforeEach(() => redis.start())
  afterAll(async () => {
    for (const end of ends) await end()
  })

  const node = async () => {
    const settings = {
      ...defaultSettings,
      secretKey: new Uint8Array(32),
      rateKeyPerMinute: 10,
      logLevel: "none"
    } as const
    const layer = Layer.merge(RateLimits.layer, LoginLimits.layer).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          Layer.provide(Supervisor.layer, Timers.layer),
          Config.layer(settings),
          Layer.provide(RedisTransport.layer(redis.url, settings.secretKey, patienceMillis), NodeId.layer())
        )
      ),
      Layer.provideMerge(layerLog(settings, true))
    )
    const runtime = ManagedRuntime.make(layer)
    ends.push(() => runtime.dispose())
    const wire = await runtime.runPromise(RedisTransport)
    const limits = await runtime.runPromise(RateLimits)
    const attempts = await runtime.runPromise(LoginLimits)
    await until("the node has joined", () => !wire.away())
    const run = (effect: Effect.Effect<Decision>): Promise<Decision> => runtime.runPromise(effect)
    let gaps = 0
    const counting = Effect.andThen(
      wire.gaps(() => gaps++),
      Effect.never
    )
    ends.unshift(() => Effect.runPromise(Fiber.interrupt(listening)))
    const listening = Effect.runFork(Effect.scoped(counting))
    return {
      wire,
      gaps: () => gaps,
      /** Whether a call to an auth endpoint is taken. */
      call: async (address: string): Promise<boolean> => {
        const spent = attempts.call(address)
        return (Effect.isEffect(spent) ? await runtime.runPromise(spent) : spent) === undefined
      },
      /** How a try with a wrong password ends. */
      fail: (address: string, account: string): Promise<string> =>
        runtime.runPromise(
          attempts.attempt(address, account, Effect.fail(new AuthInvalid())).pipe(
            Effect.flip,
            Effect.map(({ _tag }) => _tag)
          )
        ),
      take: (key: string) => run(toEffect(limits.key(key))),
      look: (key: string) => run(toEffect(limits.seenKey(key)))
    }
  }

  /**
   * A machine that stalls takes the nodes apart, and then they rightly count alone: tried with fresh keys until none
   * was.
   */
  const undisturbed = async (
    nodes: ReadonlyArray<{ readonly gaps: () => number }>,
    attempt: (key: string) => Promise<boolean>
  ): Promise<string> => {
    const gaps = () => nodes.reduce((sum, one) => sum + one.gaps(), 0)
    for (;;) {
      const before = gaps()
      const key = `fresh ${keys++}`
      const held = await attempt(key)
      if (gaps() !== before) continue
      expect(held).toBe(true)
      return key
    }
  }

  it("admit the limit over all nodes together, whoever is asked at once", async () => {
    const nodes = [await node(), await node(), await node()]
    await undisturbed(nodes, async (key) => {
      const asked = await Promise.all(Array.from({ length: 30 }, (_, at) => nodes[at % 3]!.take(key)))
      const refused = asked.filter(({ admitted }) => !admitted)
      expect(refused.every(({ policy, limit, retryAfter }) => policy === "key" && limit === 10 && retryAfter > 0)).toBe(
        true
      )
      return refused.length === 20
    })
    expect(await nodes[1]!.take(`fresh ${keys++}`)).toMatchObject({ admitted: true, remaining: 9 })
  })

  it("are exact however takes and looks of nodes mix", async () => {
    const nodes = [await node(), await node(), await node()]
    const ask = fc.record({ node: fc.nat({ max: 2 }), key: fc.nat({ max: 2 }), take: fc.boolean() })
    await forAllAsync(25, fc.array(fc.array(ask, { maxLength: 25 }), { maxLength: 4 }), async (ticks) => {
      await undisturbed(nodes, async (fresh) => {
        const admitted = [0, 0, 0]
        const takes = [0, 0, 0]
        for (const tick of ticks) {
          const asked = tick.map(async ({ node, key, take }) => {
            const { take: taking, look } = nodes[node]!
            if (!take) return look(`${fresh} ${key}`)
            takes[key]!++
            const decision = await taking(`${fresh} ${key}`)
            if (decision.admitted) admitted[key]!++
            return decision
          })
          await Promise.all(asked)
        }
        return takes.every((count, key) => admitted[key] === Math.min(count, 10))
      })
    })
  })

  it("on calls to the auth endpoints and on failures of one account hold over all nodes together", async () => {
    const nodes = [await node(), await node()]
    await undisturbed(nodes, async (address) => {
      const calls = await Promise.all(
        Array.from({ length: attemptCallsMax + 20 }, (_, at) => nodes[at % 2]!.call(address))
      )
      return calls.filter((taken) => taken).length === attemptCallsMax
    })
    await undisturbed(nodes, async (address) => {
      const ends: Array<string> = []
      for (let at = 0; at < attemptFailuresMax + 4; at++) ends.push(await nodes[at % 2]!.fail(address, "someone"))
      return ends.indexOf("RateLimited") === attemptFailuresMax
    })
  })

  it("free each place when its own admission leaves the window", async () => {
    const { wire } = await node()
    const windows = makeSharedWindows(wire, 300)
    let at = 0
    const clock = () => {
      at += 1_000
      return at
    }
    const take = () =>
      new Promise<boolean | undefined>((resolve) =>
        // each ask says it is later than all before, so that none is answered from memory
        windows.ask("short", 3, true, clock(), (turn) => resolve(turn?.admitted))
      )
    for (let at = 0; at < 3; at++) await take()
    await until("a place frees", take)
  })

  it("hold on each node alone while Redis is away, with what the node admitted before", async () => {
    const [one, other] = [await node(), await node()]
    const key = `fresh ${keys++}`
    for (let at = 0; at < 4; at++) await one.take(key)
    await redis.kill()
    await until("the loss is noticed", () => one.wire.away() && other.wire.away())
    const after = await Promise.all(Array.from({ length: 20 }, () => one.take(key)))
    expect(after.filter(({ admitted }) => admitted).length).toBe(6)
    expect(await other.take(key)).toMatchObject({ admitted: true, remaining: 9 })
    await redis.start()
    await until("the nodes are one again", () => !one.wire.away() && !other.wire.away())
    await undisturbed([one, other], async (key) => {
      const again = await Promise.all(Array.from({ length: 24 }, (_, at) => (at % 2 ? one : other).take(key)))
      return again.filter(({ admitted }) => admitted).length === 10
    })
  })
})
