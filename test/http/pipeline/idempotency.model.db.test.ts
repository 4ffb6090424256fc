/**
 * Calls with an Idempotency-Key at two nodes over a real store against a model: whatever they call, however runs end
 * and whichever node dies, the action of a key runs once, and every other call learns what became of it.
 */
import { Deferred, Effect, Exit, Fiber, Layer, Logger, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { IdempotentRuns, idempotencyLayer, type KeyedCall } from "../../../http/pipeline/idempotency.ts"
import { Answer } from "../../../http/pipeline/response.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { idempotencyMillis, idempotencyRunningMillisMax } from "../../../src/limits.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { Idempotency } from "../../../src/store/accounts/idempotency.ts"
import { fc, forAllAsync, modelRuns } from "../../support/properties.ts"
import { scriptedBudgets } from "../../support/scripted-volume-budgets.ts"
import { useStore } from "../../support/store-services.ts"
import { tagOf } from "../../support/with-daemon-services.ts"

/** A node: its runs, and its clock. */
const startNode = async (store: Idempotency["Service"], now: number) => {
  const needs = Layer.mergeAll(
    Layer.succeed(Idempotency, store),
    scriptedBudgets(),
    Timers.layer,
    NodeId.layer(),
    Layer.provideMerge(SecretBox.layer, Config.layer({ ...defaultSettings, secretKey: new Uint8Array(32) })),
    Logger.layer([])
  )
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(idempotencyLayer, Layer.provideMerge(needs, TestClock.layer()))
  )
  const runs = await runtime.runPromise(Effect.andThen(TestClock.setTime(now), IdempotentRuns))
  return { runtime, runs, pass: (millis: number) => runtime.runPromise(TestClock.adjust(millis)) }
}

type Node = Awaited<ReturnType<typeof startNode>>

/** A run of an action that has begun and not ended. */
interface Run {
  readonly key: string
  readonly node: number
  readonly ends: Deferred.Deferred<number>
  readonly caller: Fiber.Fiber<Answer, { readonly _tag: string }>
}

/** What ought to be kept of a key. */
interface Row {
  readonly body: string
  readonly startedAt: number
  /** Of its outcome; undefined: it runs, or its node died. */
  status: number | undefined
}

interface Real {
  readonly accountId: string
  readonly store: Idempotency["Service"]
  readonly nodes: Array<Node>
  readonly rows: Map<string, Row>
  readonly runs: Array<Run>
  now: number
  begun: number
}

type Step = fc.AsyncCommand<object, Real>

const step = (name: string, check: (real: Real) => boolean, run: (real: Real) => Promise<void>): Step => ({
  check: () => true,
  run: async (_, real) => {
    if (check(real)) await run(real)
  },
  toString: () => name
})

/** How a call ought to be answered that begins nothing; undefined: it begins. */
const expected = (real: Real, key: string, body: string): string | undefined => {
  const row = real.rows.get(key)
  if (row === undefined || row.startedAt < real.now - idempotencyMillis) return undefined
  if (row.body !== body) return "IdempotencyMismatch"
  if (row.status !== undefined) return `replay of ${row.status}`
  return undefined
}

const call = (node: number, key: string, body: string): Step =>
  step(
    `call ${node} ${key} ${body}`,
    () => true,
    async (real) => {
      const { accountId, nodes, rows, runs } = real
      const port = nodes[node]!.runs
      const row = rows.get(key)
      const isLive = row !== undefined && row.startedAt >= real.now - idempotencyMillis
      const begun = Deferred.makeUnsafe<void>()
      const ends = Deferred.makeUnsafe<number>()
      const action = Effect.gen(function* () {
        real.begun++
        yield* Deferred.succeed(begun, undefined)
        return new Answer(yield* Deferred.await(ends), [], `${key} ${body}`)
      })
      const principal = { accountId, plan: "pro" } as KeyedCall["principal"]
      const asked = { route: "POST /one", path: "/one", query: "", key, principal, body, secrets: [] }
      const before = real.begun
      const caller = Effect.runFork(port.runOnce(asked, action))
      await Effect.runPromise(Effect.race(Deferred.await(begun), Effect.exit(Fiber.await(caller))))
      const expectedNow = expected(real, key, body)
      if (!isLive) {
        expect(real.begun).toBe(before + 1)
        rows.set(key, { body, startedAt: real.now, status: undefined })
        runs.push({ key, node, ends, caller })
        return
      }
      expect(real.begun).toBe(before)
      const exit = await Effect.runPromise(Fiber.await(caller))
      const isHere = runs.some((one) => one.key === key && one.node === node)
      const isRecent = isHere || real.now - row.startedAt < idempotencyRunningMillisMax
      const running = isRecent ? "IdempotencyConflict" : "OutcomeUnknown"
      const is = Exit.isSuccess(exit) ? `replay of ${exit.value.status}` : tagOf(exit)
      expect(is).toBe(expectedNow ?? running)
      if (Exit.isSuccess(exit)) expect(exit.value.body).toBe(`${key} ${body}`)
    }
  )

const end = (nth: number, status: number): Step =>
  step(
    `end ${nth} with ${status}`,
    ({ runs }) => runs.length > 0,
    async ({ rows, runs }) => {
      const [run] = runs.splice(nth % runs.length, 1)
      const { key, ends, caller } = run!
      Deferred.doneUnsafe(ends, Exit.succeed(status))
      expect((await Effect.runPromise(Fiber.join(caller))).status).toBe(status)
      // a refusal has run nothing, and may be asked again
      if (status >= 400 && status <= 429) rows.delete(key)
      else rows.get(key)!.status = status
    }
  )

const die = (node: number): Step =>
  step(
    `node ${node} dies`,
    () => true,
    async (real) => {
      await real.nodes[node]!.runtime.dispose()
      for (const [at, run] of [...real.runs.entries()].reverse()) if (run.node === node) real.runs.splice(at, 1)
      real.nodes[node] = await startNode(real.store, real.now)
    }
  )

const pass = (millis: number): Step =>
  step(
    `pass ${millis}`,
    // no action runs as long as its outcome is kept
    ({ runs }) => millis < idempotencyMillis || runs.length === 0,
    async (real) => {
      real.now += millis
      for (const one of real.nodes) await one.pass(millis)
    }
  )

const node = fc.constantFrom(0, 1)
const steps = fc.commands(
  [
    fc.tuple(node, fc.constantFrom("k1", "k2"), fc.constantFrom("a", "a", "b")).map(([n, k, b]) => call(n, k, b)),
    fc.tuple(node, fc.constantFrom("k1", "k2"), fc.constant("a")).map(([n, k, b]) => call(n, k, b)),
    fc.tuple(fc.nat(3), fc.constantFrom(200, 404, 429, 500)).map(([n, status]) => end(n, status)),
    node.map(die),
    fc
      .constantFrom(
        1,
        idempotencyRunningMillisMax - 1,
        idempotencyRunningMillisMax,
        idempotencyMillis,
        idempotencyMillis + 1
      )
      .map(pass)
  ],
  { maxCommands: 25 }
)

const start = 2 * idempotencyMillis

const store = useStore(Idempotency.layer)

it("calls with an Idempotency-Key at two nodes run the action of a key once, and learn what became of it", async () => {
  const port = await store.run(Idempotency)
  const nodes = [await startNode(port, start), await startNode(port, start)]
  let now = start
  await forAllAsync(modelRuns(150), steps, async (life) => {
    const accountId = await store.account()
    const real: Real = { accountId, store: port, nodes, rows: new Map(), runs: [], now, begun: 0 }
    await fc.asyncModelRun(() => ({ model: {}, real }), life)
    while (real.runs.length > 0) await end(0, 200).run({}, real)
    now = real.now
  })
  for (const { runtime } of nodes) await runtime.dispose()
})
