/** How a connection ends: once, and with everyone told. Owns that turn; closes nothing itself. */
import type { CloseRule } from "../../src/protocol/close.ts"
import type { DaemonAction, DaemonState, Departure } from "./state.ts"

/** The connection is over, whose socket is closed already: who waits is told, and presence learns how it ended. */
export const endClosed = (state: DaemonState, code: number, departure: Departure): ReadonlyArray<DaemonAction> => {
  state.over = true
  return [{ do: "failAll" }, { do: "depart", departure, code }, { do: "leave" }]
}

/** The same, and the socket is closed. */
export const end = (state: DaemonState, rule: CloseRule, departure: Departure): ReadonlyArray<DaemonAction> => [
  { do: "close", rule },
  ...endClosed(state, rule.code, departure)
]
