/** Which rules are refused, and which are warned of. */
import { describe, expect, it } from "vitest"
import { matchesPerhaps, matchesSurely, unknownPart } from "../../../../src/domain/policy/glob.ts"
import { type Rule, ruleIssues, ruleWarnings } from "../../../../src/domain/policy/rule.ts"
import { rulePatternCharsMax } from "../../../../src/limits/policies.ts"
import { fc, forAll } from "../../../support/properties.ts"

const rule = (more: Partial<Rule>): Rule => ({ action: "execute", resource: "git status", effect: "allow", ...more })

describe("a rule", () => {
  it.each([
    [{ action: "run" }, "action"],
    [{ resource: "" }, "resource"],
    [{ resource: "git status && git diff" }, "resource"],
    [{ resource: 'git commit -m "x"' }, "resource"],
    [{ resource: "ls > out" }, "resource"],
    [{ resource: " ls" }, "resource"],
    [{ resource: "x".repeat(rulePatternCharsMax + 1) }, "resource"],
    [{ provider: "" }, "provider"],
    [{ cwd: "src" }, "cwd"]
  ] as const)("that never matches is refused: %j", (more, member) => {
    expect(ruleIssues(rule(more)).map((issue) => issue.member)).toEqual([member])
  })

  it.each([{}, { resource: "*" }, { action: "*" }, { resource: "npm run t?st *" }, { cwd: "/w/*" }, { action: "re*" }])(
    "is taken: %j",
    (more) => {
      expect(ruleIssues(rule(more))).toEqual([])
    }
  )

  it("is warned of where it allows more than it seems to, or has no effect", () => {
    const warned = ruleWarnings([
      rule({ resource: "git * main" }),
      rule({ resource: "*" }),
      rule({ resource: "rm x" }),
      rule({ resource: "rm *", effect: "deny" }),
      rule({ resource: "npm test*" })
    ])
    expect(warned.map((text) => text.slice(0, 6))).toEqual(["Rule 1", "Rule 2", "Rule 3"])
    expect(warned[2]).toContain("rule 4 is severer")
  })

  it("is not warned of once comparing it with the others took too long", () => {
    const slow = (count: number) => [
      ...Array.from({ length: count }, () => rule({ resource: `*${"a".repeat(200)}b`, effect: "deny" })),
      rule({ resource: "a".repeat(500) })
    ]
    const without = [rule({ resource: "rm *", effect: "deny" }), rule({ resource: "rm x" })]
    expect(ruleWarnings([...slow(2), ...without])).toHaveLength(1)
    expect(ruleWarnings([...slow(50), ...without])).toEqual([])
  })
})

describe("a pattern", () => {
  const letters = fc.array(fc.constantFrom("a", "b", "*", "?", " "), { maxLength: 7 }).map((all) => all.join(""))
  const text = fc.array(fc.constantFrom("a", "b", " ", unknownPart), { maxLength: 7 }).map((all) => all.join(""))
  const filling = fc.constantFrom("", "a", "ab", " b")
  const asRegExp = (pattern: string) => new RegExp(`^${pattern.replaceAll("*", "[^]*").replaceAll("?", "[^]")}$`, "u")
  const truly = (pattern: string, value: string) =>
    asRegExp(pattern).test(value) ||
    (pattern.endsWith(" *") && pattern.length > 2 && asRegExp(pattern.slice(0, -2)).test(value))

  it("matches surely only what it matches for each value of the unknown, and perhaps all that it matches for one", () =>
    forAll(letters, text, filling, (pattern, value, by) => {
      const known = value.replaceAll(unknownPart, by)
      if (matchesSurely(pattern, value)) expect(truly(pattern, known)).toBe(true)
      if (truly(pattern, known)) expect(matchesPerhaps(pattern, value)).toBe(true)
      if (value === known) expect(matchesSurely(pattern, value)).toBe(truly(pattern, known))
    }))
})
