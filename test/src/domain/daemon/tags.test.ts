/** The form of tags, and whose win. */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { newerTags, readTags, tagOf, tagsOf, withOwnerTags } from "../../../../src/domain/daemon/tags.ts"
import { tagsPerDaemonMax, tagValueCharsMax } from "../../../../src/limits.ts"

const issues = (given: Record<string, string>) =>
  Result.match(readTags(given), { onSuccess: () => [], onFailure: ({ issues }) => issues.map(({ path }) => path) })

describe("tags", () => {
  it("may have any key and value that a selector can name", () => {
    const given = { gpu: "", "team/name": "Bücher & Mehr", "1.x-y_z": "v".repeat(tagValueCharsMax) }
    expect(Result.getOrThrow(readTags(given))).toEqual(given)
  })

  it.each([
    [{ "": "x" }, ["tags"]],
    [{ Env: "x" }, ["tags"]],
    [{ "-a": "x" }, ["tags"]],
    [{ ["k".repeat(64)]: "x" }, ["tags"]],
    [{ env: "a,b" }, ["tags.env"]],
    [{ env: " a" }, ["tags.env"]],
    [{ env: "=a" }, ["tags.env"]],
    [{ env: "a\u0000" }, ["tags.env"]],
    [{ env: "\ud800" }, ["tags.env"]],
    [{ env: "v".repeat(tagValueCharsMax + 1) }, ["tags.env"]]
  ])("are refused by their place: %j", (given, paths) => expect(issues(given as Record<string, string>)).toEqual(paths))

  it("are so many at most", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, ""]))
    expect(issues(many(tagsPerDaemonMax))).toEqual([])
    expect(issues(many(tagsPerDaemonMax + 1))).toEqual(["tags"])
  })

  it("of the owner win, and the daemon's own come back without them", () => {
    const own = { tags: { env: "prod", gpu: "" } }
    const tagged = { ...own, ownerTags: { tags: { env: "test" }, version: 1 } }
    expect(tagsOf(tagged)).toEqual({ env: "test", gpu: "" })
    expect([tagOf(tagged, "env"), tagOf(tagged, "gpu"), tagOf(tagged, "toString")]).toEqual(["test", "", undefined])
    expect(tagsOf(withOwnerTags(tagged, { tags: {}, version: 2 }))).toEqual(own.tags)
    expect(tagsOf({})).toEqual({})
  })

  it("of an older version replace none", () => {
    const newer = { tags: { a: "2" }, version: 2 }
    const older = { tags: { a: "1" }, version: 1 }
    expect(newerTags(newer, older)).toBe(newer)
    expect(newerTags(older, newer)).toBe(newer)
    expect(withOwnerTags({ ownerTags: newer }, older)).toEqual({ ownerTags: newer })
    expect(newerTags(undefined, undefined)).toBeUndefined()
  })
})
