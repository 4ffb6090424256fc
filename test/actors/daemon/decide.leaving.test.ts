/** When a daemon that is to leave a draining node does: once no command runs that would end with its connection. */
import { expect, it } from "vitest"
import { decide } from "../../../actors/daemon/decide.ts"
import { newState } from "../../../actors/daemon/perform.ts"
import type { DaemonMessage } from "../../../actors/daemon/state.ts"

const command: DaemonMessage = {
  type: "command",
  pending: {
    id: "cmd_1",
    type: "terminal_exec",
    waiter: () => {},
    row: { durable: false, until: 1_000 },
    acceptedAt: 0,
    timer: undefined
  },
  text: "",
  millis: 1_000
}

it("goes once the time of a stored command is over that its daemon never answers", () => {
  const state = newState({
    snapshot: { sessions: [] },
    capabilities: new Set(),
    shared: {},
    now: 0
  } as unknown as Parameters<typeof newState>[0])
  const does = (message: DaemonMessage): ReadonlyArray<string> =>
    decide(state, message).actions.map((action) => action.do)
  does(command)
  expect(does({ type: "slotOver", now: 999 })).toEqual([])
  expect(does({ type: "heard", now: 1_000, pong: undefined })).toEqual([])
  expect(does({ type: "heard", now: 1_001, pong: undefined })).toContain("leave")
})
