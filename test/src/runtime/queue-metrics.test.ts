/** What is measured of a queue: how many wait, how many go together, how long that takes. */
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { makeGroupCommit } from "../../../src/runtime/group-commit.ts"
import { gauged, prometheus } from "../../../src/runtime/metrics.ts"
import { makeQueryBatcher } from "../../../src/store/sql/query-batcher.ts"
import { it } from "../../support/effect-test.ts"
import { readPrometheus } from "../../support/prometheus-text.ts"

const measured = (queue: string): Readonly<Record<"batches" | "entries" | "seconds", number>> => {
  const families = readPrometheus(prometheus())
  const of = (family: string, suffix: string): number =>
    families.get(family)!.samples.get(`${family}_${suffix}{queue="${queue}"}`)!
  return {
    batches: of("hub_batch_entries", "count"),
    entries: of("hub_batch_entries", "sum"),
    seconds: of("hub_batch_duration_seconds", "sum")
  }
}

/** How many more wait in a queue than before. */
const waitingMore = (queue: "outcomes" | "keys"): (() => number) => {
  const before = gauged("hub_queue_entries", queue)
  return () => gauged("hub_queue_entries", queue) - before
}

it.effect(
  "a queue is measured that commits in groups: what waits is shown, what is written is not waiting any more",
  function* () {
    const [before, waiting] = [measured("outcomes"), waitingMore("outcomes")]
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const line = makeGroupCommit<number, never>(run, {
      name: "outcomes",
      rowsMax: 100,
      bytesMax: 100,
      bytesOf: () => 1,
      waitingMax: 3,
      write: () => Effect.sleep(2_000),
      written: () => undefined
    })
    line.add(1)
    line.add(2)
    expect(waiting()).toBe(2)
    yield* TestClock.adjust(1)
    expect(waiting()).toBe(0)
    for (let n = 0; n < 5; n++) line.add(n)
    // two found no room
    expect(waiting()).toBe(3)
    yield* TestClock.adjust(4_000)
    yield* line.empty
    const after = measured("outcomes")
    expect(after.batches - before.batches).toBe(2)
    expect(after.entries - before.entries).toBe(5)
    expect(after.seconds - before.seconds).toBeCloseTo(4)
    expect(waiting()).toBe(0)
  }
)

it.effect(
  "a queue is measured that answers in batches: who leaves, and who is refused at the end, waits no more",
  function* () {
    const [before, waiting] = [measured("keys"), waitingMore("keys")]
    const scope = yield* Scope.make()
    const ask = yield* Effect.provideService(
      makeQueryBatcher<number, number>({
        name: "test",
        queue: "keys",
        run: (entries) => Effect.as(Effect.sleep(1_000), entries)
      }),
      Scope.Scope,
      scope
    )
    const first = yield* Effect.forkChild(ask(1), { startImmediately: true })
    yield* TestClock.adjust(1)
    const others = yield* Effect.forEach([2, 3, 4], (n) =>
      Effect.forkChild(Effect.exit(ask(n)), { startImmediately: true })
    )
    expect(waiting()).toBe(3)
    yield* Fiber.interrupt(others[0]!)
    expect(waiting()).toBe(2)
    yield* Scope.close(scope, Exit.void)
    expect(waiting()).toBe(0)
    yield* TestClock.adjust(1_000)
    expect(yield* Fiber.join(first)).toBe(1)
    const after = measured("keys")
    expect([after.batches - before.batches, after.entries - before.entries]).toEqual([1, 1])
  }
)
