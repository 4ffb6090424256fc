/**
 * A connected daemon and its callers against a model: in whatever order calls, results, deadlines and ends of the
 * connection come, each call ends once, with its own answer, and each command is sent once.
 */
import { Effect, Exit, Fiber, Layer, Logger, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, expect, it } from "vitest"
import { Directory } from "../../../actors/commands/directory.ts"
import type { CommandAnswer } from "../../../src/domain/command/command.ts"
import { pendingCommandsMax, wheelTickMillis } from "../../../src/limits.ts"
import { connect, type Enrolled, type FakePeer, makeWorld, settle } from "../../support/daemon-services.ts"
import { fc, forAllAsync, modelRuns } from "../../support/properties.ts"
import { tagOf } from "../../support/with-daemon-services.ts"

const world = makeWorld()
const runtime = ManagedRuntime.make(Layer.provideMerge(world.layer, Layer.merge(TestClock.layer(), Logger.layer([]))))
afterAll(() => runtime.dispose())
const run = <A, E>(effect: Effect.Effect<A, E, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>) =>
  runtime.runPromise(effect)

const deadlineMs = 1_000

/** What ought to be. */
interface Model {
  isOnline: boolean
  now: number
  /** Calls by their place, and when each ends by itself. */
  readonly waiting: Map<number, number>
  /** How each call has ended. */
  readonly ended: Map<number, string>
  calls: number
  sent: number
}

/** What is. */
interface Real {
  readonly enrolled: Enrolled
  peer: FakePeer
  /** Commands that the daemon was sent over all its connections. */
  readonly ids: Array<string>
  /** The id of each call that was sent. */
  readonly idOf: Map<number, string>
  readonly fibers: Array<Fiber.Fiber<CommandAnswer, { readonly _tag: string }>>
}

type Step = fc.AsyncCommand<Model, Real>

const nth = (model: Model, number: number): number => [...model.waiting.keys()][number % model.waiting.size]!

/** Compares all calls with the model. */
const compare = (model: Model, real: Real): void => {
  expect(real.ids).toHaveLength(model.sent)
  expect(new Set(real.ids).size).toBe(model.sent)
  for (const [call, fiber] of real.fibers.entries()) {
    const exit = fiber.pollUnsafe()
    const is = exit === undefined ? "waiting" : Exit.isSuccess(exit) ? `answer ${exit.value.result}` : tagOf(exit)
    expect([call, is]).toEqual([call, model.ended.get(call) ?? "waiting"])
  }
}

/** A step that is possible only where the model says so. */
const step = (
  name: string,
  check: (model: Model) => boolean,
  perform: (
    model: Model,
    real: Real
  ) => Effect.Effect<void, unknown, ManagedRuntime.ManagedRuntime.Services<typeof runtime>>
): Step => ({
  check,
  run: async (model, real) => {
    await run(Effect.andThen(perform(model, real), settle))
    compare(model, real)
  },
  toString: () => name
})

const end = (model: Model, call: number, how: string): void => {
  model.waiting.delete(call)
  model.ended.set(call, how)
}

const askOnce = (model: Model, real: Real) =>
  Effect.gen(function* () {
    const call = model.calls++
    const directory = yield* Directory
    const command = { ...real.enrolled, type: "read_chat" as const, payload: {}, deadlineMs }
    real.fibers.push(yield* Effect.forkDetach(directory.command(command), { startImmediately: true }))
    yield* settle
    for (const { id } of real.peer.of("command")) real.ids.push(id as string)
    real.peer.frames.length = 0
    if (!model.isOnline) return void model.ended.set(call, "DaemonOffline")
    if (model.waiting.size === pendingCommandsMax) return void model.ended.set(call, "Overloaded")
    model.sent++
    model.waiting.set(call, model.now + deadlineMs)
    real.idOf.set(call, real.ids.at(-1)!)
  })

const ask = (times: number): Step =>
  step(
    `ask ${times} times`,
    () => true,
    (model, real) => Effect.repeat(askOnce(model, real), { times: times - 1 })
  )

const answer = (number: number): Step =>
  step(
    `answer ${number}`,
    ({ waiting, isOnline }) => isOnline && waiting.size > 0,
    (model, real) =>
      Effect.gen(function* () {
        const call = nth(model, number)
        real.peer.say("command_result", { id: real.idOf.get(call), success: true, result: call })
        end(model, call, `answer ${call}`)
        yield* settle
      })
  )

const answerAgain = (number: number): Step =>
  step(
    `answer ${number} again`,
    ({ ended, isOnline }) => isOnline && ended.size > 0,
    (model, real) =>
      Effect.sync(() => {
        const call = [...model.ended.keys()][number % model.ended.size]!
        const id = real.idOf.get(call) ?? "cmd_unknown"
        real.peer.say("command_result", { id, success: true, result: "again" })
      })
  )

const leave = (number: number): Step =>
  step(
    `leave ${number}`,
    ({ waiting }) => waiting.size > 0,
    (model, real) =>
      Effect.gen(function* () {
        const call = nth(model, number)
        yield* Fiber.interrupt(real.fibers[call]!)
        end(model, call, "Interrupt")
      })
  )

const pass = (millis: number): Step =>
  step(
    `pass ${millis}`,
    () => true,
    (model) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(millis)
        model.now += millis
        for (const [call, until] of model.waiting) if (until <= model.now) end(model, call, "CommandTimeout")
      })
  )

const cut = step(
  "cut",
  ({ isOnline }) => isOnline,
  (model, real) =>
    Effect.sync(() => {
      real.peer.link.closed(1_000)
      for (const call of model.waiting.keys()) end(model, call, "DaemonSocketLost")
      model.isOnline = false
    })
)

const comeBack = step(
  "come back",
  ({ isOnline }) => !isOnline,
  (model, real) =>
    Effect.gen(function* () {
      real.peer = yield* connect(real.enrolled.token)
      model.isOnline = true
    })
)

const numbers = fc.nat(pendingCommandsMax)
const steps = fc.commands(
  [
    fc.constantFrom(1, 1, 2, 5, pendingCommandsMax).map(ask),
    numbers.map(answer),
    numbers.map(answerAgain),
    numbers.map(leave),
    fc.integer({ min: 1, max: 30 }).map((ticks) => pass(ticks * wheelTickMillis)),
    fc.constant(cut),
    fc.constant(comeBack)
  ],
  { maxCommands: 30 }
)

it("a daemon with callers ends each call once, with its own answer, and is sent each command once", () =>
  forAllAsync(modelRuns(300), steps, (life) =>
    fc.asyncModelRun(async () => {
      const enrolled = world.enrol()
      const peer = await run(connect(enrolled.token))
      const model: Model = { isOnline: true, now: 0, waiting: new Map(), ended: new Map(), calls: 0, sent: 0 }
      return { model, real: { enrolled, peer, ids: [], idOf: new Map(), fibers: [] } }
    }, life)
  ))
