/** Frames of daemons, a bounded part of them in each turn of the event loop. */
import { describe, expect, it } from "vitest"
import { FramesPerTurn } from "../../../http/native/frames-per-turn.ts"
import {
  frameBytesPerTurnMax,
  lightFrameBytes,
  lightFramesPerTurnMax,
  postponedFrameBytesAllMax,
  postponedFrameBytesMax,
  postponedFrameBytesMin
} from "../../../src/limits/sockets.ts"
import { given } from "../../support/given.ts"
import { fc, forAll } from "../../support/properties.ts"

const world = () => {
  const handled: Array<string> = []
  const defects: Array<unknown> = []
  let due: (() => void) | undefined
  const turns = new FramesPerTurn<{ readonly name: string }>(
    (defect) => defects.push(defect),
    (turn) => {
      due = turn
    }
  )
  return {
    handled,
    defects,
    send: (socket: { readonly name: string }, bytes: number, frame: string, work = () => void handled.push(frame)) => {
      if (turns.take(socket, bytes)) work()
      else turns.postpone(socket, bytes, work)
    },
    close: (socket: { readonly name: string }) => turns.catchUp(socket),
    /** False: no turn is waited for. */
    turn: () => {
      const now = due
      due = undefined
      now?.()
      return now !== undefined
    }
  }
}
const [a, b] = [{ name: "a" }, { name: "b" }]
const half = frameBytesPerTurnMax / 2

it(`handles the first small frame of each read and ${lightFramesPerTurnMax} more in a turn; of the others each socket has its share of the next`, () => {
  const { send, turn, handled } = world()
  for (let at = 0; at < 1 + lightFramesPerTurnMax + 1_000; at++) send(a, 100, "a")
  for (const frame of ["first", "b"]) send(b, 100, frame)
  expect(handled.splice(0)).toEqual([...Array.from({ length: 1 + lightFramesPerTurnMax }, () => "a"), "first"])
  turn()
  expect(handled.indexOf("b")).toBe(lightFrameBytes / postponedFrameBytesMin)
  // the share of the last socket is not cut
  expect(handled.length).toBe(frameBytesPerTurnMax / postponedFrameBytesMin + 1)
})

describe("large frames", () => {
  it(`are handled up to ${frameBytesPerTurnMax} bytes a turn, the sockets in turns; small ones of others are at once`, () => {
    const { send, turn, handled } = world()
    for (const frame of ["1", "2", "3", "4", "5"]) send(a, half, frame)
    send(b, half, "b1")
    send({ name: "c" }, lightFrameBytes - 1, "small")
    expect(handled.splice(0)).toEqual(["1", "2", "small"])
    turn()
    expect(handled.splice(0)).toEqual(["3", "b1"])
    turn()
    expect(handled.splice(0)).toEqual(["4", "5"])
    expect([turn(), turn(), turn()]).toEqual([true, false, false])
    send(a, half, "6")
    expect(handled).toEqual(["6"])
  })

  given(world)("that are larger than a turn's share are one a turn, whoever sends them", ({ send, turn, handled }) => {
    for (const socket of [a, b, { name: "c" }]) send(socket, postponedFrameBytesMax - 1, socket.name)
    expect(handled.splice(0)).toEqual(["a"])
    turn()
    expect(handled.splice(0)).toEqual(["b"])
    turn()
    expect(handled).toEqual(["c"])
  })

  it("of one socket keep their order with all its frames, whatever their sizes, and its end comes behind them", () =>
    forAll(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: half }))), (frames) => {
      const { send, turn, close, handled } = world()
      for (const [at, [turns, bytes]] of frames.entries()) {
        send(a, bytes, String(at))
        if (turns) turn()
      }
      close(a)
      expect(handled).toEqual(frames.map((_, at) => String(at)))
    }))

  it(`of one socket wait with ${postponedFrameBytesMax} bytes at most; beyond, they are all handled at once`, () => {
    const { send, handled } = world()
    const most = 2 + postponedFrameBytesMax / half
    for (let at = 0; at < most; at++) send(a, half, String(at))
    expect(handled).toHaveLength(2)
    send(a, half, "beyond")
    expect(handled).toHaveLength(most + 1)
  })

  given(world)("of no bytes wait in a bounded number", ({ send, handled }) => {
    for (const frame of ["1", "2", "3"]) send(a, half, frame)
    const most = Math.floor((postponedFrameBytesMax - half) / postponedFrameBytesMin)
    for (let at = 0; at < most; at++) send(a, 0, "empty")
    expect(handled).toEqual(["1", "2"])
    send(a, 0, "beyond")
    expect(handled).toHaveLength(3 + most + 1)
  })

  it(`of all sockets wait with ${postponedFrameBytesAllMax} bytes at most; beyond, those of who sends are handled at once`, () => {
    const { send, handled } = world()
    const sockets = Array.from({ length: 128 }, (_, at) => ({ name: `${at}` }))
    const most = 2 + postponedFrameBytesAllMax / half
    for (let at = 0; at < most; at++) send(sockets[at % 128]!, half, String(at))
    expect(handled).toHaveLength(2)
    send(sockets[5]!, half, "beyond")
    expect(handled.slice(2)).toEqual([...Array.from({ length: 8 }, (_, nth) => String(5 + nth * 128)), "beyond"])
  })

  it("that are larger than what may wait are handled at once, behind the earlier ones of their socket", () => {
    const { send, handled } = world()
    for (const frame of ["1", "2", "3"]) send(a, half, frame)
    send(a, postponedFrameBytesMax + 1, "large")
    expect(handled).toEqual(["1", "2", "3", "large"])
  })

  given(world)("after one that is a defect are handled all the same", ({ send, turn, handled, defects }) => {
    for (const frame of ["0", "1"]) send(a, half, frame)
    send(a, half, "2", () => {
      throw new Error("a bug")
    })
    send(a, half, "3")
    turn()
    expect([handled, defects.length]).toEqual([["0", "1", "3"], 1])
  })
})
