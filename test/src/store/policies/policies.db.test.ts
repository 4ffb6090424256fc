/** The store of policies: versions, and how many there may be. */
import { describe, expect, it } from "vitest"
import { type Plan, planLimits } from "../../../../src/domain/account/plans.ts"
import type { Rule } from "../../../../src/domain/policy/rule.ts"
import { rulesBytesMax, rulesPerAccountMax, rulesPerPolicyMax } from "../../../../src/limits/policies.ts"
import { type Expected, Policies, type PolicyDraft } from "../../../../src/store/policies/policies.ts"
import { given } from "../../../support/given.ts"
import { useStore } from "../../../support/store-services.ts"

const rule: Rule = { action: "execute", resource: "git push *", effect: "deny" }
const draft = (id: string, more: Partial<PolicyDraft> = {}): PolicyDraft => ({
  id,
  selector: [{ key: "env", is: "equal", value: "prod" }],
  rules: [rule],
  default: "ask",
  timeoutSeconds: null,
  onTimeout: "reject",
  updatedAt: 5,
  ...more
})

describe("the store of policies", () => {
  const store = useStore(Policies.layer)
  const policies = store.using(Policies)
  const put = (accountId: string, given: PolicyDraft, expected?: Expected, plan: Plan = "free") =>
    policies((port) => port.put(accountId, plan, given, expected))
  const list = (accountId: string) => policies((port) => port.list(accountId))
  const remove = (accountId: string, id: string, expected?: number) =>
    policies((port) => port.remove(accountId, id, expected))

  it("counts versions, and writes over none but the one that is meant", async () => {
    const [accountId, other] = [await store.account(), await store.account()]
    expect(await put(accountId, draft("b"))).toBe(1)
    expect(await put(accountId, draft("a", { timeoutSeconds: 60, onTimeout: "leave" }), "none")).toBe(1)
    expect(await put(accountId, draft("a"), "none")).toBe("changed")
    expect(await put(accountId, draft("c"), "some")).toBe("changed")
    expect(await put(accountId, draft("b", { default: "deny" }), 2)).toBe("changed")
    expect(await put(accountId, draft("b", { default: "deny" }), 1)).toBe(2)
    expect(await put(accountId, draft("b", { default: "deny" }), "some")).toBe(3)
    expect(await list(accountId)).toEqual([
      { ...draft("a"), version: 1, timeoutSeconds: 60, onTimeout: "leave" },
      { ...draft("b"), version: 3, default: "deny" }
    ])
    expect(await list(other)).toEqual([])
    expect(await remove(other, "b")).toBe(false)
    expect(await remove(accountId, "b", 1)).toBe("changed")
    expect(await remove(accountId, "b", 3)).toBe(true)
    expect((await list(accountId)).map(({ id }) => id)).toEqual(["a"])
  })

  it("gives a policy that is made anew no version that a caller may have read of a removed one", async () => {
    const [accountId, other] = [await store.account(), await store.account()]
    await put(accountId, draft("a"))
    await put(accountId, draft("a"))
    await put(accountId, draft("b"))
    expect([await remove(accountId, "a"), await remove(accountId, "b")]).toEqual([true, true])
    expect(await put(accountId, draft("a"), 1)).toBe("changed")
    expect(await put(accountId, draft("a"), "none")).toBe(3)
    expect(await put(accountId, draft("a"), 2)).toBe("changed")
    expect(await put(accountId, draft("b"))).toBe(3)
    expect(await put(other, draft("a"))).toBe(1)
  })

  given(store.account)("one of two changes of the same version is written", async (accountId) => {
    await put(accountId, draft("a"))
    const both = await Promise.all([put(accountId, draft("a"), 1), put(accountId, draft("a"), 1)])
    expect(new Set(both)).toEqual(new Set([2, "changed"]))
  })

  given(store.account)("keeps no more policies, rules and bytes than an account may have", async (accountId) => {
    const rules = (count: number, of: Rule = rule) => Array<Rule>(count).fill(of)
    const most = planLimits.free.policies
    for (let number = 1; number < most; number++)
      expect(await put(accountId, draft(`p${number}`, { rules: rules(rulesPerPolicyMax) }))).toBe(1)
    const left = rulesPerAccountMax - (most - 1) * rulesPerPolicyMax
    expect(await put(accountId, draft("last", { rules: rules(left + 1) }))).toBe("rules")
    expect(await put(accountId, draft("last", { rules: rules(left) }))).toBe(1)
    expect(await put(accountId, draft("more"))).toBe("full")
    const large = { ...rule, resource: "x".repeat(rulesBytesMax / rulesPerPolicyMax) }
    expect(await put(accountId, draft("last", { rules: rules(rulesPerPolicyMax, large) }))).toBe("rules")
  })

  given(store.account)("changes what a larger plan allowed, and adds none to it", async (accountId) => {
    for (let number = 0; number <= planLimits.free.policies; number++)
      await put(accountId, draft(`p${number}`), "none", "pro")
    expect(await put(accountId, draft("p0", { default: "deny" }))).toBe(2)
    expect(await put(accountId, draft("more"))).toBe("full")
  })
})
