/** What a connection's log frames lead to when some are dropped. */
import { describe, expect, it } from "vitest"
import { decideLogAsked, decideLogText } from "../../../actors/daemon/decide-log.ts"
import type { DaemonAction, DaemonState } from "../../../actors/daemon/state.ts"
import { logFrameBytesMax } from "../../../src/limits/logs.ts"
import { sessionLogCapability } from "../../../src/protocol/frames.ts"

const log = { kind: "session", id: "s1" } as const
const by = { hear: () => {}, doubt: () => {}, refused: () => {}, gone: () => {} }

const wordsOf = (actions: ReadonlyArray<DaemonAction>): ReadonlyArray<string> =>
  actions.map((action) => (action.do === "logs" ? Object.keys(action.telling).at(-1)! : action.do))

describe("a frame of log events", () => {
  it("that is taken after some were dropped is told behind a doubt, as more may have been dropped since the first", () => {
    const state = { capabilities: new Set([sessionLogCapability]), logs: undefined } as unknown as DaemonState
    decideLogAsked(state, { ask: "subscribe", log, deltas: false, by }, 0)
    const give = (bytes: number) => {
      const data = { log, logId: "a", lastSeq: 1, events: [{ seq: 1, type: "plan", timestamp: 1 }] }
      return wordsOf(
        decideLogText(state, state.logs!, { text: JSON.stringify({ type: "log_events", data }), bytes, now: 0 })!
      )
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
})
