/** How daemons are told the policies that mean them, and what that costs where policies change again and again. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { expect, it, onTestFinished } from "vitest"
import { PolicyDelivery } from "../../../actors/policies/policy-delivery.ts"
import { Roster } from "../../../actors/presence/roster.ts"
import { Bus } from "../../../src/bus/bus.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import type { Policy } from "../../../src/domain/policy/policy.ts"
import { policyAccountsStep, policyRoundMillis, policyTextsMax } from "../../../src/limits/policies.ts"
import { policiesCapability } from "../../../src/protocol/frames.ts"
import { Policies } from "../../../src/store/policies/policies.ts"
import { until } from "../../support/until.ts"

const accountId = "acc_1"

/** So many daemons, each with a policy of its own beside the one of all. */
const scene = async (daemons: number) => {
  let reads = 0
  const told: Array<string> = []
  const entries = Array.from({ length: daemons }, (_, at) => ({
    snapshot: { daemonId: `dmn_${at}`, accountId, tags: { own: `${at}` }, capabilities: [policiesCapability] },
    daemon: { tell: ({ text }: { readonly text: string }) => void told.push(text) }
  }))
  const usual = { version: 1, default: "ask", timeoutSeconds: null, onTimeout: "reject", updatedAt: 0 }
  const policies = entries.map((_, at) => ({
    ...usual,
    id: `p${at}`,
    selector: [{ key: "own", is: "equal", value: `${at}` }],
    rules: [{ action: "read", resource: `/${at}`, effect: "deny" }]
  }))
  const layers = Layer.mergeAll(
    Layer.mock(Policies, {
      of: () =>
        Effect.sync(() => {
          reads++
          return new Map([[accountId, policies as ReadonlyArray<unknown> as Array<Policy>]])
        })
    }),
    Layer.succeed(Roster, {
      onJoined: () => Effect.void,
      of: (id: string) => (id === accountId ? entries.map(({ snapshot }) => snapshot) : [entries[0]!.snapshot]),
      find: (id: string) => entries.find(({ snapshot }) => snapshot.daemonId === id)
    } as never),
    layerMemory
  )
  const runtime = ManagedRuntime.make(
    PolicyDelivery.layer.pipe(Layer.provideMerge(layers), Layer.provideMerge(TestClock.layer()))
  )
  onTestFinished(() => runtime.dispose())
  await runtime.runPromise(PolicyDelivery)
  const bus = await runtime.runPromise(Bus)
  return {
    told,
    reads: () => reads,
    change: (id = accountId) => bus.publish("policies_changed", { accountId: id }),
    advance: (millis: number) => runtime.runPromise(TestClock.adjust(millis))
  }
}

it("has each daemon told what means it, however many differ", async () => {
  const { told, change, advance } = await scene(policyTextsMax + 6)
  change()
  await until("all are told", async () => told.length === policyTextsMax + 6 || advance(0))
  expect(told.map((text) => JSON.parse(text).data.rules.map(({ rule }: { rule: string }) => rule))).toEqual(
    Array.from({ length: policyTextsMax + 6 }, (_, at) => [`p${at}/1`])
  )
})

it("has changes that follow each other told together, half a second after the last that were", async () => {
  const { told, reads, change, advance } = await scene(1)
  change()
  await until("the first", async () => told.length === 1 || advance(0))
  for (let nth = 0; nth < 100; nth++) change()
  await advance(policyRoundMillis - 1)
  expect([reads(), told.length]).toEqual([1, 1])
  await advance(1)
  await until("the others", async () => told.length === 2 || advance(0))
  expect(reads()).toBe(2)
})

it("has many accounts read step by step without a pause", async () => {
  const { told, reads, change, advance } = await scene(1)
  change()
  await until("the first", async () => told.length === 1 || advance(0))
  for (let nth = 0; nth < 2 * policyAccountsStep; nth++) change(`other_${nth}`)
  await advance(policyRoundMillis)
  await until("the others", async () => told.length === 1 + 2 * policyAccountsStep || advance(0))
  expect(reads()).toBe(3)
})
