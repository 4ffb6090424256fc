/** Logs of daemons on other nodes: leases, lost messages, bounds. */
import { describe, expect, it } from "vitest"
import { LogReadings, LogRelays } from "../../../../actors/cluster/redis/log-relay.ts"
import type { LogAnswer, LogQuestion } from "../../../../actors/cluster/redis/rpc-messages.ts"
import { LogEvent, type LogFrame } from "../../../../src/domain/log/log.ts"
import type { LogAsked, LogListener, SubscribeLog } from "../../../../src/domain/log/log-listener.ts"
import { logLeaseMillis, logLeaseRenewMillis, logRelaysMax } from "../../../../src/limits/logs.ts"
import { given } from "../../../support/given.ts"
import { playedTimers } from "../../../support/played-timers.ts"

/** Two nodes, a clock and a line on which messages may be lost. */
class Line {
  loses = false
  isDead = false
  readonly clock = playedTimers()

  /** Sends what JSON makes of it. */
  send<M>(take: (id: string, message: M) => void) {
    return (_: string, id: string, message: M, lost: (surely: boolean) => void): void => {
      if (this.isDead) lost(true)
      else if (!this.loses) take(id, JSON.parse(JSON.stringify(message)))
    }
  }
}

const asked: LogAsked = { accountId: "a", daemonId: "d", log: { kind: "session", id: "s" }, deltas: true }
const frame = (seq: number): LogFrame => ({
  log: asked.log,
  logId: "l",
  lastSeq: seq,
  events: [new LogEvent({ seq, type: "plan", timestamp: 1 })],
  chars: 10,
  cost: 20
})

const listening = () => {
  const told: Array<string> = []
  const listener: LogListener = {
    hear: ({ events }) => void told.push(...events.map(({ seq }) => `event ${seq}`)),
    doubt: () => void told.push("doubt"),
    refused: (why) => void told.push(`refused ${why}`),
    gone: () => void told.push("gone")
  }
  return { told, listener }
}

/** Two nodes of which the second has the daemon. */
const twoNodes = (has = true) => {
  const line = new Line()
  const daemons: Array<LogListener> = []
  const wants: Array<string> = []
  const here: SubscribeLog = (_, listener) => {
    if (!has) return undefined
    daemons.push(listener)
    return { want: (deltas: boolean) => void wants.push(`deltas ${deltas}`), close: () => void wants.push("close") }
  }
  const answer = line.send<LogAnswer>((id, message) => readings.receive(id, message))
  const having = new LogRelays(answer, line.clock, here)
  const ask = line.send<LogQuestion>((id, message) => having.receive("reading", id, message))
  const owed: Array<unknown> = []
  const charge = (accountId: string, cost: number) => void owed.push([accountId, cost])
  const readings = new LogReadings(ask, (_, id) => having.cancel("reading", id), line.clock, charge)
  let ids = 0
  const reading = {
    subscribe: (node: string, log: LogAsked, listener: LogListener) =>
      readings.subscribe(String(ids++), node, log, listener)
  }
  return { line, daemons, wants, reading, readings, having, owed }
}

describe("a log of another node", () => {
  it("is heard until the reader leaves, and its daemon's node stops then", () => {
    const { daemons, wants, reading, having, owed } = twoNodes()
    const { told, listener } = listening()
    const subscription = reading.subscribe("having", asked, listener)
    daemons[0]!.hear(frame(1))
    subscription.want(false)
    daemons[0]!.hear(frame(2))
    daemons[0]!.doubt()
    expect(told).toEqual(["event 1", "event 2", "doubt"])
    // each was parsed at the reading node too, whose account owes that
    expect(owed).toEqual([
      [asked.accountId, 20],
      [asked.accountId, 20]
    ])
    subscription.close()
    expect([wants, having.size]).toEqual([["deltas false", "close"], 0])
    daemons[0]!.hear(frame(3))
    expect(told).toHaveLength(3)
  })

  given(twoNodes)("is renewed, and ends when its reader is dead", ({ line, wants, reading, having }) => {
    reading.subscribe("having", asked, listening().listener)
    line.clock.pass(10 * logLeaseMillis)
    expect(having.size).toBe(1)
    line.loses = true
    line.clock.pass(logLeaseMillis + logLeaseRenewMillis)
    expect([wants, having.size]).toEqual([["close"], 0])
  })

  given(twoNodes)("is gone when its daemon's node is dead, says nothing, or does not have it", (silent) => {
    const first = listening()
    silent.reading.subscribe("having", asked, first.listener)
    silent.line.loses = true
    silent.line.clock.pass(logLeaseMillis + 2 * logLeaseRenewMillis)
    expect(first.told).toEqual(["gone"])

    const dead = twoNodes()
    const second = listening()
    dead.reading.subscribe("having", asked, second.listener)
    dead.line.isDead = true
    dead.line.clock.pass(logLeaseRenewMillis)
    expect(second.told).toEqual(["gone"])

    const without = twoNodes(false)
    const third = listening()
    without.reading.subscribe("having", asked, third.listener)
    expect(third.told).toEqual(["gone"])
  })

  it("is in doubt when a message was lost, which the next renewal shows, or the bus", () => {
    const { line, daemons, reading } = twoNodes()
    const { told, listener } = listening()
    reading.subscribe("having", asked, listener)
    daemons[0]!.hear(frame(1))
    line.loses = true
    daemons[0]!.hear(frame(2))
    line.loses = false
    line.clock.pass(logLeaseRenewMillis)
    line.clock.pass(logLeaseRenewMillis)
    expect(told).toEqual(["event 1", "doubt"])
  })

  it("is in doubt before the next frame is heard, where one between was lost", () => {
    const { line, daemons, reading } = twoNodes()
    const { told, listener } = listening()
    reading.subscribe("having", asked, listener)
    line.loses = true
    daemons[0]!.hear(frame(1))
    line.loses = false
    daemons[0]!.hear(frame(2))
    daemons[0]!.hear(frame(3))
    line.clock.pass(2 * logLeaseRenewMillis)
    expect(told).toEqual(["doubt", "event 2", "event 3"])
  })

  given(twoNodes)("ends with its connection, or is refused, as its node says", ({ daemons, reading, having }) => {
    const [first, second] = [listening(), listening()]
    reading.subscribe("having", asked, first.listener)
    reading.subscribe("having", asked, second.listener)
    daemons[0]!.gone()
    daemons[1]!.refused("unsupported")
    expect([first.told, second.told, having.size]).toEqual([["gone"], ["refused unsupported"], 0])
  })

  given(twoNodes)(`is one of ${logRelaysMax} on its node; one more is refused`, ({ reading, having }) => {
    for (let n = 0; n < logRelaysMax; n++) reading.subscribe("having", asked, listening().listener)
    const { told, listener } = listening()
    reading.subscribe("having", asked, listener)
    expect([told, having.size]).toEqual([["refused full"], logRelaysMax])
  })
})
