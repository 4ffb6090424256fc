/** What is told of a Redis that does not serve, and how often a message that nobody can read is logged. */
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { makeListeners } from "../../../src/bus/listeners.ts"
import { redisErrorReason } from "../../../src/bus/redis-errors.ts"
import { busDefectLogMillis } from "../../../src/limits/nodes.ts"
import { counted } from "../../../src/runtime/metrics.ts"
import { fc, forAll } from "../../support/properties.ts"

const reply = (message: string): Error => Object.assign(new Error(message), { name: "ReplyError" })

describe("the reason why Redis does not serve", () => {
  it.each([
    ["WRONGPASS invalid username-password pair or user is disabled.", "password"],
    ["NOAUTH Authentication required.", "asks for a password"],
    ["READONLY You can't write against a read only replica.", "replica"],
    ["OOM command not allowed when used memory > 'maxmemory'.", "maxmemory"],
    ["NOPERM this user has no permissions to run the 'set' command", "permit"],
    ["MISCONF Redis is configured to save RDB snapshots", "disk"]
  ])("is told of %s", (message, word) => expect(redisErrorReason(reply(message))).toContain(word))

  it("is that of the last node of a Cluster, and of a Sentinel what its error ends with", () => {
    const cluster = Object.assign(new Error("Failed to refresh slots cache."), { lastNodeError: reply("NOAUTH asked") })
    expect(redisErrorReason(cluster)).toContain("asks for a password")
    const sentinel = new Error("All sentinels are unreachable. Last error: connect ECONNREFUSED 127.0.0.1:1")
    expect(redisErrorReason(sentinel)).toBe("nothing listens there")
  })

  it("is none for a call that found no connection", () => {
    expect(
      redisErrorReason(new Error("Stream isn't writeable and enableOfflineQueue options is false"))
    ).toBeUndefined()
    expect(redisErrorReason("text")).toBeUndefined()
  })

  it("never repeats a word that Redis or its client said", () => {
    const lower = fc.stringMatching(/^[a-z0-9]{12,20}$/u)
    forAll(
      lower,
      fc.constantFrom("ERR unknown command, with args beginning with:", "WRONGPASS", "NOPERM"),
      (secret, how) => {
        const told = redisErrorReason(reply(`${how} '${secret}'`))
        expect(told).toBeDefined()
        expect(told).not.toContain(secret)
      }
    )
  })
})

it("a message that a listener cannot read is counted each time and logged once a minute", () => {
  const lines: Array<unknown> = []
  const log = Logger.make(({ message }) => void lines.push(message))
  const dropped = (): number => counted("hub_bus_dropped_total")
  return Effect.gen(function* () {
    const listeners = yield* makeListeners<unknown>()
    yield* listeners.add("ask", (said) => void (said as { question: { ask: string } }).question.ask)
    const before = dropped()
    for (let at = 0; at < 100; at++) listeners.notify("ask", {})
    yield* Effect.yieldNow
    expect(lines.length).toBe(1)
    expect(dropped()).toBe(before + 100)
    yield* TestClock.adjust(busDefectLogMillis)
    for (let at = 0; at < 100; at++) listeners.notify("ask", {})
    yield* Effect.yieldNow
    expect(lines.length).toBe(2)
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.provide(Logger.layer([log])), Effect.runPromise)
})
