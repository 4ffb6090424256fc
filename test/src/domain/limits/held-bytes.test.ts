/** Who may hold how many bytes, beside others. */
import { describe, expect, it } from "vitest"
import { HeldBytes } from "../../../../src/domain/limits/held-bytes.ts"

/** Takes one byte after the other, as many as it may have. */
const fill = (held: HeldBytes, owner: string, left = 0): number => {
  let bytes = 0
  while (held.take(owner, 1, left)) bytes++
  return bytes
}

describe("held bytes", () => {
  it("of one owner are so many, and are there again once they are given back", () => {
    const held = new HeldBytes(2_560, 320)
    expect(fill(held, "a")).toBe(320)
    held.give("a", 320)
    expect(held.size).toBe(0)
    expect(fill(held, "a")).toBe(320)
  })

  it("of ten owners that take all they may leave an eighth to others", () => {
    const held = new HeldBytes(2_560, 320)
    const taken = Array.from({ length: 10 }, (_, nth) => fill(held, `a${nth}`))
    expect(held.size).toBe(taken.reduce((sum, bytes) => sum + bytes))
    expect(held.size).toBeLessThan((2_560 * 7) / 8)
    expect(held.take("another", 2_560 / 8 / 8)).toBe(true)
  })

  it("of those who leave some to others are fewer", () => {
    const held = new HeldBytes(2_560, 2_560)
    expect(fill(held, "stranger", 560)).toBe(400)
    expect(fill(held, "known")).toBe(432)
  })
})
