/** The chapter of policies: one is written, changed by its version, tried and removed. */
import type { Calls } from "./calls.ts"
import { answered, refused } from "./fixture.ts"

export const policies = async (session: Calls, stale: Calls): Promise<void> => {
  const path = { policyId: "story" }
  const rules = [
    { action: "read", resource: "*", effect: "allow" as const, provider: "codex", cwd: "/home/*" },
    { action: "execute", resource: "git * main", effect: "allow" as const },
    { action: "execute", resource: "git push *", effect: "deny" as const }
  ]
  const body = {
    selector: "env=story",
    rules,
    default: "ask" as const,
    timeoutSeconds: 600,
    onTimeout: "leave" as const
  }
  await answered(session["policies.set"]({ path, body, header: { "if-none-match": "*" } }))
  await refused(session["policies.set"]({ path, body, header: { "if-match": '"7"' } }), 412, "PRECONDITION_FAILED")
  await refused(stale["policies.set"]({ path, body }), 403, "RECENT_LOGIN_REQUIRED")
  const never = [{ action: "execute", resource: "ls && rm x", effect: "deny" as const }]
  await refused(session["policies.set"]({ path, body: { rules: never } }), 400, "VALIDATION_FAILED")
  await answered(session["policies.show"]({ path }))
  await answered(session["policies.list"]({}))
  const asked = { action: "execute" as const, resource: "git push", provider: "codex", cwd: "/home/ada" }
  await answered(session["policies.evaluate"]({ path, body: asked }))
  await answered(session["policies.evaluate"]({ path, body: { ...asked, rules: [] } }))
  await refused(session["policies.evaluate"]({ path: { policyId: "none" }, body: asked }), 404, "NOT_FOUND")
  await refused(session["policies.remove"]({ path, header: { "if-match": '"7"' } }), 412, "PRECONDITION_FAILED")
  await answered(session["policies.remove"]({ path, header: { "if-match": '"1"' } }))
  await refused(session["policies.show"]({ path }), 404, "NOT_FOUND")
}
