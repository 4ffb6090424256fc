/** What is said in one tick, its bound, and how whoever listens notices a hole. */
import { describe, expect, it } from "vitest"
import { type ChannelMessage, makeChannelPublisher } from "../../../src/bus/channel-publisher.ts"
import { makeGapDetector, readChannelMessage } from "../../../src/bus/gap-detector.ts"
import { busPeersMax } from "../../../src/limits/nodes.ts"
import { given } from "../../support/given.ts"

const world = (bytesMax = 1_000) => {
  const due: Array<() => void> = []
  const sent: Array<ChannelMessage> = []
  const dropped: Array<number> = []
  const answers: Array<number | Error> = []
  const publisher = makeChannelPublisher({
    from: "n1",
    bytesMax,
    afterTick: (work) => due.push(work),
    dropped: (parts) => dropped.push(parts),
    send: (text) => {
      sent.push(readChannelMessage(text) as ChannelMessage)
      const answer = answers.shift() ?? 1
      return typeof answer === "number" ? Promise.resolve(answer) : Promise.reject(answer)
    }
  })
  const tick = async () => {
    for (const work of due.splice(0)) work()
    await Promise.resolve()
    await Promise.resolve()
  }
  return { publisher, sent, dropped, answers, tick }
}

describe("what a node publishes", () => {
  given(world)("goes by the tick: in one message, in order and numbered", async ({ publisher, sent, tick }) => {
    publisher.publish("a", "1")
    publisher.publish("b", '{"x":2}')
    await tick()
    publisher.publish("c", "3")
    await tick()
    expect(sent).toEqual([
      {
        v: 1,
        from: "n1",
        at: 0,
        parts: [
          ["a", 1],
          ["b", { x: 2 }]
        ]
      },
      { v: 1, from: "n1", at: 2, parts: [["c", 3]] }
    ])
  })

  it("is dropped where it is over the bound until the tick ends, and the hole is heard", async () => {
    const { publisher, sent, dropped, tick } = world(10)
    let lost = 0
    expect(publisher.publish("a", '"12345678"')).toBe(true)
    expect(publisher.publish("b", '"12345678"', () => lost++)).toBe(false)
    expect(publisher.publish("c", "1", () => lost++)).toBe(false)
    expect(dropped).toEqual([1, 1])
    await tick()
    publisher.publish("d", "1")
    await tick()
    const detector = makeGapDetector()
    expect(sent.map((said) => detector.check(said))).toEqual(["next", "lost"])
    expect(lost).toBe(2)
  })

  given(world)("is told to whoever asked as unheard, or as not sent", async ({ publisher, dropped, answers, tick }) => {
    const lost: Array<string> = []
    answers.push(1, 0, new Error("away"))
    for (const what of ["heard", "unheard", "unsent"]) {
      publisher.publish("a", "1", () => lost.push(what))
      await tick()
    }
    expect(lost).toEqual(["unheard", "unsent"])
    expect(dropped).toEqual([1])
  })
})

describe("a gap detector", () => {
  given(makeGapDetector)("takes the first number of anyone, then notices every hole once", (detector) => {
    const said = (from: string, at: number): ChannelMessage => ({ from, at, parts: [["a", 1]] })
    expect(detector.check(said("x", 7))).toBe("next")
    expect(detector.check(said("y", 0))).toBe("next")
    expect(detector.check(said("x", 8))).toBe("next")
    expect(detector.check(said("x", 10))).toBe("lost")
    expect(detector.check(said("x", 11))).toBe("next")
  })

  given(makeGapDetector)("hears no message a second time, and notices the next hole all the same", (detector) => {
    const said = (at: number): ChannelMessage => ({ from: "x", at, parts: [["a", 1]] })
    expect([7, 8, 7, 8, 9, 11].map((at) => detector.check(said(at)))).toEqual([
      "next",
      "next",
      "repeated",
      "repeated",
      "next",
      "lost"
    ])
  })

  it(`remembers the ${busPeersMax} nodes it heard last; of another a hole is not noticed`, () => {
    const detector = makeGapDetector()
    const said = (from: string, at: number): ChannelMessage => ({ from, at, parts: [["a", 1]] })
    for (let nth = 0; nth <= busPeersMax; nth++) detector.check(said(`n${nth}`, 0))
    expect(detector.check(said("n1", 5))).toBe("lost")
    expect(detector.check(said("n0", 5))).toBe("next")
  })

  it.each(["", "{}", "null", '{"from":"x","at":0,"parts":[1]}', '{"from":1,"at":0,"parts":[]}', "[", '"x"'])(
    "takes nothing from what is no message: %s",
    (text) => {
      expect(readChannelMessage(text)).toBe("not readable")
    }
  )
})
