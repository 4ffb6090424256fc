/**
 * The buckets of a policy against a model: a list of admission times per name. Whatever is asked when, a name gets what
 * its list allows, and a bucket leaves only once its list is empty.
 */
import { Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Bounds, makePopulation, type Population } from "../../../actors/limits/bucket.ts"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { fc, forAll, modelRuns } from "../../support/properties.ts"

const bounds = { limit: 3, spanMillis: 1_000, bucketsMax: 4, overflow: 1, idleMillis: 2_000, crowd: 3, smallMax: 1 }
const shared = "overflow 0"

/** What ought to be. Names past the bound share one bucket. */
interface Model {
  now: number
  /** By the name of the bucket: when it was asked last, and its admissions. */
  readonly buckets: Map<string, { askedAt: number; times: Array<number> }>
}

type Step = fc.Command<Model, Population>

const bucketOf = ({ buckets }: Model, name: string): string => {
  const own = [...buckets.keys()].filter((other) => other !== shared).length
  return buckets.has(name) || own < bounds.bucketsMax ? name : shared
}

const step = (name: string, run: Step["run"]): Step => ({ check: () => true, run, toString: () => name })

const inWindow = (times: ReadonlyArray<number>, now: number): Array<number> =>
  times.filter((time) => now - time < bounds.spanMillis)

const expected = (times: ReadonlyArray<number>, admitted: boolean, now: number) => ({
  admitted,
  count: times.length,
  millisToNext: times.length === 0 ? 0 : times[0]! + bounds.spanMillis - now
})

const take = (name: string): Step =>
  step(`take ${name}`, (model, real) => {
    const { now, buckets } = model
    const named = bucketOf(model, name)
    expect(real.nameOf(name)).toBe(named)
    const times = inWindow(buckets.get(named)?.times ?? [], now)
    const admitted = times.length < bounds.limit
    if (admitted) times.push(now)
    buckets.set(named, { askedAt: now, times })
    expect(real.take(name, now)).toEqual(expected(times, admitted, now))
  })

const look = (name: string): Step =>
  step(`look ${name}`, (model, real) => {
    const { now, buckets } = model
    const times = inWindow(buckets.get(bucketOf(model, name))?.times ?? [], now)
    expect(real.look(name, now)).toEqual(expected(times, times.length < bounds.limit, now))
  })

const pass = (millis: number): Step =>
  step(`pass ${millis}`, (model) => {
    model.now += millis
  })

const sweep = step("sweep", (model, real) => {
  for (const steps = real.sweep(model.now, 2); steps.next().done !== true; );
  const isCrowd = [...model.buckets.keys()].filter((other) => other !== shared).length >= bounds.crowd
  for (const [name, { askedAt, times }] of model.buckets) {
    const isSmall = isCrowd && inWindow(times, model.now).length <= bounds.smallMax
    if (isSmall || model.now - askedAt >= bounds.idleMillis) model.buckets.delete(name)
  }
})

const name = fc.constantFrom("a", "b", "c", "d", "e", "f")
const steps = fc.commands(
  [
    name.map(take),
    name.map(take),
    name.map(look),
    fc.constantFrom(1, 250, 500, 999, 1_000, 2_000).map(pass),
    fc.constant(sweep)
  ],
  { maxCommands: 60 }
)

const runtime = ManagedRuntime.make(Layer.provide(Supervisor.layer, Timers.layer))
afterAll(() => runtime.dispose())
let supervisor: Supervisor["Service"]
beforeAll(async () => {
  supervisor = await runtime.runPromise(Supervisor)
})
let lives = 0

it("the buckets of a policy admit what the admissions of the last span allow, of whichever name and in whichever order", () =>
  forAll(modelRuns(3_000), steps, (life) => {
    const real = makePopulation(supervisor, { ...bounds, name: `m${lives++}` } satisfies Bounds)
    const model: Model = { now: 0, buckets: new Map() }
    fc.modelRun(() => ({ model, real }), life)
    expect(real.size()).toBe(model.buckets.size)
    model.now += bounds.idleMillis
    sweep.run(model, real)
    expect(real.size()).toBe(0)
  }))
