/** Cut texts have whole characters, and as many as there is room for. */
import { describe, expect, it } from "vitest"
import { lastCharacters } from "../../../../console/src/visible.ts"
import { cutToBytes, cutToChars, lastChars } from "../../../../src/domain/text/truncate.ts"
import { fc, forAll } from "../../../support/properties.ts"

const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "👩‍💻"), maxLength: 40 })
const room = fc.integer({ min: 0, max: 60 })

describe("a text that is cut", () => {
  it.each([
    ["to a length", cutToChars],
    ["to bytes", cutToBytes],
    ["to its end", lastChars],
    ["to its end, in a browser", lastCharacters]
  ])("%s has no half of a character", (_, cut) => {
    forAll(text, room, (whole, most) => cut(whole, most).isWellFormed())
  })

  it("has all that fits", () => {
    expect([cutToChars("ab😀", 3), cutToChars("ab😀", 4), lastChars("😀ab", 3), lastChars("😀ab", 4)]).toEqual([
      "ab",
      "ab😀",
      "ab",
      "😀ab"
    ])
  })
})
