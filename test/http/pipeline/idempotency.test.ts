/**
 * Calls with an Idempotency-Key over a scripted store: concurrent runs, the length of a key, what is stored, what is
 * logged.
 */
import { Deferred, Effect, Exit, Fiber, Layer, Logger, ManagedRuntime } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { IdempotentRuns, idempotencyLayer, type KeyedCall } from "../../../http/pipeline/idempotency.ts"
import { Answer, jsonText } from "../../../http/pipeline/response.ts"
import { storedOutcomeOf } from "../../../http/pipeline/stored-outcome.ts"
import { SecretBox } from "../../../src/auth/secret-box.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import type { Volume } from "../../../src/domain/account/volume.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { idempotencyBytesMax, idempotencyKeyCharsMax, idempotencyRunsMax } from "../../../src/limits.ts"
import { entryOf } from "../../../src/runtime/log.ts"
import { NodeId } from "../../../src/runtime/node-id.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { Idempotency, type StoredRow } from "../../../src/store/accounts/idempotency.ts"
import { scriptedBudgets } from "../../support/scripted-volume-budgets.ts"

/** What seals nothing, and opens what was not sealed under another key. */
const box = SecretBox.of({
  seal: (text) => text,
  open: (text) => Effect.fail(new StoreFailed({ operation: "open a sealed secret", cause: text })),
  derive: () => new Uint8Array()
})

/** Keyed calls over a store that knows no key yet; `keep` is what it answers to an outcome. */
const world = async (keep: Effect.Effect<void, StoreFailed> = Effect.void, outcomes?: Volume) => {
  const kept: Array<StoredRow> = []
  const entries: Array<Record<string, unknown>> = []
  const log = Logger.make((options: Logger.Options<unknown>) => void entries.push(entryOf(options, {})))
  const store = Layer.succeed(Idempotency, {
    begin: () => Effect.succeed({ state: "begun" }),
    find: () => Effect.undefined,
    finish: (row) =>
      Effect.andThen(
        Effect.sync(() => void kept.push(row)),
        keep
      ),
    forget: () => keep,
    prune: () => Effect.succeed(0)
  })
  const needs = Layer.mergeAll(
    store,
    scriptedBudgets(outcomes === undefined ? {} : { outcomes }),
    Timers.layer,
    NodeId.layer(),
    Config.layer(defaultSettings),
    Layer.succeed(SecretBox, box),
    Logger.layer([log])
  )
  const runtime = ManagedRuntime.make(Layer.provide(idempotencyLayer, needs))
  const idempotency = await runtime.runPromise(IdempotentRuns)
  const close = () => runtime.dispose()
  onTestFinished(close)
  return { idempotency, entries, kept, close }
}

const callOf = (key: string, route = "POST /one"): KeyedCall => ({
  route,
  path: "/one",
  query: "",
  key,
  principal: { accountId: "acc" } as KeyedCall["principal"],
  body: "{}",
  secrets: []
})
const answered = Effect.succeed(jsonText("{}"))

describe("calls with an Idempotency-Key", () => {
  it("are under way up to the bound of a node; one more is overload, until one has ended", async () => {
    const { idempotency } = await world()
    const end = Deferred.makeUnsafe<void>()
    const waiting = Effect.andThen(Deferred.await(end), answered)
    const under = Array.from({ length: idempotencyRunsMax }, (_, nth) =>
      Effect.runFork(idempotency.runOnce(callOf(`key-${nth}`), waiting))
    )
    const more = () => Effect.runPromise(Effect.exit(idempotency.runOnce(callOf("one-more"), answered)))
    expect(await more()).toMatchObject(Exit.fail({ _tag: "Overloaded" }))
    Deferred.doneUnsafe(end, Effect.void)
    await Effect.runPromise(Fiber.joinAll(under))
    expect(Exit.isSuccess(await more())).toBe(true)
  })

  it(`have a key of up to ${idempotencyKeyCharsMax} printable characters`, async () => {
    const { idempotency } = await world()
    const run = (key: string) => Effect.runPromise(Effect.exit(idempotency.runOnce(callOf(key), answered)))
    expect(Exit.isSuccess(await run("k".repeat(idempotencyKeyCharsMax)))).toBe(true)
    for (const key of ["k".repeat(idempotencyKeyCharsMax + 1), "a b", "é"])
      expect(await run(key), key).toMatchObject(Exit.fail({ _tag: "ValidationFailed" }))
  })

  it("that end at once have as many bodies kept as their account may have, and the rest their status only", async () => {
    const { idempotency, kept } = await world(Effect.void, { number: 100, bytes: 1_000 })
    const large = Effect.succeed(new Answer(200, [], "x".repeat(300)))
    await Effect.runPromise(
      Effect.all(
        Array.from({ length: 10 }, (_, nth) => idempotency.runOnce(callOf(`key-${nth}`), large)),
        { concurrency: "unbounded" }
      )
    )
    expect(kept.map(({ status, body, bodyDropped }) => [status, body?.length, bodyDropped])).toEqual([
      ...Array(3).fill([200, 300, false]),
      ...Array(7).fill([200, undefined, true])
    ])
  })

  it("that begin at once are as many as their account may keep; one more is refused and not run", async () => {
    const { idempotency } = await world(Effect.void, { number: 3, bytes: 1_000 })
    let ran = 0
    const action = Effect.sync(() => {
      ran++
      return jsonText("{}")
    })
    const free = { accountId: "acc", plan: "free" } as KeyedCall["principal"]
    const exits = await Effect.runPromise(
      Effect.all(
        Array.from({ length: 5 }, (_, nth) =>
          Effect.exit(idempotency.runOnce({ ...callOf(`key-${nth}`), principal: free }, action))
        ),
        { concurrency: "unbounded" }
      )
    )
    expect([exits.filter(Exit.isSuccess).length, ran]).toEqual([3, 3])
    expect(exits[4]).toMatchObject(Exit.fail({ _tag: "IdempotencyLimitReached", plan: "free" }))
  })

  it("whose outcomes cannot be kept are answered, and of each route the log has the first and the last", async () => {
    const crowd = 100
    const { idempotency, entries, close } = await world(
      Effect.fail(new StoreFailed({ operation: "keep", cause: "away" }))
    )
    for (let nth = 0; nth < crowd; nth++) {
      const answer = await Effect.runPromise(idempotency.runOnce(callOf(`key-${nth}`), answered))
      expect(answer.status).toBe(200)
    }
    await Effect.runPromise(idempotency.runOnce(callOf("key", "POST /other"), answered))
    const told = () => entries.map(({ message, route, heldBack }) => [message, route, heldBack])
    const words = "an outcome could not be kept"
    const first = [
      [words, "POST /one", 0],
      [words, "POST /other", 0]
    ]
    expect(told()).toEqual(first)
    await close()
    expect(told()).toEqual([...first, [words, "POST /one", crowd - 2]])
  })
})

it("what is kept of an outcome is all of it up to the bound in bytes, and its status only beyond", () => {
  const whole = new Answer(200, [["x-kind", "a"]], "é".repeat(idempotencyBytesMax / 2))
  expect(storedOutcomeOf(whole, [])).toEqual({ status: 200, headers: [["x-kind", "a"]], body: whole.body })
  const larger = new Answer(200, [["x-kind", "a"]], `${whole.body}.`)
  expect(storedOutcomeOf(larger, [])).toEqual({ status: 200, headers: [], body: undefined })
})
