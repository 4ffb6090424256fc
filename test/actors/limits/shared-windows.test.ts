/** The gathering of asks for the windows that nodes share, with a Redis that is a function. */
import { describe, expect, it } from "vitest"
import type { Admission } from "../../../actors/limits/bucket.ts"
import { makeSharedWindows } from "../../../actors/limits/shared-windows.ts"
import { windowAsksMax, windowAsksWaitingMax } from "../../../src/limits/nodes.ts"

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve))

const start = (reply: (asks: number) => Promise<unknown>) => {
  const calls: Array<number> = []
  const wire = {
    prefix: "p:",
    away: () => state.away,
    call: (_command: string, args: ReadonlyArray<string | number>) => {
      calls.push(Number(args[1]))
      return reply(Number(args[1]))
    }
  }
  const state = { away: false }
  const windows = makeSharedWindows(wire, 60_000)
  const answers: Array<Admission | undefined> = []
  const ask = (name = "a", now = 0) => windows.ask(name, 3, true, now, (turn) => answers.push(turn))
  return { windows, calls, state, answers, ask }
}

const full = (asks: number) => Promise.resolve(Array.from({ length: asks }, () => [0, 3, 500]).flat())

describe("shared windows", () => {
  it("ask for all of one tick in one call, and for more than fit in further ones", async () => {
    const { calls, ask, answers } = start((asks) => Promise.resolve(Array.from({ length: asks * 3 }, () => 1)))
    for (let at = 0; at < windowAsksMax + 5; at++) ask(`n${at}`)
    await nextTick()
    await nextTick()
    expect(calls).toEqual([windowAsksMax, 5])
    expect(answers.length).toBe(windowAsksMax + 5)
    expect(answers[0]).toEqual({ admitted: true, count: 1, millisToNext: 1 })
  })

  it("ask nothing of a window that is known to be full until a place frees", async () => {
    const { calls, ask, answers } = start(full)
    ask("a", 1_000)
    await nextTick()
    await nextTick()
    ask("a", 1_200)
    expect(answers[1]).toEqual({ admitted: false, count: 3, millisToNext: 300 })
    ask("a", 1_500)
    await nextTick()
    expect(calls.length).toBe(2)
  })

  it("give no answer at once while Redis is away, or when too many ask in one tick", () => {
    const away = start(full)
    away.state.away = true
    away.ask()
    expect(away.answers).toEqual([undefined])
    const crowded = start(full)
    for (let at = 0; at <= windowAsksWaitingMax; at++) crowded.ask()
    expect(crowded.answers).toEqual([undefined])
  })

  it("give no answer when the call fails, answers nonsense, or the line falls while it is under way; never two", async () => {
    for (const reply of [() => Promise.reject(new Error("away")), () => Promise.resolve("?")]) {
      const { ask, answers } = start(reply)
      ask()
      await nextTick()
      await nextTick()
      expect(answers).toEqual([undefined])
    }
    let late: (replies: unknown) => void = () => {}
    const { windows, ask, answers } = start(() => new Promise((resolve) => (late = resolve)))
    ask()
    await nextTick()
    windows.fell()
    expect(answers).toEqual([undefined])
    late([1, 1, 1])
    await nextTick()
    expect(answers).toEqual([undefined])
  })
})
