/** The buffers that live streams resume from: how many, how long, and that what is not held is said. */
import { Effect, Layer, ManagedRuntime } from "effect"
import { describe, expect, it } from "vitest"
import { LiveStreams, type StreamEvent } from "../../../actors/events/live-streams.ts"
import { Bus, type Topics } from "../../../src/bus/bus.ts"
import {
  streamAccountsMax,
  streamBufferCharsMax,
  streamBufferCharsMin,
  streamBufferMax,
  streamBuffersCharsMax,
  streamLingerMillis,
  streamsPerAccountMax
} from "../../../src/limits/delivery.ts"
import { Timers } from "../../../src/runtime/timers.ts"
import { fc, forAllAsync } from "../../support/properties.ts"

const world = async () => {
  let now = 0
  let heard: ((message: Topics["event_happened"]) => void) | undefined
  const bus = Layer.mock(Bus, {
    publish: () => undefined,
    subscribe: (_, listener) =>
      Effect.sync(() => {
        heard = listener as typeof heard
      })
  })
  const clock = { now: () => now, monotonic: () => now }
  const timers = Layer.mock(Timers, { ...clock, after: () => ({ clear: () => undefined }), size: () => 0 })
  const runtime = ManagedRuntime.make(LiveStreams.layer.pipe(Layer.provide(Layer.merge(bus, timers))))
  const streams = await runtime.runPromise(LiveStreams)
  return {
    streams,
    happen: (accountId: string, more = {}) =>
      heard!({ accountId, event: "agent:stopped", payload: { daemonId: "d", ...more }, timestamp: now }),
    pass: (millis: number) => {
      now += millis
    },
    open: (accountId: string, after?: string, reader: (event: StreamEvent) => void = () => undefined) =>
      streams.open(accountId, after, reader)!
  }
}

describe("a live stream", () => {
  it("that comes back in time gets what it missed, and no gap", async () => {
    const { open, happen, pass } = await world()
    const first = open("a")
    first.close()
    happen("a")
    pass(streamLingerMillis)
    const next = open("a", first.lastId)
    expect([next.missed.length, next.gap]).toEqual([1, false])
  })

  it("that comes back later is told of the gap, though nothing was numbered meanwhile", async () => {
    const { open, happen, pass } = await world()
    const first = open("a")
    first.close()
    pass(streamLingerMillis + 1)
    happen("a")
    const next = open("a", first.lastId)
    expect([next.missed.length, next.gap]).toEqual([0, true])
    const again = open("a", next.lastId)
    expect([again.missed.length, again.gap]).toEqual([0, false])
  })

  it("is told of a gap by an id that was never given", async () => {
    const { open, happen } = await world()
    const { lastId } = open("a")
    happen("a")
    const [era, number] = lastId.split("-")
    const ahead = `${era}-${Number(number) + 2}`
    for (const id of [ahead, "", "x", `${era}-`, `${era}--1`, `${era}-${"9".repeat(99)}`])
      expect(open("a", id).gap).toBe(true)
  })

  it("has ids that say nothing of what happens to others", () =>
    forAllAsync(fc.array(fc.constantFrom("mine", "theirs", "nobody's")), async (accounts) => {
      const { open, happen } = await world()
      open("theirs")
      const seen: Array<string> = []
      const { lastId } = open("mine", undefined, ({ id }) => seen.push(id))
      for (const account of accounts) happen(account)
      const [era, first] = lastId.split("-")
      expect(seen).toEqual(seen.map((_, at) => `${era}-${Number(first) + at + 1}`))
      expect(seen).toHaveLength(accounts.filter((account) => account === "mine").length)
      expect(first).toBe("0")
      expect(open("theirs", lastId)).toMatchObject({ gap: true })
    }))

  it("resumes after any of its ids with what came after it, and says a gap exactly where some is not held", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(streamBufferMax + 20), fc.nat(streamBufferMax + 20), async (before, after) => {
        const { open, happen } = await world()
        open("a")
        for (let n = 0; n < before; n++) happen("a")
        const { lastId } = open("a")
        for (let n = 0; n < after; n++) happen("a")
        const { missed, gap } = open("a", lastId)
        expect([missed.length, gap]).toEqual([Math.min(after, streamBufferMax), after > streamBufferMax])
      }),
      {
        numRuns: 30,
        examples: [
          [0, streamBufferMax],
          [0, streamBufferMax + 1]
        ]
      }
    )
  })

  it(`resumes within ${streamBufferCharsMax} characters, and within ${streamBufferCharsMin} while all hold too much`, async () => {
    const { open, happen } = await world()
    const text = "x".repeat(streamBufferCharsMin / 2)
    const missed = (account: string, after: string) => {
      const { missed, gap } = open(account, after)
      return [missed.length * text.length, gap] as const
    }
    const fill = (account: string): string => {
      const { lastId } = open(account)
      for (let chars = 0; chars <= streamBufferCharsMax; chars += text.length) happen(account, { text })
      return lastId
    }
    const [held, gap] = missed("a", fill("a"))
    expect([held > streamBufferCharsMax / 2, held <= streamBufferCharsMax, gap]).toEqual([true, true, true])
    for (let chars = streamBufferCharsMax; chars <= streamBuffersCharsMax; chars += held) fill(`other ${chars}`)
    const { lastId } = open("b")
    happen("b", { text })
    expect(missed("b", lastId)).toEqual([text.length, false])
    happen("b", { text })
    expect(missed("b", lastId)).toEqual([text.length, true])
  })

  it(`has its buffer kept after its reader left while ${streamAccountsMax} accounts left later at most`, async () => {
    const { open, happen } = await world()
    const [kept, dropped] = [open("kept"), open("dropped")]
    dropped.close()
    kept.close()
    for (let n = 1; n < streamAccountsMax; n++) open(`later ${n}`).close()
    for (const account of ["kept", "dropped"]) happen(account)
    expect([open("kept", kept.lastId).missed.length, open("kept", kept.lastId).gap]).toEqual([1, false])
    expect([open("dropped", dropped.lastId).missed.length, open("dropped", dropped.lastId).gap]).toEqual([0, true])
  })

  it(`is one of ${streamsPerAccountMax} of its account, and its leaving twice frees one place`, async () => {
    const { open, streams } = await world()
    const all = [...Array(streamsPerAccountMax).keys()].map(() => open("a"))
    expect([streams.room("a"), open("a"), streams.room("b")]).toEqual([false, undefined, true])
    all[0]!.close()
    all[0]!.close()
    expect([open("a") === undefined, open("a") === undefined]).toEqual([false, true])
    expect(streams.size()).toBe(streamsPerAccountMax)
  })
})
