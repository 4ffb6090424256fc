/** Answers without a body: how many of one connection a peer that reads nothing may leave with the library. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { BodylessAnswers } from "../../../http/native/bodyless-answers.ts"
import { bodylessAnswersMean } from "../../../src/limits/edge.ts"

describe("answers without a body", () => {
  it("end their connection at the drawn one, and none of the first do", () => {
    const draws = [3, 1, 2]
    const answers = new BodylessAnswers(() => draws.shift()!)
    const ends: Array<number> = []
    for (let nth = 1; nth < bodylessAnswersMean + 6; nth++) if (answers.endsConnection()) ends.push(nth)
    const first = bodylessAnswersMean
    expect(ends).toEqual([first, first + 3, first + 4])
  })

  it("end it once in so many on average, at no answer that a peer can foresee", () => {
    const answers = new BodylessAnswers()
    const gaps = new Set<number>()
    let [ends, last] = [0, 0]
    for (let nth = 1; nth <= bodylessAnswersMean * 400; nth++) {
      if (!answers.endsConnection()) continue
      ends++
      gaps.add(nth - last)
      last = nth
    }
    expect(ends).toBeGreaterThan(300)
    expect(ends).toBeLessThan(530)
    expect(gaps.size).toBeGreaterThan(100)
    expect(Math.max(...gaps)).toBeLessThan(bodylessAnswersMean * 2)
  })

  it("leave no connection open for ever, however those of several connections alternate", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 * bodylessAnswersMean }), (burst) => {
        const answers = new BodylessAnswers()
        let kept = 0
        // a sacrificed connection takes all answers but the first `burst` after each end
        for (let since = 0; ; since++) {
          const isKept = since < burst
          if (isKept) kept++
          if (!answers.endsConnection()) continue
          if (isKept && kept > burst) break
          since = -1
          if (kept > 64 * bodylessAnswersMean) return false
        }
        return true
      })
    )
  })
})
