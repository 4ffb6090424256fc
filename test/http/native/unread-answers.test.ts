/** Large answers that wait for their readers: the bounds, and which answer is cut off beyond them. */
import { describe, expect, it } from "vitest"
import { type UnreadAnswer, UnreadAnswers } from "../../../http/native/unread-answers.ts"
import { unreadAnswersBytesMax, unreadAnswersBytesPerOwnerMax, unseenLooksMax } from "../../../src/limits.ts"
import { given } from "../../support/given.ts"
import { fc, forAll } from "../../support/properties.ts"

const share = unreadAnswersBytesPerOwnerMax
const owners = unreadAnswersBytesMax / share

const script = () => {
  const answers = new UnreadAnswers()
  const cut: Array<string> = []
  const add = (name: string, owner: string, bytes: number): UnreadAnswer => {
    const one = { owner, bytes, cut: () => void cut.push(name) }
    answers.add(one)
    return one
  }
  return { answers, cut, add }
}

describe("answers that wait for their readers", () => {
  it("hold the share of their account; for one more the oldest of them is cut off", () => {
    const { answers, cut, add } = script()
    const first = add("first", "a", share / 2)
    add("second", "a", share / 2)
    expect(cut).toEqual([])
    add("third", "a", 1)
    expect(cut).toEqual(["first"])
    answers.remove(first)
    expect(answers.size).toBe(share / 2 + 1)
    add("fourth", "a", share)
    expect([cut, answers.size]).toEqual([["first", "second", "third"], share])
  })

  given(script)("that are read make room", ({ answers, cut, add }) => {
    answers.remove(add("first", "a", share))
    add("second", "a", share)
    expect([cut, answers.size]).toEqual([[], share])
  })

  given(script)("hold so much in all; for one more the oldest of whoever has most is cut off", ({ cut, add }) => {
    for (let at = 0; at < owners; at++) {
      add(`${at} old`, `${at}`, at === 1 ? share / 2 : share / 4)
      add(`${at} new`, `${at}`, at === 1 ? share / 2 : (share * 3) / 4 - 1)
    }
    add("small", "regular", owners - 1)
    expect(cut).toEqual([])
    add("small too", "regular", 1)
    expect(cut).toEqual(["1 old"])
  })

  given(script)("are taken alone however large they are", ({ answers, cut, add }) => {
    add("larger than a share", "a", share + 1)
    expect([cut, answers.size]).toEqual([[], share + 1])
  })

  it("that the library alone holds find room or none, and count until it has ended them", () => {
    const { answers, cut } = script()
    expect(answers.addUnseen("a", share)).toBe(true)
    expect(answers.addUnseen("a", 1)).toBe(false)
    expect(answers.addUnseen("b", 1)).toBe(true)
    for (let look = 0; look < unseenLooksMax; look++) answers.look()
    expect(answers.size).toBe(share + 1)
    answers.look()
    expect([answers.size, cut]).toEqual([0, []])
  })

  it("that the library alone holds count on when another needs their room: what can be cut off is", () => {
    const { answers, cut, add } = script()
    expect(answers.addUnseen("a", share - 1)).toBe(true)
    add("first", "a", 1)
    add("second", "a", 2)
    expect([cut, answers.size]).toEqual([["first"], share + 1])
    for (let at = 1; at < owners; at++) answers.addUnseen(`${at}`, share - 1)
    add("regular", "b", owners)
    expect([cut, answers.size]).toEqual([["first", "second"], unreadAnswersBytesMax])
  })

  it("never hold more than the bounds say, whoever adds and removes", () => {
    const step = fc.tuple(fc.nat({ max: 9 }), fc.integer({ min: 1, max: share }), fc.boolean())
    forAll(fc.array(step, { maxLength: 200 }), (steps) => {
      const answers = new UnreadAnswers()
      const there = new Set<UnreadAnswer>()
      for (const [owner, bytes, reads] of steps) {
        const one: UnreadAnswer = { owner: `${owner}`, bytes, cut: () => there.delete(one) }
        answers.add(one)
        there.add(one)
        const [oldest] = there
        if (reads && oldest !== undefined) {
          there.delete(oldest)
          answers.remove(oldest)
        }
        let sum = 0
        for (const held of there) sum += held.bytes
        expect(answers.size).toBe(sum)
        expect(sum).toBeLessThanOrEqual(unreadAnswersBytesMax)
      }
    })
  })
})
