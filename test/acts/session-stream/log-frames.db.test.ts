/** docs/daemon-protocol.md: logs. */
import { describe, expect, it } from "vitest"
import {
  logBurstBytes,
  logBytesPerSecond,
  logFloodBurstBytes,
  logFrameBytesMax,
  logReadsPerDaemonMax
} from "../../../src/limits/logs.ts"
import { framesPer10sMax } from "../../../src/limits.ts"
import { inTurn } from "../../support/connected-daemon.ts"
import { given } from "../../support/given.ts"
import { useHub } from "../../support/hub.ts"
import { type LoggedDaemon, loggedDaemon } from "../../support/logged-session.ts"
import { until } from "../../support/until.ts"

const hub = useHub({ virtual: true })

const log = { kind: "session", id: "s1" }
const event = (seq: number, more: object = {}) => ({ seq, type: "plan", timestamp: 1, ...more })
const eventsFrame = (seq: number, more: object = {}) => ({
  log,
  logId: "log-1",
  lastSeq: seq,
  events: [event(seq, more)]
})
const asked = ({ peer }: LoggedDaemon) => peer().frames.filter(({ type }) => type.startsWith("log_"))

describe("logs", () => {
  /** A daemon whose log is read. */
  const reading = async () => {
    const mine = await loggedDaemon(hub)
    return { mine, reader: await mine.read() }
  }

  it("P92: are asked of a daemon that named the feature, and of no other", async () => {
    for (const capabilities of [[], ["from_the_future"]]) {
      const other = await loggedDaemon(hub, capabilities)
      expect((await other.page()).status).toBe(409)
      expect((await other.read()).status).toBe(409)
      expect([asked(other), other.logs.pages]).toEqual([[], []])
    }
    const mine = await loggedDaemon(hub, ["from_the_future", "session_log"])
    expect((await mine.page()).status).toBe(200)
  })

  it("P93: are subscribed to while somebody reads, and again after a reconnect", async () => {
    const mine = await loggedDaemon(hub)
    const [first, second] = [await mine.read(), await mine.read()]
    expect(asked(mine)).toEqual([{ type: "log_subscribe", data: { log, deltas: true } }])
    first.close()
    await mine.reconnect()
    await until("it is subscribed to again", async () => {
      await hub.advance(1_000)
      return mine.logs.subscribed("s1")
    })
    second.close()
    await until("it is not any more", () => asked(mine).at(-1)?.type === "log_unsubscribe")
  })

  it("P94: leave out deltas where nobody wants them, and then skip numbers", async () => {
    const mine = await loggedDaemon(hub)
    const whole = await mine.read("?deltas=false")
    mine.logs.happen("s1", "message_delta")
    mine.logs.happen("s1", "message")
    const both = await mine.read()
    mine.logs.happen("s1", "message_delta")
    mine.logs.happen("s1", "message")
    await until("all arrive", () => whole.events().length === 2 && both.events().length === 2)
    expect(whole.words()).toEqual(["message 2", "message 4"])
    expect(both.words()).toEqual(["message_delta 3", "message 4"])
    both.close()
    await until("the deltas end", () => asked(mine).length === 3)
    expect(asked(mine).map(({ data }) => data.deltas)).toEqual([false, true, false])
    whole.close()
  })

  it("P95: come in order, each event once, with what was missing and a mark where it is gone", async () => {
    const { mine, reader } = await reading()
    mine.logs.happen("s1", "plan")
    mine.peer().send("log_events", eventsFrame(1))
    mine.logs.happen("s1", "plan", {}, false)
    mine.logs.happen("s1", "plan")
    await until("all arrive", () => reader.events().length === 3)
    mine.logs.happen("s1", "plan", {}, false)
    mine.logs.forget("s1", 0)
    mine.logs.happen("s1", "plan")
    await until("the last arrives", () => reader.events().length === 5)
    expect(reader.words()).toEqual(["plan 1", "plan 2", "plan 3", "gap not_kept", "plan 5"])
    reader.close()
  })

  it("P96: begin anew under another logId, and what still comes of the old one is nothing", async () => {
    const { mine, reader } = await reading()
    mine.logs.happen("s1", "plan")
    await until("it arrives", () => reader.events().length === 1)
    mine.logs.begin("s1", "log-2")
    mine.logs.happen("s1", "plan", {}, false)
    mine.logs.happen("s1", "plan")
    await until("the new one arrives", () => reader.events().length === 4)
    mine.peer().send("log_events", eventsFrame(2))
    mine.logs.happen("s1", "plan")
    await until("it goes on", () => reader.events().length === 5)
    expect(reader.words()).toEqual(["plan 1", "gap log_restarted", "plan 1", "plan 2", "plan 3"])
    reader.close()
  })

  given(reading)("P97: end with a logId that is null", async ({ mine, reader }) => {
    mine.peer().send("log_events", { log, logId: null, events: [] })
    await until("the stream ends", () => reader.ended())
    expect(reader.words()).toEqual(["end log_ended"])
  })

  given(() => loggedDaemon(hub))("P98: are read in pages, a few at once", async (mine) => {
    for (let n = 0; n < 3; n++) mine.logs.happen("s1", "plan")
    const { next } = (await mine.page("?limit=1&deltas=false")).body
    expect(mine.logs.pages).toEqual([{ log, limit: 1, deltas: false }])
    await mine.page(`?after=${next}`)
    expect(mine.logs.pages[1]).toMatchObject({ after: { logId: "log-1", seq: 1 }, deltas: true })
    mine.logs.answers = false
    const readers = await Promise.all([0, 1, 2].map(() => mine.read(`?after=${next}`)))
    for (let id = 2; id <= logReadsPerDaemonMax + 3; id++) mine.logs.begin(`s${id}`, "log")
    const sessions = Array.from({ length: logReadsPerDaemonMax + 3 }, (_, at) => `s${at + 1}`)
    mine
      .peer()
      .report(sessions.map((id) => ({ id, providerType: "a", kind: "agent", transport: "acp", status: "idle" })))
    await inTurn(mine.peer())
    for (const id of sessions.slice(1)) mine.logs.happen(id, "plan")
    const more = await Promise.all(sessions.slice(1).map((id) => mine.readOf(id, "?after=0")))
    await until("some are asked for", () => mine.logs.pages.length === 2 + logReadsPerDaemonMax)
    mine.logs.release()
    await until("all arrive", () => [...readers, ...more].every((reader) => reader.events().length > 0))
    for (const reader of [...readers, ...more]) reader.close()
    expect((await mine.page()).status).toBe(200)
    mine.logs.refuses = true
    expect((await mine.page()).status).toBe(404)
  })

  it("P99: have a budget of their own, beyond which frames are dropped, and far beyond which the socket closes", async () => {
    const { mine, reader } = await reading()
    const quiet = 5 * framesPer10sMax
    for (let n = 0; n < quiet; n++) mine.logs.happen("s1", "plan")
    await until("all arrive", () => reader.events().length === quiet)
    expect(reader.words()).not.toContain("gap not_kept")
    reader.close()

    const loud = await loggedDaemon(hub)
    const listener = await loud.read("?deltas=false")
    const pad = "x".repeat(200_000)
    const frames = Math.ceil(logBurstBytes / 200_000) + 5
    for (let n = 0; n < frames; n++) loud.logs.happen("s1", "message_delta", { pad })
    loud.logs.happen("s1", "message", { text: "whole" })
    await inTurn(loud.peer())
    for (let n = 0; n < frames; n++) loud.peer().send("log_events", eventsFrame(1, { pad }))
    loud.logs.happen("s1", "message", { text: "later" }, true)
    await inTurn(loud.peer())
    await until("what was dropped is read", async () => {
      await hub.advance((2 * logBurstBytes * 1_000) / logBytesPerSecond)
      return listener.events().length === 2
    })
    expect(listener.events().map(({ data }) => data.text)).toEqual(["whole", "later"])
    for (let sent = 0; sent < logBurstBytes + logFloodBurstBytes + 1_000_000; sent += 200_000)
      loud.peer().send("log_events", eventsFrame(1, { pad }))
    expect((await loud.peer().closed).code).toBe(4429)
    listener.close()
  })

  given(reading)("P100: drop a frame that is too large, and an event that does not fit", async ({ mine, reader }) => {
    for (const bytes of [logFrameBytesMax, 1_048_576, 2_000_000])
      mine.peer().send("log_events", eventsFrame(1, { pad: "x".repeat(bytes) }))
    const events = [{ seq: 0 }, { type: "gap" }, { type: "a\nb" }, { timestamp: "now" }, { type: 7 }, null, 3]
    const wrong = events.map((one) => (one === null || typeof one === "number" ? one : event(1, one)))
    mine.peer().send("log_events", { log, logId: "log-1", lastSeq: 1, events: [...wrong, event(1)] })
    await until("what fits arrives", () => reader.events().length === 1)
    mine.peer().send("log_events", { log: { kind: "none" }, logId: "log-1", lastSeq: 1, events: [event(2)] })
    mine.peer().send("log_events", { log, logId: "", lastSeq: 1, events: [event(2)] })
    mine.peer().socket.send(JSON.stringify({ data: eventsFrame(2), type: "log_events" }))
    await until("the last arrives", () => reader.events().length === 2)
    expect(reader.words()).toEqual(["plan 1", "plan 2"])
    reader.close()
  })

  given(() => loggedDaemon(hub))("P101: cost as any other frame where nobody reads them", async (mine) => {
    for (let n = 0; n < framesPer10sMax + 1; n++) mine.peer().send("log_events", eventsFrame(n + 1))
    expect((await mine.peer().closed).code).toBe(4429)

    const late = await loggedDaemon(hub)
    const reader = await late.read()
    reader.close()
    await until("nobody reads it", () => late.logs.subscribed("s1") === undefined)
    for (let n = 0; n < 2 * framesPer10sMax; n++) late.peer().send("log_events", eventsFrame(n + 1))
    await inTurn(late.peer())
    await hub.advance(10_000)
    for (let n = 0; n < framesPer10sMax + 1; n++) late.peer().send("log_events", eventsFrame(n + 1))
    expect((await late.peer().closed).code).toBe(4429)
  })
})
