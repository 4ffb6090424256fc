/** The chapter of an administrator: the daemons of all accounts, found, shown and sent away. */
import { until } from "../../support/until.ts"
import type { Calls } from "./calls.ts"
import { answered, refused, type World } from "./fixture.ts"

/** What an administrator may, and the owner of the daemons may not. */
export const administration = async (
  { daemons, owner }: World,
  administrator: Calls,
  session: Calls,
  anyone: Calls
): Promise<void> => {
  const path = { daemonId: daemons.sentAway }
  const { nextCursor } = await answered(administrator["adminDaemons.list"]({ query: { limit: 1 } }))
  await answered(administrator["adminDaemons.list"]({ query: { limit: 1, cursor: nextCursor } }))
  await refused(administrator["adminDaemons.list"]({ query: { cursor: "none" } }), 400, "VALIDATION_FAILED")
  const header = { "idempotency-key": "sent-away-once" }
  await answered(administrator["adminDaemons.disconnect"]({ path, header }))
  const filter = { account: owner.email, online: "false" as const, closeCode: 4404, identityCopied: "false" as const }
  const end = { seenSince: 1, seenBefore: Date.now() + 600_000, closeReason: "disconnected" as const }
  await until("the end is noted", async () => {
    const { version } = await answered(administrator["adminDaemons.show"]({ path }))
    const query = { ...filter, ...end, version }
    const { daemons: found } = await answered(administrator["adminDaemons.list"]({ query }))
    return found.some(({ id, online }: { id: string; online: boolean }) => id === daemons.sentAway && !online)
  })
  await refused(administrator["adminDaemons.show"]({ path: { daemonId: "none" } }), 404, "NOT_FOUND")
  await refused(session["adminDaemons.list"]({}), 403, "AUTH_FORBIDDEN")
  await refused(session["adminDaemons.disconnect"]({ path }), 403, "AUTH_FORBIDDEN")
  await refused(anyone["adminDaemons.show"]({ path }), 401, "AUTH_REQUIRED")
}
