/** What a hub is told of the logs that it listens to, and when. */
import { describe, expect, it } from "vitest"
import {
  endedLogMillisMax,
  logBurstBytes,
  logFrameBytesMax,
  logGatherMillis,
  logSubscriptionsMax
} from "../../daemon/limits.ts"
import { LogPush } from "../../daemon/log-push.ts"
import { Logs } from "../../daemon/logs.ts"
import type { LogName } from "../../daemon/wire.ts"
import { virtualClock } from "../support/virtual-clock.ts"

interface Told {
  readonly log: LogName
  readonly logId: string | null
  readonly lastSeq: number
  readonly events: ReadonlyArray<{ readonly seq: number }>
}

const started = () => {
  const clock = virtualClock()
  const told: Array<Told> = []
  const sizes: Array<number> = []
  const logs: Logs = new Logs(clock, (name) => push.touched(name))
  const push = new LogPush({
    clock,
    logs,
    send: (text) => {
      sizes.push(Buffer.byteLength(text))
      told.push((JSON.parse(text) as { data: Told }).data)
      return true
    }
  })
  push.admitted()
  const name = (id: string): LogName => ({ kind: "session", id })
  const add = (log: { add: (body: { type: string; timestamp: number }) => void }, more: object = {}) =>
    log.add({ type: "message", timestamp: 1, ...more })
  return { clock, told, sizes, logs, push, name, add }
}

describe("a hub that listens to a log", () => {
  it("is told what happens in one frame for all that happens in 20 ms", () => {
    const { clock, told, logs, push, name, add } = started()
    const log = logs.open(name("a"))
    add(log)
    push.subscribe(name("a"), true)
    expect(told).toEqual([{ log: name("a"), logId: log.logId, lastSeq: 1, events: [] }])
    for (let at = 0; at < 3; at++) add(log)
    clock.advance(logGatherMillis - 1)
    expect(told).toHaveLength(1)
    clock.advance(1)
    expect(told[1]).toMatchObject({ lastSeq: 4, events: [{ seq: 2 }, { seq: 3 }, { seq: 4 }] })
    expect([told.length, clock.waits()]).toEqual([2, []])
  })

  it("is told once that a log is gone whose time is over as it begins to listen, and of nothing after it", () => {
    const { clock, told, logs, push, name, add } = started()
    add(logs.open(name("a")))
    logs.end(name("a"))
    clock.advance(endedLogMillisMax)
    push.subscribe(name("a"), true)
    clock.advance(logGatherMillis)
    expect(told).toEqual([{ log: name("a"), logId: null, lastSeq: 0, events: [] }])
    expect(clock.waits()).toEqual([])
  })

  it("is told nothing and wakes nothing before it listens, after it does not, and without a connection", () => {
    const { clock, told, logs, push, name, add } = started()
    const log = logs.open(name("a"))
    add(log)
    expect(clock.waits()).toEqual([])
    push.subscribe(name("a"), true)
    add(log)
    push.unsubscribe(name("a"))
    clock.advance(1_000)
    push.subscribe(name("a"), true)
    add(log)
    push.lost()
    push.subscribe(name("a"), true)
    add(log)
    expect([told.length, clock.waits()]).toEqual([2, []])
  })

  it("is told where each log stands before what happened, and of all logs in turn, as fast as it takes it", () => {
    const { clock, told, sizes, logs, push, name, add } = started()
    const text = "x".repeat(100_000)
    const open = ["a", "b"].map((id) => logs.open(name(id)))
    for (const id of ["a", "b"]) push.subscribe(name(id), true)
    for (let at = 0; at < 8; at++) for (const log of open) add(log, { text })
    clock.advance(logGatherMillis)
    push.subscribe(name("c"), true)
    expect(told.slice(2).map(({ log }) => log.id)).toEqual(["a", "b", "c", "a", "b"])
    clock.advance(60_000)
    for (const id of ["a", "b"]) {
      const seqs = told.flatMap(({ log, events }) => (log.id === id ? events.map(({ seq }) => seq) : []))
      expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    }
    expect(Math.max(...sizes)).toBeLessThanOrEqual(logFrameBytesMax + 1_024)
    expect(sizes.filter((size) => size > 150_000).length).toBeGreaterThan(4)
  })

  it("and is told more than it takes at once hears the rest later", () => {
    const { clock, sizes, logs, push, name, add } = started()
    const logsOpen = Array.from({ length: 12 }, (_, at) => logs.open(name(String(at))))
    for (let at = 0; at < 12; at++) push.subscribe(name(String(at)), true)
    for (const log of logsOpen) for (let at = 0; at < 2; at++) add(log, { text: "x".repeat(120_000) })
    clock.advance(logGatherMillis)
    const atOnce = sizes.reduce((sum, size) => sum + size, 0)
    expect(atOnce).toBeGreaterThan(logBurstBytes - 250_000)
    expect(atOnce).toBeLessThan(logBurstBytes + 250_000)
    clock.advance(5_000)
    expect(sizes.filter((size) => size > 200_000)).toHaveLength(12)
  })

  it("that is gone, or beyond the bound of subscriptions, is told that there is none", () => {
    const { clock, told, logs, push, name } = started()
    logs.open(name("a"))
    push.subscribe(name("a"), true)
    logs.forget(name("a"))
    clock.advance(logGatherMillis)
    const gone = (id: string) => ({ log: name(id), logId: null, lastSeq: 0, events: [] })
    expect(told[1]).toEqual(gone("a"))
    for (let at = 0; at <= logSubscriptionsMax; at++) {
      logs.open(name(String(at)))
      push.subscribe(name(String(at)), true)
    }
    expect(told.at(-2)?.logId).not.toBeNull()
    expect(told.at(-1)).toEqual(gone(String(logSubscriptionsMax)))
  })
})
