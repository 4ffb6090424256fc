/** What a connection's log frames lead to when some are dropped. */
import { describe, expect, it } from "vitest"
import { type AccountShare, takeCost } from "../../../actors/daemon/account-share.ts"
import { CommandRegistry } from "../../../actors/daemon/command-registry.ts"
import { decideFrame } from "../../../actors/daemon/decide-frame.ts"
import { decideLogAsked } from "../../../actors/daemon/decide-log.ts"
import { emptyBudget } from "../../../actors/daemon/frame-budget.ts"
import type { DaemonAction, DaemonState } from "../../../actors/daemon/state.ts"
import { costOf } from "../../../src/domain/limits/cost.ts"
import { accountCostBurstSeconds, accountCostPerSecond } from "../../../src/limits/cost.ts"
import { logFrameBytesMax } from "../../../src/limits/logs.ts"
import { extentOf } from "../../../src/protocol/codec.ts"
import { sessionLogCapability } from "../../../src/protocol/frames.ts"
import { shareAlone } from "../../support/account-shares.ts"

const manyNames = (number: number) => Array.from({ length: number }, (_, nth) => ({ [`n${nth}`]: 0 }))
const log = { kind: "session", id: "s1" } as const
const by = { hear: () => {}, doubt: () => {}, refused: () => {}, gone: () => {} }

const connected = (share: AccountShare): DaemonState => {
  const state = { capabilities: new Set([sessionLogCapability]), logs: undefined, share, budget: emptyBudget() }
  return state as unknown as DaemonState
}

const wordsOf = (actions: ReadonlyArray<DaemonAction>): ReadonlyArray<string> =>
  actions.map((action) => (action.do === "logs" ? Object.keys(action.telling).at(-1)! : action.do))

describe("a frame of log events", () => {
  it("that is taken after some were dropped is told behind a doubt, as more may have been dropped since the first", () => {
    const state = connected(shareAlone())
    decideLogAsked(state, { ask: "subscribe", log, deltas: false, by }, 0)
    const give = (bytes: number) => {
      const data = { log, logId: "a", lastSeq: 1, events: [{ seq: 1, type: "plan", timestamp: 1 }] }
      const text = JSON.stringify({ type: "log_events", data })
      return wordsOf(decideFrame(state, { type: "frame", text, bytes, now: 0 }))
    }
    const tooLarge = logFrameBytesMax + 1
    expect([100, tooLarge, tooLarge, 100, 100].map(give)).toEqual([
      ["frame"],
      ["doubt"],
      [],
      ["doubt", "frame"],
      ["frame"]
    ])
  })

  it.each([
    ["", (data: object) => JSON.stringify({ type: "log_events", data })],
    [", also one that says what it is behind its data", (data: object) => JSON.stringify({ data, type: "log_events" })]
  ])(
    "of many small values is dropped once its account cannot afford more, and leaves the half to other frames%s",
    (_, textOf) => {
      const share = shareAlone()
      const text = textOf({ log, logId: "a", lastSeq: 1, more: manyNames(1_000) })
      const bytes = text.length
      let given = 0
      // each from a machine of its own, so that no budget of a connection is met
      for (; given < 1_000; given++) {
        const state = connected(share)
        decideLogAsked(state, { ask: "subscribe", log, deltas: false, by }, 0)
        if (wordsOf(decideFrame(state, { type: "frame", text, bytes, now: 0 }))[0] === "doubt") break
      }
      const burst = accountCostPerSecond * accountCostBurstSeconds
      expect(given * bytes).toBeLessThan(burst / 10)
      expect(takeCost(share, burst / 2 - bytes, 0, 0)).toBe(true)
    }
  )

  it("that hides what it is costs what any other does, and ends its connection", () => {
    const share = shareAlone()
    const state = connected(share)
    decideLogAsked(state, { ask: "subscribe", log, deltas: false, by }, 0)
    takeCost(share, accountCostPerSecond * accountCostBurstSeconds, 0, 0)
    const text = `{"type":"status_event","data":{"more":[${"0,".repeat(100)}0]},"type":"log_events"}`
    expect(decideFrame(state, { type: "frame", text, bytes: text.length, now: 0 })[0]).toMatchObject({ do: "close" })
  })

  it("that says behind it that it is another is that one, and its reading is paid for once", () => {
    const share = shareAlone()
    const state = { ...connected(share), commands: new CommandRegistry() } as never as DaemonState
    decideLogAsked(state, { ask: "subscribe", log, deltas: false, by }, 0)
    const data = JSON.stringify({ more: manyNames(1_000) })
    const text = `{"type":"log_events","data":${data},"type":"telepathy"}`
    const before = share.node.all
    expect(wordsOf(decideFrame(state, { type: "frame", text, bytes: text.length, now: 0 }))).toEqual(["ignore", "send"])
    expect(share.node.all - before).toBe(costOf(0, extentOf(text)))
  })
})
