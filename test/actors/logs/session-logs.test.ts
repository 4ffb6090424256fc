/** How many streams of logs a node has, and one subscription for all that read one log. */
import { Effect, Layer } from "effect"
import { describe, expect } from "vitest"
import type { LogReader } from "../../../actors/logs/log-stream.ts"
import { SessionLogs } from "../../../actors/logs/session-logs.ts"
import { startOf } from "../../../src/domain/log/position.ts"
import { logStreamsMax, logStreamsPerAccountMax, logsPerDaemonMax } from "../../../src/limits/logs.ts"
import { connect, makeWorld } from "../../support/daemon-services.ts"
import { it } from "../../support/effect-test.ts"

const reading = () => {
  const told: Array<string> = []
  const reader: LogReader = {
    begin: ({ seq }) => void told.push(`begin ${seq}`),
    event: ({ seq }) => void told.push(String(seq)),
    gap: (reason) => void told.push(reason),
    end: (reason) => void told.push(`end ${reason}`),
    isBehind: () => false,
    hasEnough: () => false
  }
  return { told, reader }
}

const log = { kind: "session", id: "s1" } as const
const says = (id: string, seq: number) => ({
  log: { kind: "session", id },
  logId: "a",
  lastSeq: seq,
  events: [{ seq, type: "plan", timestamp: 1 }]
})

describe("streams of logs", () => {
  it.effect("of one log share a subscription, which ends with the last of them", () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const logs = yield* SessionLogs
      const mine = world.enrol()
      const peer = yield* connect(mine.token, { capabilities: ["session_log"] })
      const [first, second, stranger] = [reading(), reading(), reading()]
      const asked = { ...mine, log, deltas: true, from: undefined }
      const closes = [logs.open(asked, first.reader), logs.open(asked, second.reader)]
      expect(peer.of("log_subscribe")).toHaveLength(1)
      peer.say("log_events", { ...says("s1", 4), events: [] })
      peer.say("log_events", says("s1", 5))
      logs.open({ ...asked, accountId: "acc_other" }, stranger.reader)
      peer.say("log_events", says("s1", 6))
      expect([first.told, second.told, stranger.told]).toEqual([["begin 4", "5", "6"], ["begin 4", "5", "6"], []])
      for (const close of closes) close!()
      closes[0]!()
      expect(peer.of("log_unsubscribe")).toEqual([{ log }])
      expect(logs.size()).toEqual({ streams: 1, feeds: 1 })
    }).pipe(Effect.provide(Layer.provideMerge(SessionLogs.layer, world.layer)))
  })

  it.effect(`are ${logStreamsPerAccountMax} of an account and ${logStreamsMax} of a node, and no more`, () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const logs = yield* SessionLogs
      const open = (accountId: string, id: number) =>
        logs.open(
          { accountId, daemonId: "d", log: { kind: "session", id: String(id) }, deltas: true, from: startOf },
          reading().reader
        )
      let sum = 0
      const fill = (account: string): number => {
        const before = sum
        while (open(account, sum) !== undefined) sum++
        return sum - before
      }
      expect(fill("acc_0")).toBe(logStreamsPerAccountMax)
      expect(logs.room("acc_0")).toBe(false)
      // ten that take all they may leave some to others
      for (let nth = 1; nth < 10; nth++) fill(`acc_${nth}`)
      expect(sum).toBeLessThan((logStreamsMax * 7) / 8)
      for (let nth = 10; sum < logStreamsMax; nth++) expect(fill(`acc_${nth}`)).toBeGreaterThan(0)
      expect(open("acc_new", -1)).toBeUndefined()
      expect(logs.size()).toEqual({ streams: logStreamsMax, feeds: logStreamsMax })
    }).pipe(Effect.provide(Layer.provideMerge(SessionLogs.layer, world.layer)))
  })

  it.effect(`read ${logsPerDaemonMax} logs of one daemon, and one more is refused`, () => {
    const world = makeWorld()
    return Effect.gen(function* () {
      const logs = yield* SessionLogs
      const mine = world.enrol()
      yield* connect(mine.token, { capabilities: ["session_log"] })
      const last = reading()
      for (let n = 0; n <= logsPerDaemonMax; n++) {
        const { reader } = n === logsPerDaemonMax ? last : reading()
        logs.open({ ...mine, log: { kind: "session", id: `s${n}` }, deltas: false, from: undefined }, reader)
      }
      expect(last.told).toEqual(["end overloaded"])
      expect(logs.size().feeds).toBe(logsPerDaemonMax)
    }).pipe(Effect.provide(Layer.provideMerge(SessionLogs.layer, world.layer)))
  })
})
