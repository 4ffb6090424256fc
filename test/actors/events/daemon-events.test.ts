/** From what a daemon does to events: acknowledged after the commit, kept while the store is away. */
import { Effect, Latch, Layer, Logger, ManagedRuntime } from "effect"
import { describe, expect, it } from "vitest"
import { DaemonEvents, eventNumber } from "../../../actors/events/daemon-events.ts"
import { Dispatcher } from "../../../actors/events/dispatcher.ts"
import { layerMemory } from "../../../src/bus/memory.ts"
import type { HubEvent } from "../../../src/domain/event/hub-event.ts"
import { StoreFailed } from "../../../src/errors.ts"
import { agentStatusMillis, eventsRetriedMax, eventsWaitingMax } from "../../../src/limits/delivery.ts"
import { entryOf } from "../../../src/runtime/log.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { silentAuditLog } from "../../support/silent-audit-log.ts"
import { silentPush } from "../../support/silent-push.ts"
import { session, snapshot } from "../../support/snapshots.ts"
import { until } from "../../support/until.ts"

const away = new StoreFailed({ operation: "commit", cause: "away" })

/**
 * A dispatcher that fails its first `failures` calls, and answers once `ready`; `unwanted`: it has nothing to do. What
 * is ready with `false` it does not take.
 */
const world = async (failures = 0, ready: Effect.Effect<unknown> = Effect.void, unwanted = false) => {
  const happened: Array<HubEvent> = []
  let calls = 0
  const dispatcher = Layer.succeed(Dispatcher, {
    prepare: (hubEvent) =>
      Effect.succeed({
        deliveries: [],
        committed: (inserted) => {
          if (inserted !== undefined) happened.push(hubEvent)
        }
      }),
    dispatch: (hubEvent) =>
      Effect.suspend(() => {
        if (++calls <= failures) return Effect.fail(away)
        return Effect.map(ready, (is) => {
          if (is !== false) happened.push(hubEvent)
          return is !== false
        })
      }),
    dispatchUnwanted: () => unwanted
  })
  const runtime = ManagedRuntime.make(
    DaemonEvents.layer.pipe(
      Layer.provide(Layer.mergeAll(dispatcher, Timers.layer, layerMemory, silentAuditLog, silentPush))
    )
  )
  const events = await runtime.runPromise(DaemonEvents)
  const acks: Array<string> = []
  const report = (members: object) =>
    events.reported(snapshot([]), { event: "agent:stopped", timestamp: 5, ...members }, (id) => void acks.push(id))
  return { events, happened, acks, report, calls: () => calls, close: () => runtime.dispose() }
}

/** A dispatcher that answers nobody until `back` is called. */
const stuck = async () => {
  const latch = Latch.makeUnsafe()
  return { ...(await world(0, latch.await)), back: () => latch.openUnsafe() }
}

describe("what a daemon reports", () => {
  it("is dispatched with its number, and acknowledged after the commit", async () => {
    const { happened, acks, report } = await world()
    report({ id: "e1" })
    await until("it is acknowledged", () => acks.length === 1)
    expect(acks).toEqual(["e1"])
    expect(happened[0]).toMatchObject({ accountId: "a", daemonId: "d", dedupe: { daemonId: "d", id: "e1" } })
  })

  it("is acknowledged at once, and nothing dispatched, where no webhook wants it", async () => {
    const { acks, report, calls } = await world(0, Effect.never, true)
    report({ id: "e1" })
    report({})
    expect([acks, calls()]).toEqual([["e1"], 0])
  })

  it("is not acknowledged while the commit fails, and is tried again without its daemon", async () => {
    const { happened, acks, report, calls } = await world(2)
    report({ id: "e1" })
    await until("it was tried", () => calls() === 1)
    expect(acks).toEqual([])
    await until("it is acknowledged", () => acks.length === 1)
    expect([happened.length, calls()]).toEqual([1, 3])
  })

  it(`is tried again with ${eventsRetriedMax - 1} others, and more are left to their daemons`, async () => {
    const { acks, report, calls } = await world(eventsRetriedMax + 1)
    for (let n = 0; n <= eventsRetriedMax; n++) report({ id: `e${n}` })
    await until("each was tried", () => calls() > eventsRetriedMax)
    await until("those that may are acknowledged", () => acks.length === eventsRetriedMax)
    expect(acks).not.toContain(`e${eventsRetriedMax}`)
    report({ id: `e${eventsRetriedMax}` })
    await until("the daemon's own try is acknowledged", () => acks.length === eventsRetriedMax + 1)
  })

  it("is neither acknowledged nor tried again where its account is disabled, so that its daemon keeps it", async () => {
    const { happened, acks, report, calls, close } = await world(1, Effect.succeed(false))
    report({ id: "e1" })
    report({})
    await until("both were tried, the first once more as the store was away", () => calls() === 3)
    await close()
    expect([happened, acks, calls()]).toEqual([[], [], 3])
  })

  it("is acknowledged and dropped when its name is unknown or reserved", async () => {
    const { happened, acks, report } = await world()
    report({ id: "e1", event: "agent:approve_request" })
    report({ id: "e2", event: "nonsense" })
    report({ event: "nonsense" })
    expect(acks).toEqual(["e1", "e2"])
    expect(happened).toEqual([])
  })

  it("without a number is tried again while the store is away, since nobody else will", async () => {
    const { happened, report } = await world(2)
    report({})
    await until("it is dispatched", () => happened.length === 1)
    expect(happened[0]).not.toHaveProperty("dedupe")
  })
})

it(`while the store is away ${eventsWaitingMax} events of the hub's own making wait for it, and more are lost`, async () => {
  const { happened, report, calls, back } = await stuck()
  for (let n = 0; n < eventsWaitingMax + 2; n++) report({ targetSessionId: `${n}` })
  await until("all that may wait do", () => calls() === eventsWaitingMax)
  back()
  await until("those are dispatched", () => happened.length === eventsWaitingMax)
  expect(happened.at(-1)!.payload["targetSessionId"]).toBe(`${eventsWaitingMax - 1}`)
  report({ targetSessionId: "next" })
  await until("there is room again", () => happened.length === eventsWaitingMax + 1)
})

describe("the log, while what is reported cannot be committed", () => {
  const crowd = 1_000

  /** What is logged of a crowd of events, until the end of the hub. */
  const logged = async (dispatch: Dispatcher["Service"]["dispatch"], numbered: boolean) => {
    const entries: Array<Record<string, unknown>> = []
    const log = Logger.make((options: Logger.Options<unknown>) => void entries.push(entryOf(options, {})))
    let calls = 0
    const dispatcher = Layer.succeed(Dispatcher, {
      dispatch: (hubEvent) => Effect.suspend(() => (calls++ < crowd ? dispatch(hubEvent) : Effect.succeed(true))),
      dispatchUnwanted: () => false,
      prepare: () => Effect.succeed({ deliveries: [], committed: () => {} })
    })
    const runtime = ManagedRuntime.make(
      DaemonEvents.layer.pipe(
        Layer.provide(
          Layer.mergeAll(dispatcher, Timers.layer, layerMemory, silentAuditLog, silentPush, Logger.layer([log]))
        )
      )
    )
    const events = await runtime.runPromise(DaemonEvents)
    for (let n = 0; n < crowd; n++) {
      const members = { event: "agent:stopped", timestamp: 5, ...(numbered ? { id: `e${n}` } : {}) }
      events.reported(snapshot([]), members, () => {})
    }
    await until("each was tried", () => calls >= crowd)
    await runtime.dispose()
    return entries.map(({ message, event, heldBack }) => [message, event, heldBack])
  }
  const twice = (words: string) => [
    [words, "agent:stopped", 0],
    [words, "agent:stopped", crowd - 2]
  ]

  it("has the first and the last of many that fail, with how many it has not", async () => {
    const failing = () => Effect.fail(away)
    expect(await logged(failing, true)).toEqual(twice("an event is not committed yet and is tried again"))
  })

  it("has the first and the last of many that meet a bug", async () => {
    const buggy = () => Effect.die(new Error("a bug"))
    expect(await logged(buggy, true)).toEqual(twice("an event is not committed"))
    expect(await logged(buggy, false)).toEqual(twice("an event could not be dispatched"))
  })

  it("has each of two different bugs", async () => {
    let nth = 0
    const either = () => Effect.die(nth++ % 2 === 0 ? new Error("one") : new TypeError("other"))
    const words = "an event is not committed"
    const each = (heldBack: number) => [words, "agent:stopped", heldBack]
    const held = crowd / 2 - 2
    expect(await logged(either, true)).toEqual([each(0), each(0), each(held), each(held)])
  })
})

it("an event's number is kept as it is when it is short and plain, and as a hash otherwise", () => {
  expect(eventNumber("evt_1")).toBe("evt_1")
  expect(eventNumber("x".repeat(64))).toBe("x".repeat(64))
  for (const odd of ["x".repeat(65), "a\u0000b", "é", "a\nb"]) expect(eventNumber(odd)).toMatch(/^[0-9a-f]{64}$/u)
  expect(eventNumber("a\u0000")).not.toBe(eventNumber("a\u0001"))
})

describe("a daemon", () => {
  it("comes and goes by daemon:connect and daemon:disconnect once another write has committed them", async () => {
    const { events, happened } = await world()
    const whole = new Set<string>()
    Effect.runSync(events.connecting(snapshot([]), 5)).committed(whole)
    const ended = { reason: "timeout", connectedMs: 7, at: 6 } as const
    const lost = Effect.runSync(events.disconnecting(snapshot([]), ended))
    lost.committed(undefined)
    expect(happened).toHaveLength(1)
    Effect.runSync(events.disconnecting(snapshot([]), ended)).committed(whole)
    expect(happened.map((one) => [one.event, one.payload["reason"]])).toEqual([
      ["daemon:connect", undefined],
      ["daemon:disconnect", "timeout"]
    ])
  })

  it("whose last change waits when the hub closes is compared with what was told by the next hub", async () => {
    const { events, happened, close } = await world()
    const at = (status: string) => snapshot([session("s", { status })])
    events.snapshotChanged(at("idle"))
    events.snapshotChanged(at("generating"))
    await until("the first is told", () => happened.length === 1)
    events.snapshotChanged(at("error"))
    await close()
    expect(happened).toHaveLength(1)
    const { told } = happened[0]!
    expect(told).toMatchObject({ states: '{"s":"generating"}' })
    const next = await world()
    next.events.snapshotChanged(at("error"), { ...told!, at: told!.at - agentStatusMillis })
    await until("the last is told", () => next.happened.length === 1)
    expect(next.happened[0]!.payload["agents"]).toMatchObject([{ status: "error", previousStatus: "generating" }])
    await next.close()
  })

  it("of which a newer change was told on another node meanwhile is compared with that", async () => {
    const { events, happened, close } = await world()
    const at = (status: string) => snapshot([session("s", { status })])
    events.snapshotChanged(at("idle"))
    events.snapshotChanged(at("generating"), { at: Date.now(), states: '{"s":"generating"}' })
    expect(happened).toEqual([])
    events.snapshotChanged(at("error"), { at: undefined, states: "{}" })
    events.snapshotChanged(at("generating"), { at: 1, states: '{"s":"error"}' })
    await close()
    expect(happened).toEqual([])
  })
})
