/** How a connection closes that ends by an order. Owns that table; closes nothing. */
import { type CloseRule, close, disabledClose } from "../../src/protocol/close.ts"
import type { Order } from "./presence.ts"

/** Its code and reason. A daemon of a disabled account is told its own time to come back. */
export const closeOf = (reason: Order, daemonId: string): CloseRule => {
  if (reason === "disabled") return disabledClose(daemonId)
  return reason === "revoked" ? close.tokenRevoked : close.disconnected
}
