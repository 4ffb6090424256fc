/** How a connection ends: once, and with everyone told. Owns that turn; closes nothing itself. */
import type { CloseRule } from "../../src/protocol/close.ts"
import type { DaemonAction, DaemonState, Departure } from "./state.ts"

/** The connection is over: who waits is told, the socket closed unless it already is, presence learns how it ended. */
export const end = (
  state: DaemonState,
  rule: CloseRule | undefined,
  departure: Departure
): ReadonlyArray<DaemonAction> => {
  state.over = true
  const rest: ReadonlyArray<DaemonAction> = [{ do: "failAll" }, { do: "depart", departure }, { do: "leave" }]
  return rule === undefined ? rest : [{ do: "close", rule }, ...rest]
}
