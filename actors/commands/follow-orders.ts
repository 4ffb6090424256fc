/** Carries out on this node the orders that others, or the administration, give to all nodes. Gives none itself. */
import { Effect } from "effect"
import type { Bus } from "../../src/bus/bus.ts"
import type { Roster } from "../presence/roster.ts"

/** What carries them out. */
interface Ordered {
  readonly bus: Bus["Service"]
  readonly roster: Roster["Service"]
}

/** Follows them until its scope ends. */
export const followOrders = Effect.fnUntraced(function* ({ bus, roster }: Ordered) {
  const orderEach = (accountId: string, reason: "revoked" | "disabled"): void => {
    for (const { daemonId } of roster.of(accountId)) roster.ordered(daemonId, reason)
  }
  yield* bus.subscribe("account_removed", ({ accountId }) => orderEach(accountId, "revoked"))
  yield* bus.subscribe("account_disabled", ({ accountId }) => orderEach(accountId, "disabled"))
  yield* bus.subscribe("token_revoked", ({ daemonId, olderThan }) => {
    if (olderThan !== undefined) roster.find(daemonId)?.daemon?.tell({ type: "superseded", tokenAt: olderThan })
  })
  yield* bus.subscribe("daemon_tagged", ({ daemonId, ownerTags }) => roster.tagged(daemonId, ownerTags))
  yield* bus.subscribe("daemon_ordered", (ordered) => {
    roster.ordered(ordered.daemonId, ordered.order === "revoke" ? "revoked" : "disconnected")
  })
})
