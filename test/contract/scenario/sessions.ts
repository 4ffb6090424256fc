/** The chapter of a session: what happened there, in pages, and the stream. */
import type { Calls } from "./calls.ts"
import { answered, refused, type World } from "./fixture.ts"

/** The log of a session. */
export const sessions = async (world: World, key: Calls, reading: Calls): Promise<void> => {
  const path = { daemonId: world.daemons.twice, sessionId: "s1" }
  const first = await answered(key["sessions.events"]({ path, query: { limit: 1 } }))
  if (first.events.length !== 1 || !first.more || first.gap) throw new Error("the first page has one event of several")
  const rest = await answered(key["sessions.events"]({ path, query: { after: first.next, deltas: "false" } }))
  if (rest.events.length !== 2 || rest.more) throw new Error("the second page has the rest")
  const oldest = await answered(key["sessions.stream"]({ path, query: { after: "0", deltas: "false" } }))
  if (oldest.id === undefined) throw new Error("the stream ended without an event")
  const header = { "last-event-id": oldest.id }
  const next = await answered(key["sessions.stream"]({ path, query: {}, header }))
  if (next.id === undefined || next.id === oldest.id) throw new Error("the stream begins again")

  const unknown = { ...path, sessionId: "none" }
  await refused(key["sessions.events"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["sessions.stream"]({ path: unknown }), 404, "NOT_FOUND")
  await refused(key["sessions.events"]({ path, query: { after: "none" } }), 400, "VALIDATION_FAILED")
  await refused(reading["sessions.events"]({ path }), 403, "AUTH_FORBIDDEN")
}
