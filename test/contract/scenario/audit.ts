/** The chapter of the audit log. Owns what a program asks of it; asserts through fixture.ts. */
import type { Calls } from "./calls.ts"
import { answered, refused } from "./fixture.ts"

/** What the session did until now. */
export const audit = async (session: Calls, key: Calls): Promise<void> => {
  const first = await answered(session["audit.list"]({ query: { limit: 1 } }))
  if (first.nextCursor === undefined) throw new Error("there is no second page")
  await answered(session["audit.list"]({ query: { limit: 1, cursor: first.nextCursor } }))
  const query = { action: "key.created", outcome: "done" as const, since: Date.now() - 600_000 }
  const { events } = await answered(session["audit.list"]({ query }))
  if (events.length === 0 || events.some(({ action }: { action: string }) => action !== "key.created"))
    throw new Error("the key that was made is not in the audit log")
  const object = events[0]!.object!
  const about = { object, actor: "session", until: Date.now() + 600_000 }
  if ((await answered(session["audit.list"]({ query: about }))).events.length === 0)
    throw new Error("nothing was done to the key")
  await refused(session["audit.list"]({ query: { cursor: "none" } }), 400, "VALIDATION_FAILED")
  await refused(key["audit.list"]({}), 403, "AUTH_FORBIDDEN")
}
