/** Calls of Redis are measured by how they end. */
import { Clock, Effect } from "effect"
import { expect, it } from "vitest"
import { withCallTimes } from "../../../src/bus/redis-call-times.ts"
import type { RedisClient } from "../../../src/bus/redis-client.ts"
import { prometheus } from "../../../src/runtime/metrics.ts"
import { readPrometheus } from "../../support/prometheus-text.ts"

const counted = (): ReadonlyArray<number> => {
  const name = "hub_redis_call_duration_seconds"
  const { samples } = readPrometheus(prometheus()).get(name)!
  return ["succeeded", "failed"].map((outcome) => samples.get(`${name}_count{outcome="${outcome}"}`)!)
}

it("each call and publication counts once, as succeeded or failed, and its answer is what the client gives", async () => {
  const refused = new Error("no")
  const plain = {
    call: async (command: string) => {
      if (command === "BAD") throw refused
      return command
    },
    callLarge: async () => "large",
    publish: async () => 2
  } as unknown as RedisClient
  const client = withCallTimes(plain, Effect.runSync(Clock.Clock))
  const before = counted()
  expect(await client.call("GET", [])).toBe("GET")
  expect(await client.callLarge("GET", [])).toBe("large")
  expect(await client.publish("channel", "text")).toBe(2)
  await expect(client.call("BAD", [])).rejects.toBe(refused)
  expect(counted().map((one, at) => one - before[at]!)).toEqual([3, 1])
})
