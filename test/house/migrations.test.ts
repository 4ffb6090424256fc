/** Two versions of the hub use one database, in either order: what a step takes away no version beside it may need. */
import { describe, expect, it } from "vitest"
import { migrations, relevantSteps } from "../../src/store/migrations/index.ts"

/** What a hub of the version before could not read or write any more. */
const taking =
  /\bdrop (?:table|column|view|function|constraint)\b|\brename\b|\balter column \S+ (?:type|set not null|drop default)\b|\badd column \S+ \S+ not null(?! default)/iu

describe("a migration", () => {
  it("only adds, or names the step that a hub must know to run beside it", () => {
    const [, ...later] = migrations
    const wrong = later.filter(({ statements, needs }) => needs === undefined && taking.test(statements.join(";\n")))
    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  it("is seen as taking something away in each of its forms, and not where it adds", () => {
    for (const text of [
      "drop table a",
      "alter table a drop column b",
      "alter table a rename to b",
      "alter table a alter column b type bigint",
      "alter table a alter column b set not null",
      "alter table a add column b text not null"
    ]) {
      expect(taking.test(text), text).toBe(true)
    }
    for (const text of ["create table a (b text not null)", "alter table a add column b text not null default ''"])
      expect(taking.test(text), text).toBe(false)
  })

  it("names a step of an earlier version or of its own", () => {
    for (const { id, needs = 0 } of migrations) expect(needs).toBeLessThanOrEqual(id)
  })
})

it("a database that a later version has had is used by this version where that only added, and not where it took away what this one knows", () => {
  const known = [27, 28]
  const ids = (...steps: ReadonlyArray<readonly [number, number | null]>) =>
    relevantSteps(
      steps.map(([id, needs]) => ({ id, needs })),
      known
    ).map(({ id }) => id)
  expect(ids([27, 0], [28, 0], [29, 0])).toEqual([27, 28])
  expect(ids([27, 0], [28, 0], [29, 28])).toEqual([27, 28])
  expect(ids([27, 0], [28, 0], [29, 29])).toEqual([27, 28, 29])
  expect(ids([27, 0], [28, 0], [29, null])).toEqual([27, 28, 29])
})
