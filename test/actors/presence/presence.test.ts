/** Online or not: the rule of presence against a model, over random histories of connections. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Order } from "../../../actors/presence/order-close.ts"
import {
  away,
  type Presence,
  type PresenceAction,
  type PresenceEvent,
  step
} from "../../../actors/presence/presence.ts"

const at = (presence: Presence, event: PresenceEvent) => step(presence, event)
const here: Presence = { at: "here", epoch: 5, since: 1_000 }
const grace: Presence = { at: "grace", epoch: 5, since: 1_000, code: 1_006 }
const gone = (reason: string, code: number) => ({ do: "release", reason, code, connectedMs: 3_000 })

describe("a daemon that is away", () => {
  test("is in its grace once it is claimed, until its connection is accepted", () => {
    expect(at(away, { event: "claimed", epoch: 4, since: 9 })).toEqual({
      presence: { at: "grace", epoch: 4, since: 9 },
      actions: [{ do: "startGrace" }]
    })
  })
  test("is not here by a connection that has no claim", () => {
    expect(at(away, { event: "joined", epoch: 4 })).toEqual({ presence: away, actions: [] })
  })
})

describe("a daemon that is here", () => {
  test("is released at once when it closes cleanly", () => {
    const turn = at(here, { event: "left", epoch: 5, how: "clean", code: 1_001, now: 4_000 })
    expect(turn).toEqual({ presence: away, actions: [gone("closed", 1_001)] })
  })
  test("enters its grace when it is lost", () => {
    const turn = at(here, { event: "left", epoch: 5, how: "lost", code: 1_006, now: 4_000 })
    expect(turn).toEqual({ presence: grace, actions: [{ do: "startGrace" }] })
  })
  test("has its older connection closed when a newer one claims it, and is not released", () => {
    expect(at(here, { event: "claimed", epoch: 6, since: 1_000 })).toEqual({
      presence: { at: "grace", epoch: 6, since: 1_000 },
      actions: [{ do: "replace", epoch: 5 }, { do: "startGrace" }]
    })
  })
  test("is not moved by the claim of an older connection", () => {
    expect(at(here, { event: "claimed", epoch: 5, since: 1_000 })).toEqual({ presence: here, actions: [] })
  })
  test("is not moved by the end of an older connection", () => {
    expect(at(here, { event: "left", epoch: 4, how: "clean", code: 1_001, now: 4_000 })).toEqual({
      presence: here,
      actions: []
    })
  })
  for (const [reason, code] of [
    ["disconnected", 4_404],
    ["revoked", 4_403],
    ["disabled", 4_423]
  ] as const) {
    test(`is sent away and released as ${reason} at once by an order`, () => {
      expect(at(here, { event: "ordered", reason, now: 4_000 })).toEqual({
        presence: away,
        actions: [{ do: "sendAway", epoch: 5, reason }, gone(reason, code)]
      })
    })
  }
})

describe("a daemon in its grace", () => {
  test("is released as timed out when the grace ends", () => {
    expect(at(grace, { event: "graceEnded", now: 4_000 })).toEqual({
      presence: away,
      actions: [gone("timeout", 1_006)]
    })
  })
  test("is released without a close code when none is known, as after the death of its node", () => {
    const { presence } = at(away, { event: "claimed", epoch: 5, since: 1_000 })
    const { actions } = at(presence, { event: "graceEnded", now: 4_000 })
    expect(actions).toEqual([{ do: "release", reason: "timeout", code: undefined, connectedMs: 3_000 }])
  })
  test("comes back with its time online going on", () => {
    expect(at(grace, { event: "joined", epoch: 5 })).toEqual({ presence: here, actions: [{ do: "stopGrace" }] })
  })
  test("does not come back by an older connection", () => {
    expect(at(grace, { event: "joined", epoch: 4 })).toEqual({ presence: grace, actions: [] })
  })
  test("gets a fresh grace by a newer claim", () => {
    expect(at(grace, { event: "claimed", epoch: 6, since: 1_000 })).toEqual({
      presence: { at: "grace", epoch: 6, since: 1_000 },
      actions: [{ do: "stopGrace" }, { do: "startGrace" }]
    })
  })
  test("is released as disconnected at once by its owner's order", () => {
    expect(at(grace, { event: "ordered", reason: "disconnected", now: 4_000 })).toEqual({
      presence: away,
      actions: [{ do: "stopGrace" }, gone("disconnected", 1_006)]
    })
  })
})

/** What a stranger would say of the daemon: is it online, is its newest connection open. */
interface Model {
  online: boolean
  open: boolean
  newest: number
}

class Daemon {
  presence: Presence = away
  now = 0
  releases = 0
  times = 0
  graceRunning = false
  closed: Array<number> = []

  tell(event: PresenceEvent): ReadonlyArray<PresenceAction> {
    const turn = step(this.presence, event)
    this.presence = turn.presence
    for (const action of turn.actions) {
      if (action.do === "release") this.releases++
      if (action.do === "startGrace") this.graceRunning = true
      if (action.do === "stopGrace") this.graceRunning = false
      if (action.do === "replace" || action.do === "sendAway") this.closed.push(action.epoch)
    }
    return turn.actions
  }
}

const agree = (model: Model, real: Daemon): void => {
  expect(real.presence.at !== "away").toBe(model.online)
  expect(real.presence.at === "here").toBe(model.open)
  // once at the end of each time online
  expect(real.releases).toBe(real.times - (model.online ? 1 : 0))
  expect(real.graceRunning).toBe(real.presence.at === "grace")
}

type Step = fc.Command<Model, Daemon>

const action = (name: string, check: (model: Model) => boolean, run: (model: Model, real: Daemon) => void): Step => ({
  check,
  run: (model, real) => {
    real.now += 1_000
    run(model, real)
    agree(model, real)
  },
  toString: () => name
})

const joins = action(
  "joins",
  () => true,
  (model, real) => {
    const epoch = model.newest + 1
    const replaced = model.open ? [{ do: "replace", epoch: model.newest }] : []
    if (!model.online) real.times++
    const actions = real.tell({ event: "claimed", epoch, since: real.now })
    real.tell({ event: "joined", epoch })
    expect(actions.filter((done) => done.do === "replace")).toEqual(replaced)
    Object.assign(model, { online: true, open: true, newest: epoch })
  }
)
const leaves = (how: "clean" | "lost") =>
  action(
    `leaves ${how}`,
    ({ open }) => open,
    (model, real) => {
      real.tell({ event: "left", epoch: model.newest, how, code: 1_000, now: real.now })
      Object.assign(model, { online: how === "lost", open: false })
    }
  )
const stale = (back: number, how: "clean" | "lost") =>
  action(
    `connection ${back} before the newest ends ${how}`,
    () => true,
    (model, real) => {
      expect(real.tell({ event: "left", epoch: model.newest - back, how, code: 1_000, now: real.now })).toEqual([])
    }
  )
const waits = action(
  "the grace ends",
  () => true,
  (model, real) => {
    if (!real.graceRunning) return
    real.graceRunning = false
    real.tell({ event: "graceEnded", now: real.now })
    model.online = false
  }
)
const ordered = (reason: Order) =>
  action(
    `is ${reason}`,
    () => true,
    (model, real) => {
      real.tell({ event: "ordered", reason, now: real.now })
      if (model.open) expect(real.closed.at(-1)).toBe(model.newest)
      Object.assign(model, { online: false, open: false })
    }
  )

describe("over any history", () => {
  test("each time online is released once, and older connections move nothing", () => {
    const steps = [
      fc.constant(joins),
      fc.constantFrom<"clean" | "lost">("clean", "lost").map(leaves),
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom<"clean" | "lost">("clean", "lost"))
        .map((of) => stale(...of)),
      fc.constant(waits),
      fc.constantFrom<Order>("disconnected", "revoked", "disabled").map(ordered)
    ]
    fc.assert(
      fc.property(fc.commands(steps, { maxCommands: 60 }), (history) => {
        fc.modelRun(() => ({ model: { online: false, open: false, newest: 0 }, real: new Daemon() }), history)
      })
    )
  })
})
