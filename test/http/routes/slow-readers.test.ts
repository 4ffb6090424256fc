/** Readers of logs that do not keep up. */
import { describe, expect, it } from "vitest"
import { LogSink } from "../../../http/routes/log-sink.ts"
import { SlowReaders } from "../../../http/routes/slow-readers.ts"
import { LogEvent } from "../../../src/domain/log/log.ts"
import {
  logBufferedBytesMax,
  logBufferedBytesPerAccountMax,
  logStreamBufferBytesMax,
  logTurnBytes
} from "../../../src/limits/logs.ts"

const event = (seq: number, text = ""): LogEvent => new LogEvent({ seq, type: "plan", timestamp: 1, text })

/** A reader of a stream that takes nothing. */
const stalled = (slow: SlowReaders, said: "buffered" | "sent" = "buffered", accountId = "acc_a") => {
  const sent: Array<string> = []
  let bytes = 0
  let ended = false
  const outlet = { write: () => "buffered" as const, buffered: () => bytes, end: () => {} }
  const send = (text: string) => {
    sent.push(text)
    bytes += text.length
    return said
  }
  const writer = {
    send,
    end: () => {
      ended = true
    }
  }
  const sink = new LogSink(accountId, "tag", slow, () => {})
  sink.attach(outlet, writer)
  return { sink, sent, ended: () => ended, drain: () => (bytes = 0) }
}

describe("a reader that takes nothing", () => {
  it(`is cut off with a reason when ${logStreamBufferBytesMax} bytes wait for it`, () => {
    const { sink, sent, ended } = stalled(new SlowReaders())
    const text = "x".repeat(100_000)
    let seq = 0
    while (!ended()) sink.event(event(++seq, text), "log")
    expect(seq).toBe(Math.ceil(logStreamBufferBytesMax / 100_000))
    expect(sent.at(-1)).toBe('event: end\ndata: {"reason":"slow_reader"}\n\n')
    const { length } = sent
    sink.event(event(++seq), "log")
    expect(sent).toHaveLength(length)
  })

  it("is cut off when too much waits for all of them, the one with the most first", () => {
    const slow = new SlowReaders(1_000)
    const [most, least] = [stalled(slow), stalled(slow)]
    most.sink.event(event(1, "x".repeat(600)), "log")
    least.sink.event(event(1, "x".repeat(500)), "log")
    expect([most.ended(), least.ended()]).toEqual([true, false])
    expect(logBufferedBytesMax).toBeGreaterThan(logStreamBufferBytesMax)
  })

  it("is cut off when too much waits for those of its account, the ones with the most, and no other account's", () => {
    const slow = new SlowReaders(10_000, 1_000)
    const [other, ...own] = ["acc_b", "acc_a", "acc_a", "acc_a"].map((account) => stalled(slow, "buffered", account))
    const bytes = 250
    other!.sink.event(event(1, "x".repeat(900 - bytes)), "log")
    for (const { sink } of own) sink.event(event(1, "x".repeat(bytes)), "log")
    own[1]!.sink.event(event(2, "x".repeat(bytes)), "log")
    expect([other!, ...own].map(({ ended }) => ended())).toEqual([false, false, true, false])
    expect(logBufferedBytesPerAccountMax).toBeGreaterThan(logStreamBufferBytesMax)
  })

  it("is cut off when too much waits for all, if its account has the most, however little waits for it", () => {
    const slow = new SlowReaders(3_000, 2_900)
    const few = stalled(slow, "buffered", "acc_b")
    few.sink.event(event(1, "x".repeat(700)), "log")
    const many = Array.from({ length: 20 }, () => stalled(slow))
    for (const { sink } of many) sink.event(event(1, "x".repeat(100)), "log")
    expect(few.ended()).toBe(false)
    expect(many.filter(({ ended }) => ended()).length).toBeGreaterThan(0)
  })

  it("counts for what waits now, not for what has waited", () => {
    const slow = new SlowReaders(1_000)
    const { sink, drain, ended } = stalled(slow)
    for (let seq = 1; seq <= 50; seq++) {
      sink.event(event(seq, "x".repeat(400)), "log")
      drain()
    }
    expect(ended()).toBe(false)
  })
})

it(`a reader that keeps up has enough when it was given ${logTurnBytes} bytes in one turn, and is not cut off for that`, () => {
  const { sink, drain, ended } = stalled(new SlowReaders(), "sent")
  sink.event(event(1, "x".repeat(100_000)), "log")
  expect(sink.hasEnough()).toBe(false)
  sink.event(event(2, "x".repeat(logStreamBufferBytesMax)), "log")
  expect([sink.hasEnough(), ended()]).toEqual([true, false])
  drain()
  expect(sink.hasEnough()).toBe(false)
  const slow = stalled(new SlowReaders())
  slow.sink.event(event(1, "x".repeat(200_000)), "log")
  expect(slow.sink.hasEnough()).toBe(false)
})

it("an event is made into text once for all who read it", () => {
  const slow = new SlowReaders()
  const [one, other] = [stalled(slow), stalled(slow)]
  const shared = event(7, "line\nbreak")
  one.sink.event(shared, "log")
  other.sink.event(shared, "log")
  expect(one.sent[0]).toBe(other.sent[0])
  expect(one.sent[0]).toMatch(/^id: tag\.[\w-]+\.7\nevent: plan\ndata: \{.*"text":"line\\nbreak"\}\n\n$/u)
})
