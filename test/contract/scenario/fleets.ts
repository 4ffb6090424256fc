/** The chapter of fleets: join keys, a machine that enrols itself by one, its tags, and the list by a selector. */
import type { Calls } from "./calls.ts"
import { answered, type Connect, refused } from "./fixture.ts"

/** A machine from its join to its removal. */
export const fleets = async (session: Calls, stale: Calls, as: Connect): Promise<void> => {
  const body = {
    name: "a fleet",
    tags: { env: "story" },
    maxUses: 5,
    expiresAt: Date.now() + 3_600_000,
    removeAfterMinutes: 60
  }
  const { id, key } = await answered(
    session["joinKeys.create"]({ header: { "idempotency-key": "the-fleet" }, body }),
    201
  )
  if (key === undefined) throw new Error("the key is not shown")
  await refused(stale["joinKeys.create"]({ body }), 403, "RECENT_LOGIN_REQUIRED")
  await answered(session["joinKeys.list"]({}))
  const joining = { body: { machineId: "of the story", name: "joined", hostname: "a-machine" } }
  const { daemonId } = await answered(as(key)["joinKeys.join"](joining), 201)
  await refused(session["joinKeys.join"](joining), 401, "AUTH_INVALID")
  const path = { daemonId }
  await answered(session["daemons.tag"]({ path, body: { tags: { env: "story", gpu: "" } } }))
  await refused(session["daemons.tag"]({ path, body: { tags: { Not: "a key" } } }), 400, "VALIDATION_FAILED")
  await answered(session["tags.merge"]({ path, body: { tags: { ring: "1" } } }))
  await refused(session["tags.merge"]({ path: { daemonId: "none" }, body: { tags: {} } }), 404, "NOT_FOUND")
  const some = { query: { selector: "env=story" } }
  await answered(session["tags.set"]({ ...some, body: { tags: { team: "ux" } } }))
  await answered(session["tags.change"]({ ...some, body: { tags: { ring: null } } }))
  await refused(session["tags.set"]({ query: { selector: "" }, body: { tags: {} } }), 400, "VALIDATION_FAILED")
  await refused(session["tags.change"]({ query: { selector: "" }, body: { tags: {} } }), 400, "VALIDATION_FAILED")
  const query = { include: "offline" as const, selector: "env=story,gpu" }
  await answered(session["daemons.list"]({ query }))
  await answered(session["daemons.list"]({ query: { ...query, q: "story", status: "offline", sort: "name" } }))
  await answered(session["daemons.list"]({ query: { update: "pending" } }))
  const pin = { path: { policyId: "pin" } }
  await answered(session["daemonVersions.set"]({ ...pin, body: { version: "hold", daemonId } }))
  await answered(session["daemonVersions.remove"](pin))
  await answered(session["daemons.remove"]({ path }))
  const policy = { path: { policyId: "all" } }
  const paces = { canary: { count: 1, minutes: 5 }, maxFailures: 2, paused: true }
  const policyBody = { version: "hold", selector: "env=story", window: { from: "22:00", to: "04:00" }, ...paces }
  await answered(session["daemonVersions.set"]({ ...policy, body: policyBody }))
  await refused(session["daemonVersions.set"]({ ...policy, body: { version: "0.0.0" } }), 400, "VALIDATION_FAILED")
  await answered(session["daemonVersions.list"]({}))
  await answered(session["daemonVersions.show"](policy))
  await answered(session["daemonVersions.remove"](policy))
  await refused(session["daemonVersions.show"](policy), 404, "NOT_FOUND")
  await answered(session["joinKeys.remove"]({ path: { joinKeyId: id } }))
  await refused(session["joinKeys.remove"]({ path: { joinKeyId: id } }), 404, "NOT_FOUND")
}
