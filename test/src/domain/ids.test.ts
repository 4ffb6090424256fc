/** Identifiers: their shape, their chance. */
import { describe, expect, test } from "vitest"
import { type IdKind, isId, newId, newTimedId, prefixes } from "../../../src/domain/ids.ts"

describe("an id", () => {
  test("has its kind's shape, and no other kind's", () => {
    for (const kind of Object.keys(prefixes) as Array<IdKind>) {
      const id = newId(kind)
      expect(id).toMatch(/^[a-z]{3}_[0-9a-z]{20}$/u)
      expect((Object.keys(prefixes) as Array<IdKind>).filter((other) => isId(other, id))).toEqual([kind])
    }
  })

  test("is never made twice, and uses every character about equally", () => {
    const ids = Array.from({ length: 20_000 }, () => newId("command"))
    expect(new Set(ids).size).toBe(ids.length)
    const times = new Map<string, number>()
    for (const id of ids) for (const letter of id.slice(4)) times.set(letter, (times.get(letter) ?? 0) + 1)
    const even = (ids.length * 20) / 36
    expect(times.size).toBe(36)
    // nine standard deviations: a fair source misses this less than once in a lifetime of runs
    for (const [, sum] of times) expect(Math.abs(sum - even)).toBeLessThan(9 * Math.sqrt(even))
  })

  test("that is timed sorts by its moment, has its kind's shape, and is never made twice", () => {
    const moments = [0, 999, 1_000, 1_700_000_000_000, 1_700_000_000_001, 2_821_109_907_455]
    const ids = moments.map((at) => newTimedId("delivery", at))
    expect(ids.toSorted()).toEqual(ids)
    for (const id of [...ids, newTimedId("delivery", -1), newTimedId("delivery", 36 ** 8)])
      expect(isId("delivery", id)).toBe(true)
    expect(new Set(Array.from({ length: 20_000 }, () => newTimedId("delivery", 5))).size).toBe(20_000)
  })

  test("of another shape is no id", () => {
    for (const text of [
      "",
      "dmn_",
      "dmn_ABCDEFGHIJKLMNOPQRST",
      "dmn_0123456789012345678",
      `${newId("daemon")}x`,
      "x"
    ]) {
      expect(isId("daemon", text)).toBe(false)
    }
  })
})
