/** The chapter of a session: what happened there, in pages, and the stream. */
import type { Calls } from "./calls.ts"
import { answered, refused, type World } from "./fixture.ts"

/** The log of a session. */
export const sessions = async (world: World, key: Calls, reading: Calls): Promise<void> => {
  const path = { daemonId: world.daemons.twice, sessionId: "s1" }
  const first = await answered(key["sessions.events"]({ path, query: { limit: 1 } }))
  await answered(key["sessions.events"]({ path, query: { after: first.next, deltas: "false" } }))
  const oldest = await answered(key["sessions.stream"]({ path, query: { after: "0", deltas: "false" } }))
  const header = { "last-event-id": oldest.id }
  await answered(key["sessions.stream"]({ path, query: {}, header }))

  const unknown = { ...path, sessionId: "none" }
  await refused(key["sessions.events"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["sessions.stream"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["sessions.events"]({ path, query: { after: "none" } }), 400, "VALIDATION_FAILED")
  await refused(reading["sessions.events"]({ path }), 403, "AUTH_FORBIDDEN")
}
