/** Turns, mailboxes, children, results and exits of actors. */
import { Deferred, Effect, Layer, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { Supervisor } from "../../../actors/runtime/supervisor.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { it, itWith } from "../../support/effect-test.ts"
import { newSeen, recorder, setUp } from "./recording-actor.ts"

const supervised = itWith(Layer.provideMerge(Supervisor.layer, Timers.layer))

const settle = Effect.andThen(Effect.yieldNow, Effect.yieldNow)

describe("an idle actor", () => {
  supervised("handles a message before tell returns", function* () {
    const { actor, seen } = yield* setUp("daemon")
    expect(actor.tell("a")).toBe(true)
    expect(seen.log).toEqual(["a#1"])
  })
})

describe("an actor whose fiber yields after each step", () => {
  // with fewer a fiber does nothing but yield
  const yielding = Layer.provide(
    Supervisor.layer,
    Layer.merge(Timers.layer, Layer.succeed(Scheduler.MaxOpsBeforeYield, 4))
  )

  for (const steps of [0, 1, 2, 3]) {
    it.effect(`handles a message that arrives after ${steps} yields, with none after it`, () =>
      Effect.gen(function* () {
        const { actor, seen } = yield* setUp("daemon")
        for (let step = 0; step < steps; step++) yield* Effect.yieldNow
        actor.tell("a")
        for (let step = 0; step < 20; step++) yield* Effect.yieldNow
        expect(seen.log).toEqual(["a#1"])
      }).pipe(Effect.provide(yielding))
    )
  }
})

describe("an actor in the middle of a turn", () => {
  supervised("finishes the turn before it takes the next message, also one that it sent to itself", function* () {
    const { actor, seen } = yield* setUp("daemon")
    seen.during = (self) => {
      self.tell("echo")
      seen.log.push("turn ends")
    }
    actor.tell("during")
    expect(seen.log).toEqual(["during#1", "turn ends", "echo#2"])
    actor.tell("b")
    expect(seen.log.at(-1)).toBe("b#3")
  })

  supervised("keeps three messages, refuses a fourth without waiting, and takes the three afterwards", function* () {
    const { actor, seen } = yield* setUp("daemon")
    let taken: ReadonlyArray<boolean> = []
    seen.during = () => {
      taken = ["a", "b", "c", "d"].map((message) => actor.tell(message))
    }
    actor.tell("during")
    expect(taken).toEqual([true, true, true, false])
    expect(seen.log).toEqual(["during#1", "a#2", "b#3", "c#4"])
  })

  supervised("does not leave while messages wait", function* () {
    const { actor, seen } = yield* setUp("daemon")
    const left: Array<boolean> = []
    seen.during = (self) => {
      self.tell("a")
      left.push(self.leave())
    }
    actor.tell("during")
    expect([left, seen.log.at(-1)]).toEqual([[false], "a#2"])
    expect(actor.leave()).toBe(true)
  })

  supervised("stops after its action when it is killed, hands over what is unread, and does not restart", function* () {
    const { actor, seen, supervisor } = yield* setUp("subscriber")
    seen.during = () => {
      actor.tell("a")
      actor.kill()
      expect([actor.gone, supervisor.find("subscriber", "one")]).toEqual([true, undefined])
    }
    actor.tell("during")
    yield* TestClock.adjust("10 minutes")
    expect(seen.log).toEqual(["during#1", "ended after 1, unread: a"])
    expect([supervisor.size("subscriber"), supervisor.crashes("subscriber")]).toEqual([0, 0])
  })
})

describe("an actor that leaves", () => {
  supervised("is not found any more, accepts no message, and frees its key", function* () {
    const { actor, seen, supervisor } = yield* setUp("daemon")
    actor.tell("leave")
    expect(supervisor.find("daemon", "one")).toBeUndefined()
    expect(actor.tell("late")).toBe(false)
    expect(seen.log.at(-1)).toBe("ended after 1, unread: ")
    expect(supervisor.spawn(recorder(seen, "daemon"), "one", () => 0)).toBeDefined()
  })
})

describe("a child of an actor", () => {
  supervised("tells its result to the actor, also when the mailbox is full", function* () {
    const { actor, seen, end } = yield* setUp("daemon")
    actor.tell("fork one")
    yield* end("one", Effect.succeed("result"))
    expect(seen.log).toEqual(["fork one#1", "one Success", "result#2"])
    actor.tell("fork two")
    seen.during = (self) => {
      for (const message of ["a", "b", "c"]) self.tell(message)
      Deferred.doneUnsafe(seen.children.get("two")!, Effect.succeed("late result"))
    }
    actor.tell("during")
    expect(seen.log.slice(-4)).toEqual(["a#5", "b#6", "c#7", "late result#8"])
  })

  supervised("is interrupted when its actor is killed, and the actor ends after it", function* () {
    const { actor, seen, supervisor } = yield* setUp("subscriber")
    actor.tell("fork one")
    actor.kill()
    expect(seen.log).toEqual(["fork one#1", "one Failure", "ended after 1, unread: "])
    expect(supervisor.size("subscriber")).toBe(0)
  })

  supervised(
    "that takes time to end holds the key of its actor meanwhile, and tells it nothing any more",
    function* () {
      const supervisor = yield* Supervisor
      const seen = newSeen()
      const closing = yield* Deferred.make<void>()
      const slow = Effect.as(Effect.uninterruptible(Deferred.await(closing)), "told late")
      const behaviour = recorder(seen, "subscriber", { perform: (_, __, self) => void self.pipeToSelf(slow) })
      const actor = supervisor.spawn(behaviour, "slow", () => 0)!
      actor.tell("a")
      actor.kill()
      expect([actor.tell("b"), supervisor.find("subscriber", "slow")]).toEqual([false, undefined])
      expect([supervisor.size("subscriber"), supervisor.spawn(behaviour, "slow", () => 0)]).toEqual([1, undefined])
      yield* Deferred.succeed(closing, undefined)
      yield* settle
      expect(seen.log).toEqual(["ended after 1, unread: "])
      expect(supervisor.size("subscriber")).toBe(0)
    }
  )

  for (const [how, result] of [
    ["dies", Effect.die(new Error("a bug"))],
    ["is interrupted from elsewhere", Effect.interrupt]
  ] as const) {
    supervised(`that ${how} is a crash of its actor, and the other children end with it`, function* () {
      const { actor, seen, supervisor, end } = yield* setUp("subscriber")
      actor.tell("fork one")
      actor.tell("fork two")
      yield* end("one", result)
      expect(seen.log.slice(2)).toEqual(["one Failure", "two Failure"])
      expect(supervisor.crashes("subscriber")).toBe(1)
      actor.tell("kept")
      yield* TestClock.adjust(1_000)
      expect(seen.log.at(-1)).toBe("kept#1")
    })
  }
})

for (const crash of ["crash", "throw"]) {
  describe(`an actor that crashes by "${crash}"`, () => {
    supervised("does not restart if it is a daemon's", function* () {
      const { actor, seen, supervisor } = yield* setUp("daemon")
      actor.tell("a")
      actor.tell(crash)
      expect(actor.gone).toBe(true)
      expect(supervisor.find("daemon", "one")).toBeUndefined()
      yield* TestClock.adjust("10 minutes")
      expect(seen.log.filter((line) => line.startsWith("ended"))).toEqual([
        `ended after ${crash === "crash" ? 1 : 2}, unread: ${crash}`
      ])
      expect(supervisor.crashes("daemon")).toBe(1)
    })

    supervised(
      "restarts after 1 s if it is a subscriber, with a new state and its mailbox, without that message",
      function* () {
        const { actor, seen, supervisor } = yield* setUp("subscriber")
        seen.during = (self) => {
          self.tell(crash)
          self.tell("kept")
        }
        actor.tell("during")
        const before = [...seen.log]
        expect(before.join()).not.toContain("kept")
        expect(["told meanwhile", "and again", "too many"].map((message) => actor.tell(message))).toEqual([
          true,
          true,
          false
        ])
        yield* TestClock.adjust(999)
        expect(seen.log).toEqual(before)
        yield* TestClock.adjust(1)
        expect(seen.log.slice(before.length)).toEqual(["kept#1", "told meanwhile#2", "and again#3"])
        expect(supervisor.find("subscriber", "one")).toBe(actor)
        expect(seen.log.join()).not.toContain("ended")
      }
    )

    supervised("ends when it is killed while it waits for its restart", function* () {
      const { actor, seen, supervisor } = yield* setUp("subscriber")
      actor.tell(crash)
      actor.tell("kept")
      actor.kill()
      yield* TestClock.adjust("10 minutes")
      expect(seen.log.at(-1)).toMatch(/^ended after \d, unread: kept$/u)
      expect(supervisor.size("subscriber")).toBe(0)
    })
  })
}

const begun = Effect.gen(function* () {
  const supervisor = yield* Supervisor
  const seen = newSeen()
  const results: Array<(message: string) => void> = []
  seen.during = (self) => results.push(self.resultToSelf())
  const actor = supervisor.spawn(recorder(seen, "subscriber"), "one", () => 0)!
  actor.tell("during")
  return { actor, seen, result: results[0]! }
})

describe("the result of work that has no fiber", () => {
  supervised("is told to the actor, also past the bound of its mailbox", function* () {
    const { actor, seen, result } = yield* begun
    seen.during = () => {
      for (const message of ["a", "b", "c", "refused"]) actor.tell(message)
      result("late")
    }
    actor.tell("during")
    expect(seen.log).toEqual(["during#1", "during#2", "a#3", "b#4", "c#5", "late#6"])
  })

  supervised("that comes after a crash is told to no later life", function* () {
    const { actor, seen, result } = yield* begun
    actor.tell("crash")
    result("between")
    yield* TestClock.adjust("10 seconds")
    result("after")
    actor.tell("next")
    expect(seen.log).toEqual(["during#1", "next#1"])
  })

  supervised("that comes after the end is dropped", function* () {
    const { actor, seen, result } = yield* begun
    actor.kill()
    result("after")
    expect(seen.log).toEqual(["during#1", "ended after 1, unread: "])
  })
})

const waking = (names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { actor, seen } = yield* setUp("subscriber")
    seen.during = (self) => {
      for (const [at, name] of names.entries()) self.wakeAfter(name, 1_000 * (at + 1), () => `${name} ${at}`)
    }
    actor.tell("during")
    return { actor, seen }
  })

describe("a wake", () => {
  supervised("is told to its actor when its time has passed, beside those of other names", function* () {
    const { seen } = yield* waking(["one", "other"])
    yield* TestClock.adjust(999)
    expect(seen.log).toEqual(["during#1"])
    yield* TestClock.adjust(1_001)
    expect(seen.log).toEqual(["during#1", "one 0#2", "other 1#3"])
  })

  supervised("replaces the one of its name", function* () {
    const { seen } = yield* waking(["one", "one"])
    yield* TestClock.adjust(10_000)
    expect(seen.log).toEqual(["during#1", "one 1#2"])
  })

  supervised("is cleared with its timer when its actor ends", function* () {
    const timers = yield* Timers
    const { actor } = yield* waking(["one"])
    expect(timers.size()).toBe(1)
    actor.kill()
    expect(timers.size()).toBe(0)
  })

  for (const how of ["crash", "throw"]) {
    supervised(`is told to no later life of an actor that crashes by "${how}"`, function* () {
      const { actor, seen } = yield* waking(["one"])
      actor.tell(how)
      yield* TestClock.adjust(10_000)
      actor.tell("next")
      expect(seen.log.filter((line) => !line.startsWith(how))).toEqual(["during#1", "next#1"])
    })
  }
})
