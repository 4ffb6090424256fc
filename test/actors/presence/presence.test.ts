/** Online or not: the rule of presence against a model, over random histories of connections. */
import { describe, expect, test } from "vitest"
import type { Order } from "../../../actors/presence/presence.ts"
import {
  away,
  type Presence,
  type PresenceAction,
  type PresenceEvent,
  step
} from "../../../actors/presence/presence.ts"
import { fc, forAll } from "../../support/properties.ts"

const here: Presence = { at: "here", epoch: 5, since: 1_000 }
const grace: Presence = { at: "grace", epoch: 5, since: 1_000, code: 1_006 }
const gone = (reason: string, code: number | undefined) => ({ do: "release", reason, code, connectedMs: 3_000 })

const claimed = (epoch: number): Presence => ({ at: "grace", epoch, since: 1_000 })
const joined = { event: "joined", epoch: 5 } as const
const claim = (epoch: number): PresenceEvent => ({ event: "claimed", epoch, since: 1_000 })
const left = (epoch: number, how: "clean" | "lost", code: number): PresenceEvent => ({
  event: "left",
  epoch,
  how,
  code,
  now: 4_000
})
const order = (reason: Order): PresenceEvent => ({ event: "ordered", reason, now: 4_000 })
const graceEnded: PresenceEvent = { event: "graceEnded", now: 4_000 }
const [start, stop] = [{ do: "startGrace" }, { do: "stopGrace" }]
const sendAway = (reason: Order) => ({ do: "sendAway", epoch: 5, reason })

describe("a daemon", () => {
  test.each<[string, Presence, PresenceEvent, Presence, ReadonlyArray<unknown>]>([
    ["that is away is in its grace once it is claimed", away, claim(5), claimed(5), [start]],
    ["that is away is not here by a connection that has no claim", away, joined, away, []],
    [
      "that is here is released at once when it closes cleanly",
      here,
      left(5, "clean", 1_001),
      away,
      [gone("closed", 1_001)]
    ],
    ["that is here enters its grace when it is lost", here, left(5, "lost", 1_006), grace, [start]],
    ["that is here is not released by a newer claim", here, claim(6), claimed(6), [{ do: "replace", epoch: 5 }, start]],
    ["that is here is not moved by the claim of an older connection", here, claim(5), here, []],
    ["that is here is not moved by the end of an older connection", here, left(4, "clean", 1_001), here, []],
    [
      "that is here is sent away by its owner",
      here,
      order("disconnected"),
      away,
      [sendAway("disconnected"), gone("disconnected", 4_404)]
    ],
    [
      "that is here is sent away when revoked",
      here,
      order("revoked"),
      away,
      [sendAway("revoked"), gone("revoked", 4_403)]
    ],
    [
      "that is here is sent away when disabled",
      here,
      order("disabled"),
      away,
      [sendAway("disabled"), gone("disabled", 4_423)]
    ],
    ["in its grace is released as timed out when that ends", grace, graceEnded, away, [gone("timeout", 1_006)]],
    ["whose node died is released without a close code", claimed(5), graceEnded, away, [gone("timeout", undefined)]],
    ["in its grace comes back with its time online going on", grace, joined, here, [stop]],
    ["in its grace does not come back by an older connection", grace, { event: "joined", epoch: 4 }, grace, []],
    ["in its grace gets a fresh one by a newer claim", grace, claim(6), claimed(6), [stop, start]],
    [
      "in its grace is released at once by its owner",
      grace,
      order("disconnected"),
      away,
      [stop, gone("disconnected", 1_006)]
    ]
  ])("%s", (_, before, event, presence, actions) => expect(step(before, event)).toEqual({ presence, actions }))
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
    forAll(fc.commands(steps, { maxCommands: 60 }), (history) => {
      fc.modelRun(() => ({ model: { online: false, open: false, newest: 0 }, real: new Daemon() }), history)
    })
  })
})
