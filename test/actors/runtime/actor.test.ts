/** Turns, mailboxes, exits and restarts of actors. */
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Actor, ActorKind, Behaviour } from "../../../actors/runtime/actor.ts"
import { restartDelay, restartRules, Supervisor } from "../../../actors/runtime/supervisor.ts"
import { healthyMillis, residentActorsMax } from "../../../src/limits.ts"

type Message = string
type Action = string

interface Seen {
  readonly log: Array<string>
  readonly gates: Map<string, Deferred.Deferred<void>>
}

/** Logs its messages. A message with a gate waits for it, "crash" throws in decide, and "fail" fails in perform. */
const recorder = (
  seen: Seen,
  kind: ActorKind,
  more: Partial<Behaviour<number, Message, Action>> = {}
): Behaviour<number, Message, Action> => ({
  kind,
  mailboxMax: 3,
  decide: (state, message) => {
    if (message === "crash") throw new Error("decide crashed")
    return { state: state + 1, actions: [message] }
  },
  perform: (action, state, self) => {
    seen.log.push(`${action}#${state}`)
    if (action === "fail") return Effect.fail("performed badly")
    if (action === "leave") self.leave()
    if (action === "again") self.tell("echo")
    const gate = seen.gates.get(action)
    return gate === undefined ? undefined : Deferred.await(gate)
  },
  ended: (state, exit, _self, unread) => {
    seen.log.push(`ended ${exit._tag} after ${state}, unread: ${unread.join(",")}`)
  },
  ...more
})

const setUp = (kind: ActorKind, gates: ReadonlyArray<string> = [], dormant = false) =>
  Effect.gen(function* () {
    const supervisor = yield* Supervisor
    const seen: Seen = { log: [], gates: new Map() }
    for (const gate of gates) seen.gates.set(gate, yield* Deferred.make<void>())
    const spawn = dormant ? supervisor.spawnDormant : supervisor.spawn
    const actor = spawn(recorder(seen, kind), "one", () => 0) as Actor<Message>
    return { supervisor, seen, actor, open: (gate: string) => Deferred.succeed(seen.gates.get(gate)!, undefined) }
  })

const settle = Effect.andThen(Effect.yieldNow, Effect.yieldNow)

for (const dormant of [false, true]) {
  describe(dormant ? "a dormant actor" : "an actor", () => {
    it.effect("handles a message before tell returns when no effect is awaited", () =>
      Effect.gen(function* () {
        const { actor, seen } = yield* setUp("daemon", [], dormant)
        expect(actor.tell("a")).toBe(true)
        expect(seen.log).toEqual(["a#1"])
      }).pipe(Effect.provide(Supervisor.layer))
    )

    it.effect("finishes a turn before it takes the next message, also one that it sent to itself", () =>
      Effect.gen(function* () {
        const { actor, seen, open } = yield* setUp("daemon", ["slow"], dormant)
        actor.tell("slow")
        actor.tell("again")
        expect(seen.log).toEqual(["slow#1"])
        yield* open("slow")
        yield* settle
        expect(seen.log).toEqual(["slow#1", "again#2", "echo#3"])
        actor.tell("b")
        expect(seen.log.at(-1)).toBe("b#4")
      }).pipe(Effect.provide(Supervisor.layer))
    )

    it.effect("refuses a fourth queued message and keeps the first three", () =>
      Effect.gen(function* () {
        const { actor, seen, open } = yield* setUp("daemon", ["slow"], dormant)
        actor.tell("slow")
        expect(["a", "b", "c", "d"].map((message) => actor.tell(message))).toEqual([true, true, true, false])
        yield* open("slow")
        yield* settle
        expect(seen.log).toEqual(["slow#1", "a#2", "b#3", "c#4"])
      }).pipe(Effect.provide(Supervisor.layer))
    )

    it.effect("leaves the supervisor's map before it stops and accepts no message afterwards", () =>
      Effect.gen(function* () {
        const { actor, seen, supervisor } = yield* setUp("daemon", [], dormant)
        actor.tell("leave")
        expect(supervisor.find("daemon", "one")).toBeUndefined()
        expect(actor.tell("late")).toBe(false)
        expect(seen.log.at(-1)).toBe("ended Success after 1, unread: ")
        expect(supervisor.spawn(recorder(seen, "daemon"), "one", () => 0)).toBeDefined()
      }).pipe(Effect.provide(Supervisor.layer))
    )

    it.effect("does not leave while messages wait", () =>
      Effect.gen(function* () {
        const { actor, open } = yield* setUp("daemon", ["slow"], dormant)
        actor.tell("slow")
        actor.tell("a")
        expect(actor.leave()).toBe(false)
        yield* open("slow")
        yield* settle
        expect(actor.leave()).toBe(true)
      }).pipe(Effect.provide(Supervisor.layer))
    )

    it.effect("that is killed during a turn stops, returns its unread messages and does not restart", () =>
      Effect.gen(function* () {
        const { actor, seen, open, supervisor } = yield* setUp("subscriber", ["slow"], dormant)
        actor.tell("slow")
        actor.tell("a")
        actor.kill()
        yield* open("slow")
        yield* TestClock.adjust("10 minutes")
        expect(seen.log).toEqual(["slow#1", "ended Failure after 1, unread: slow,a"])
        expect(supervisor.size("subscriber")).toBe(0)
        expect(supervisor.crashes("subscriber")).toBe(0)
      }).pipe(Effect.provide(Supervisor.layer))
    )

    for (const crash of ["crash", "fail"]) {
      it.effect(`of kind daemon does not restart after "${crash}"`, () =>
        Effect.gen(function* () {
          const { actor, seen, supervisor } = yield* setUp("daemon", [], dormant)
          actor.tell("a")
          actor.tell(crash)
          yield* settle
          expect(actor.gone).toBe(true)
          expect(supervisor.find("daemon", "one")).toBeUndefined()
          yield* TestClock.adjust("10 minutes")
          expect(seen.log.filter((line) => line.startsWith("ended")).length).toBe(1)
          expect(supervisor.crashes("daemon")).toBe(1)
        }).pipe(Effect.provide(Supervisor.layer))
      )

      it.effect(`of kind subscriber restarts after 1 s with a new state and its mailbox, but without "${crash}"`, () =>
        Effect.gen(function* () {
          const { actor, seen, supervisor } = yield* setUp("subscriber", ["slow"], dormant)
          actor.tell("slow")
          actor.tell(crash)
          actor.tell("kept")
          yield* Deferred.succeed(seen.gates.get("slow")!, undefined)
          yield* settle
          const before = [...seen.log]
          expect(before).not.toContain("kept#1")
          expect(actor.tell("told meanwhile")).toBe(true)
          yield* TestClock.adjust(999)
          expect(seen.log).toEqual(before)
          yield* TestClock.adjust(1)
          yield* settle
          expect(seen.log.slice(before.length)).toEqual(["kept#1", "told meanwhile#2"])
          expect(supervisor.find("subscriber", "one")).toBe(actor)
          expect(seen.log.join()).not.toContain("ended")
        }).pipe(Effect.provide(Supervisor.layer))
      )
    }
  })
}

describe("the supervisor", () => {
  it("doubles the restart delay per consecutive crash, up to the maximum of the kind", () => {
    const waits = (kind: ActorKind) => [1, 2, 3, 7, 40].map((streak) => restartDelay(restartRules[kind], streak))
    expect(waits("daemon")).toEqual([undefined, undefined, undefined, undefined, undefined])
    expect(waits("subscriber")).toEqual([1_000, 2_000, 4_000, 60_000, 60_000])
    expect(waits("bucket")).toEqual([50, 100, 200, 1_000, 1_000])
  })

  it.effect("sends an actor its opening message at the first start and at every restart", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const seen: Seen = { log: [], gates: new Map() }
      const actor = supervisor.spawn(recorder(seen, "bucket", { opening: "hello" }), "b", () => 0)!
      actor.tell("crash")
      yield* TestClock.adjust(50)
      yield* settle
      expect(seen.log).toEqual(["hello#1", "hello#1"])
    }).pipe(Effect.provide(Supervisor.layer))
  )

  it.effect(`resets the restart delay of an actor that ran for more than ${healthyMillis / 1_000} s`, () =>
    Effect.gen(function* () {
      const { actor, seen } = yield* setUp("subscriber")
      const livesAgainAfter = Effect.fnUntraced(function* (millis: number) {
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
    }).pipe(Effect.provide(Supervisor.layer))
  )

  it.effect("refuses a key in use", () =>
    Effect.gen(function* () {
      const { supervisor, seen } = yield* setUp("daemon")
      expect(supervisor.spawn(recorder(seen, "daemon"), "one", () => 0)).toBeUndefined()
    }).pipe(Effect.provide(Supervisor.layer))
  )

  it.effect("refuses an actor beyond the residency cap of its kind", () =>
    Effect.gen(function* () {
      const supervisor = yield* Supervisor
      const behaviour = recorder({ log: [], gates: new Map() }, "daemon", { ended: () => {} })
      for (let n = 0; n < residentActorsMax.daemon; n++) supervisor.spawnDormant(behaviour, `${n}`, () => 0)
      expect(supervisor.size("daemon")).toBe(residentActorsMax.daemon)
      expect(supervisor.spawn(behaviour, "one more", () => 0)).toBeUndefined()
      supervisor.find("daemon", "7")?.kill()
      expect(supervisor.spawn(behaviour, "one more", () => 0)).toBeDefined()
    }).pipe(Effect.provide(Supervisor.layer))
  )

  it.effect("waits for the last actor without polling and names the remaining actors at the deadline", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(Supervisor.layer))
  )

  it.effect("kills all actors when it closes and restarts none", () =>
    Effect.gen(function* () {
      const seen: Seen = { log: [], gates: new Map() }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const supervisor = yield* Supervisor
          supervisor.spawn(recorder(seen, "subscriber"), "up", () => 0)
          supervisor.spawn(recorder(seen, "subscriber", { opening: "crash" }), "down", () => 0)
        }).pipe(Effect.provide(Supervisor.layer, { local: true }))
      )
      yield* TestClock.adjust("10 minutes")
      expect(seen.log).toEqual(["ended Failure after 0, unread: ", "ended Failure after 0, unread: crash"])
    })
  )
})
