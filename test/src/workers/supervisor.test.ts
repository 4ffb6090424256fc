/** How workers are kept serving: pauses, giving up, replacing and ending, on virtual time and without processes. */
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import {
  workerFailuresMax,
  workerPauseMillis,
  workerPauseMillisMax,
  workerReadyMillisMax,
  workerSoundMillis
} from "../../../src/limits/workers.ts"
import { makeWorkerSupervisor, pauseAfter } from "../../../src/workers/supervisor.ts"
import type { Worker, WorkerEnd } from "../../../src/workers/worker.ts"
import { it } from "../../support/effect-test.ts"
import { fc, forAll } from "../../support/properties.ts"

interface Fake extends Worker {
  readonly orders: Array<"end" | "replaced" | "kill">
  readonly serve: () => void
  readonly die: (end?: Partial<WorkerEnd>) => void
}

const textOf = (at: number): string => `# HELP made Place\n# TYPE made gauge\nmade ${at}\n`

/** Workers that serve at once unless told otherwise, and end when they are told to. */
const world = (count: number, options: { readonly serves?: (made: number) => boolean; readonly ends?: boolean } = {}) =>
  Effect.gen(function* () {
    const made: Array<Fake> = []
    const launch = (number: number) =>
      Effect.sync(() => {
        const serving = Deferred.makeUnsafe<string>()
        const ended = Deferred.makeUnsafe<WorkerEnd>()
        const die: Fake["die"] = (end = {}) =>
          void Deferred.doneUnsafe(ended, Effect.succeed({ code: null, signal: null, ...end }))
        const orders: Fake["orders"] = []
        const fake: Fake = {
          number,
          pid: made.length,
          orders,
          serving: Deferred.await(serving),
          ended: Deferred.await(ended),
          end: (replaced) =>
            Effect.sync(() => {
              orders.push(replaced ? "replaced" : "end")
              if (options.ends !== false) die({ code: 0 })
            }),
          metrics: Effect.suspend(() => Effect.succeed(textOf(made.indexOf(fake)))),
          kill: Effect.sync(() => {
            orders.push("kill")
            die({ signal: "SIGKILL" })
          }),
          serve: () => void Deferred.doneUnsafe(serving, Effect.succeed("http://here")),
          die
        }
        made.push(fake)
        if (options.serves?.(made.length) ?? true) fake.serve()
        return fake
      })
    const supervisor = yield* makeWorkerSupervisor({ count, launch, endMillisMax: 1_000 })
    return { made, supervisor }
  })

/** The same, started. */
const started = (...given: Parameters<typeof world>) =>
  Effect.tap(world(...given), ({ supervisor }) => supervisor.start)

describe("a supervisor of workers", () => {
  it.effect("starts the first alone and then all others, and tells the address when all serve", function* () {
    const { made, supervisor } = yield* world(3, { serves: () => false })
    const start = yield* Effect.forkChild(supervisor.start, { startImmediately: true })
    expect(made.map(({ number }) => number)).toEqual([1])
    made[0]!.serve()
    yield* TestClock.adjust(1)
    expect(made.map(({ number }) => number)).toEqual([1, 2, 3])
    made[1]!.serve()
    yield* TestClock.adjust(1)
    expect(start.pollUnsafe()).toBeUndefined()
    made[2]!.serve()
    expect(yield* Fiber.join(start)).toBe("http://here")
  })

  it.effect("does not start when one ends before it serves, and says how", function* () {
    const { made, supervisor } = yield* world(2, { serves: (nth) => nth === 1 })
    const start = yield* Effect.forkChild(Effect.flip(supervisor.start), { startImmediately: true })
    yield* TestClock.adjust(1)
    made[1]!.die({ code: 7 })
    expect((yield* Fiber.join(start)).sentence).toBe("worker 2 ended with exit code 7 before it served")
    expect(yield* supervisor.end).toEqual([])
    expect(made.map(({ orders }) => orders)).toEqual([["end"], []])
  })

  it.effect("kills one that does not serve in time", function* () {
    const { made, supervisor } = yield* world(1, { serves: () => false })
    const start = yield* Effect.forkChild(Effect.flip(supervisor.start), { startImmediately: true })
    yield* TestClock.adjust(workerReadyMillisMax - 1)
    expect(made[0]!.orders).toEqual([])
    yield* TestClock.adjust(1)
    expect((yield* Fiber.join(start)).sentence).toBe("worker 1 did not serve after 600 s and was killed")
    expect(made[0]!.orders).toEqual(["kill"])
  })

  it.effect("starts who ended again after a pause that doubles, until one lives long enough to be sound", function* () {
    const { made } = yield* started(1)
    for (let life = 1; life <= 4; life++) {
      made.at(-1)!.die({ code: 1 })
      yield* TestClock.adjust(pauseAfter(life - 1) - 1)
      expect(made).toHaveLength(life)
      yield* TestClock.adjust(1)
      expect(made).toHaveLength(life + 1)
    }
    yield* TestClock.adjust(workerSoundMillis)
    made.at(-1)!.die({ signal: "SIGKILL" })
    yield* TestClock.adjust(workerPauseMillis)
    expect(made).toHaveLength(6)
  })

  it.effect("fails when no worker serves and so many starts in a row failed", function* () {
    const { made, supervisor } = yield* started(2, { serves: (nth) => nth <= 2 })
    const failed = yield* Effect.forkChild(Effect.flip(supervisor.failed), { startImmediately: true })
    for (const one of made) one.die({ code: 1 })
    let dead = 2
    while (failed.pollUnsafe() === undefined && dead < 100) {
      yield* TestClock.adjust(workerPauseMillisMax)
      for (const one of made.slice(dead)) one.die({ code: 1 })
      dead = made.length
      yield* TestClock.adjust(1)
    }
    expect((yield* Fiber.join(failed)).sentence).toMatch(
      /^worker \d ended with exit code 1 before it served; no worker serves and 5 starts in a row failed$/u
    )
    expect(dead - 2).toBeGreaterThanOrEqual(workerFailuresMax)
  })

  it.effect("never gives up while another worker serves", function* () {
    const { made, supervisor } = yield* started(2, { serves: (nth) => nth <= 2 })
    const failed = yield* Effect.forkChild(Effect.flip(supervisor.failed), { startImmediately: true })
    made[1]!.die({ code: 1 })
    for (let nth = 0; nth < workerFailuresMax * 3; nth++) {
      yield* TestClock.adjust(workerPauseMillisMax)
      expect(made).toHaveLength(3 + nth)
      made.at(-1)!.die({ code: 1 })
    }
    expect(failed.pollUnsafe()).toBeUndefined()
  })

  it.effect("replaces one after another, each serving before its predecessor is told to end", function* () {
    const { made, supervisor } = yield* started(2, { serves: (nth) => nth <= 2 })
    const roll = yield* Effect.forkChild(supervisor.roll, { startImmediately: true })
    expect(made.map(({ number }) => number)).toEqual([1, 2, 1])
    expect(made[0]!.orders).toEqual([])
    made[2]!.serve()
    yield* TestClock.adjust(1)
    expect(made[0]!.orders).toEqual(["replaced"])
    expect(made.map(({ number }) => number)).toEqual([1, 2, 1, 2])
    expect(made[1]!.orders).toEqual([])
    made[3]!.serve()
    yield* Fiber.join(roll)
    expect(made[1]!.orders).toEqual(["replaced"])
    yield* TestClock.adjust(workerPauseMillisMax)
    expect(made).toHaveLength(4)
  })

  it.effect("leaves all as they are when the first replacement does not serve", function* () {
    const { made, supervisor } = yield* started(2, { serves: (nth) => nth <= 2 })
    const roll = yield* Effect.forkChild(Effect.flip(supervisor.roll), { startImmediately: true })
    made[2]!.die({ code: 1 })
    expect((yield* Fiber.join(roll)).sentence).toBe(
      "worker 1 ended with exit code 1 before it served; the workers that serve are left as they are"
    )
    expect(made.map(({ orders }) => orders)).toEqual([[], [], []])
    expect(made).toHaveLength(3)
  })

  it.effect("ends all at once, kills who takes too long, and names whoever did not end well", function* () {
    const { made, supervisor } = yield* started(3, { ends: false })
    const end = yield* Effect.forkChild(supervisor.end, { startImmediately: true })
    yield* TestClock.adjust(1)
    expect(made.map(({ orders }) => orders)).toEqual([["end"], ["end"], ["end"]])
    made[0]!.die({ code: 0 })
    made[1]!.die({ code: 3 })
    yield* TestClock.adjust(1_000)
    expect(yield* Fiber.join(end)).toEqual([
      "worker 2 ended with exit code 3",
      "worker 3 had not ended after 1 s and was killed"
    ])
    yield* TestClock.adjust(workerPauseMillisMax)
    expect(made).toHaveLength(3)
  })

  it.effect(
    "tells the metrics of all: whoever serves, none of who does not, and of a replaced one until it ends",
    function* () {
      const { made, supervisor } = yield* world(2, { ends: false })
      const metrics = Effect.map(supervisor.metrics, (text) => text.match(/^(?:made|hub_worker_up)\{.*/gmu))
      const both = ['hub_worker_up{worker="1"} 1', 'hub_worker_up{worker="2"} 1']
      yield* supervisor.start
      expect(yield* metrics).toEqual([...both, 'made{worker="1"} 0', 'made{worker="2"} 1'])
      yield* Effect.forkChild(supervisor.roll, { startImmediately: true })
      expect(yield* metrics).toEqual([
        ...both,
        'hub_worker_up{worker="1 replaced"} 1',
        'made{worker="1"} 2',
        'made{worker="2"} 1',
        'made{worker="1 replaced"} 0'
      ])
      made[0]!.die({ code: 0 })
      made[2]!.die({ code: 1 })
      yield* TestClock.adjust(1)
      expect(yield* metrics).toEqual([
        'hub_worker_up{worker="1"} 0',
        'hub_worker_up{worker="2"} 1',
        'hub_worker_up{worker="2 replaced"} 1',
        'made{worker="2"} 3',
        'made{worker="2 replaced"} 1'
      ])
    }
  )

  it("pauses longer after each short life, and never longer than the longest pause", () => {
    forAll(fc.nat(10_000), (short) => {
      expect(pauseAfter(short)).toBeLessThanOrEqual(workerPauseMillisMax)
      expect(pauseAfter(short + 1)).toBeGreaterThanOrEqual(pauseAfter(short))
    })
    expect(pauseAfter(0)).toBe(workerPauseMillis)
  })
})
