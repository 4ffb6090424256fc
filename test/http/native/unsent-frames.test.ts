/** Frames that wait for daemons: the bounds, and whose socket is cut off beyond them. */
import { describe, expect, it } from "vitest"
import { UnsentFrames } from "../../../http/native/unsent-frames.ts"
import { unsentBytesMax, unsentBytesPerAccountMax, untakenMillisMax } from "../../../src/limits/sockets.ts"
import { given } from "../../support/given.ts"

const share = unsentBytesPerAccountMax

const script = () => {
  const time = { now: 0 }
  const unsent = new UnsentFrames(() => time.now)
  const cut: Array<string> = []
  const socket = (name: string, account: string) => {
    const slow = { cutUnread: () => void cut.push(name) }
    return (bytes: number) => unsent.note(slow, account, bytes)
  }
  return { time, unsent, cut, socket }
}

describe("frames that wait for the daemons of an account", () => {
  given(script)("hold its share; beyond, those are cut off that took nothing for a while", ({ time, cut, socket }) => {
    const [first, second] = [socket("first", "a"), socket("second", "a")]
    first(share / 2)
    second(share / 2)
    time.now = untakenMillisMax
    expect(cut).toEqual([])
    second(share / 2 + 1)
    expect(cut).toEqual(["first"])
  })

  given(script)("are more for a moment, where each takes something", ({ time, unsent, cut, socket }) => {
    const slow = [socket("first", "a"), socket("second", "a")]
    for (const note of slow) note(share / 2)
    time.now = untakenMillisMax
    for (const note of slow) note(share / 2 - 1)
    for (const note of slow) note(share / 2 + 1)
    expect([cut, unsent.size]).toEqual([[], share + 2])
    expect(unsent.hasRoom("a", 1)).toBe(false)
    expect(unsent.hasRoom("b", share)).toBe(true)
  })

  given(script)("make room for a command, where some take nothing", ({ time, unsent, cut, socket }) => {
    socket("first", "a")(share / 2)
    socket("second", "a")(share / 2)
    expect([unsent.hasRoom("a", 1), cut]).toEqual([false, []])
    time.now = untakenMillisMax
    expect([unsent.hasRoom("a", 1), cut, unsent.size]).toEqual([true, ["first"], share / 2])
  })

  it("of all accounts hold so much; beyond, the one of whoever has most is cut off that took nothing longest", () => {
    const { time, unsent, cut, socket } = script()
    socket("small", "b")(1)
    socket("old", "a")(share / 2)
    time.now = 1
    socket("new", "a")(share / 2)
    for (let at = 0; at < unsentBytesMax / share - 1; at++) socket(`${at}`, `${at}`)(share - 1)
    expect(cut).toEqual([])
    socket("one more", "c")(unsentBytesMax / share - 1)
    expect([cut, unsent.size]).toEqual([["old"], unsentBytesMax - share / 2 + 1])
  })
})
