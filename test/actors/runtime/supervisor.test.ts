/** Which actors there are, their restarts, and the end of them all. */
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import type { ActorKind, Behaviour } from "../../../actors/runtime/actor.ts"
import { restartDelay, Supervisor } from "../../../actors/runtime/supervisor.ts"
import { actorKinds, healthyMillis } from "../../../src/limits.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { it, itWith } from "../../support/effect-test.ts"
import { type Action, type Message, newSeen, recorder, setUp } from "./recording-actor.ts"

const supervisor = Layer.provide(Supervisor.layer, Timers.layer)
const supervised = itWith(supervisor)

const settle = Effect.andThen(Effect.yieldNow, Effect.yieldNow)

describe("the supervisor", () => {
  it("doubles the restart delay per consecutive crash, up to the maximum of the kind", () => {
    const waits = (kind: ActorKind) => [1, 2, 3, 7, 40].map((streak) => restartDelay(kind, streak))
    expect(waits("daemon")).toEqual([undefined, undefined, undefined, undefined, undefined])
    expect(waits("subscriber")).toEqual([1_000, 2_000, 4_000, 60_000, 60_000])
    expect(waits("bucket")).toEqual([50, 100, 200, 1_000, 1_000])
  })

  supervised("sends an actor its opening message at the first start and at every restart", function* () {
    const supervisor = yield* Supervisor
    const seen = newSeen()
    const actor = supervisor.spawn(recorder(seen, "bucket", { opening: "hello" }), "b", () => 0)!
    actor.tell("crash")
    yield* TestClock.adjust(50)
    yield* settle
    expect(seen.log).toEqual(["hello#1", "hello#1"])
  })

  supervised(`resets the restart delay of an actor that ran for more than ${healthyMillis / 1_000} s`, function* () {
    const { actor, seen } = yield* setUp("subscriber")
    const livesAgainAfter = (millis: number) =>
      Effect.gen(function* () {
        actor.tell("crash")
        actor.tell(`after ${millis}`)
        yield* TestClock.adjust(millis - 1)
        expect(seen.log).toEqual([])
        yield* TestClock.adjust(1)
        yield* settle
        expect(seen.log.splice(0)).toEqual([`after ${millis}#1`])
      })
    yield* livesAgainAfter(1_000)
    yield* livesAgainAfter(2_000)
    yield* TestClock.adjust(healthyMillis)
    yield* livesAgainAfter(4_000)
    yield* TestClock.adjust(healthyMillis + 1)
    yield* livesAgainAfter(1_000)
  })

  supervised("refuses a key in use", function* () {
    const { supervisor, seen } = yield* setUp("daemon")
    expect(supervisor.spawn(recorder(seen, "daemon"), "one", () => 0)).toBeUndefined()
  })

  supervised("refuses an actor beyond the cap of its kind", function* () {
    const supervisor = yield* Supervisor
    const behaviour = recorder(newSeen(), "daemon", { ended: () => {} })
    for (let n = 0; n < actorKinds.daemon.residentMax; n++) supervisor.spawn(behaviour, `${n}`, () => 0)
    expect(supervisor.size("daemon")).toBe(actorKinds.daemon.residentMax)
    expect(supervisor.spawn(behaviour, "one more", () => 0)).toBeUndefined()
    supervisor.find("daemon", "7")?.kill()
    expect(supervisor.spawn(behaviour, "one more", () => 0)).toBeDefined()
  })

  supervised("waits for the last actor without polling and names the remaining actors at the deadline", function* () {
    const { supervisor, actor, seen } = yield* setUp("daemon")
    supervisor.spawn(recorder(seen, "bucket"), "left", () => 0)
    const waiting = yield* Effect.forkChild(supervisor.awaitEmpty(5_000), { startImmediately: true })
    const daemons = yield* Effect.forkChild(supervisor.awaitEmpty(5_000, ["daemon"]), { startImmediately: true })
    actor.kill()
    expect(daemons.pollUnsafe()).toMatchObject({ _tag: "Success", value: [] })
    yield* TestClock.adjust(4_999)
    expect(waiting.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust(1)
    expect(waiting.pollUnsafe()).toMatchObject({ _tag: "Success", value: ["bucket:left"] })
  })

  supervised("keeps nothing of 1,000 crashes: each actor has the one child of its life, and its place", function* () {
    const supervisor = yield* Supervisor
    const clock = yield* TestClock.testClockWith(Effect.succeed)
    let open = 0
    const held = Effect.acquireUseRelease(
      Effect.sync(() => open++),
      () => Effect.never,
      () => Effect.sync(() => open--)
    )
    const behaviour: Behaviour<number, Message, Action> = {
      kind: "subscriber",
      mailboxMax: 3,
      opening: "work",
      decide: (state, message) => ({ state, actions: [message] }),
      perform: (action, _, self) => {
        if (action === "work") self.pipeToSelf(held)
        else self.pipeToSelf(Effect.die(new Error("a bug")))
      }
    }
    const names = Array.from({ length: 100 }, (_, nth) => `${nth}`)
    const actors = names.map((name) => supervisor.spawn(behaviour, name, () => 0)!)
    for (let round = 0; round < 10; round++) {
      for (const actor of actors) actor.tell("crash")
      expect(open).toBe(0)
      yield* clock.adjust("60 seconds")
      expect(open).toBe(names.length)
    }
    expect(supervisor.crashes("subscriber")).toBe(names.length * 10)
    for (const [nth, actor] of actors.entries()) {
      expect(supervisor.find("subscriber", names[nth]!)).toBe(actor)
      expect((actor as unknown as { children: Set<unknown> }).children.size).toBe(1)
    }
    for (const name of names) supervisor.find("subscriber", name)!.kill()
    expect([open, supervisor.size("subscriber")]).toEqual([0, 0])
  })

  it.effect("kills all actors when it closes and restarts none", function* () {
    const seen = newSeen()
    yield* Effect.scoped(
      Effect.gen(function* () {
        const supervisor = yield* Supervisor
        supervisor.spawn(recorder(seen, "subscriber"), "up", () => 0)
        supervisor.spawn(recorder(seen, "subscriber", { opening: "crash" }), "down", () => 0)
      }).pipe(Effect.provide(supervisor, { local: true }))
    )
    yield* TestClock.adjust("10 minutes")
    expect(seen.log).toEqual(["ended after 0, unread: ", "ended after 0, unread: "])
  })
})
