/** The log of a session: a page of it, and the stream. */
import { describe, expect, it } from "vitest"
import { logPageMax, logPageUsual } from "../../../src/limits/logs.ts"
import { useHub } from "../../support/hub.ts"
import { loggedDaemon } from "../../support/logged-session.ts"
import { until } from "../../support/until.ts"

describe("the log of a session", () => {
  const hub = useHub({ virtual: true })

  it("is read a page at a time, from the oldest on, and each page names where the next begins", async () => {
    const { logs, page } = await loggedDaemon(hub)
    for (let n = 1; n <= 5; n++) logs.happen("s1", "message", { messageId: `m${n}`, role: "agent", text: "é\n" })
    const first = await page("?limit=2")
    expect(first).toMatchObject({ status: 200, body: { more: true, gap: false, firstSeq: 1, lastSeq: 5 } })
    expect(first.body.events).toEqual(
      [1, 2].map((seq) => expect.objectContaining({ seq, type: "message", text: "é\n" }))
    )
    const second = await page(`?limit=4&after=${first.body.next}`)
    expect(second.body.events.map(({ seq }: { seq: number }) => seq)).toEqual([3, 4, 5])
    expect(second.body.more).toBe(false)
    expect((await page(`?after=${second.body.next}`)).body.events).toEqual([])
    expect(logs.pages.map(({ limit }) => limit)).toEqual([2, 4, logPageUsual])
    await page(`?limit=${logPageMax * 10}`)
    expect(logs.pages.at(-1)!["limit"]).toBe(logPageMax)
  })

  it("says in a page that something is not to be had any more", async () => {
    const { logs, page } = await loggedDaemon(hub)
    for (let n = 1; n <= 9; n++) logs.happen("s1", "plan", { entries: [] })
    const { next } = (await page("?limit=2")).body
    logs.forget("s1", 3)
    const late = (await page(`?after=${next}`)).body
    expect(late).toMatchObject({ gap: true, firstSeq: 7 })
    expect(late.events.map(({ seq }: { seq: number }) => seq)).toEqual([7, 8, 9])
    logs.begin("s1", "log-2")
    logs.happen("s1", "plan", { entries: [] })
    expect((await page(`?after=${late.next}`)).body).toMatchObject({ gap: true, lastSeq: 1, events: [{ seq: 1 }] })
  })

  it("is streamed as it happens, whole events and pieces, with a place each", async () => {
    const { logs, read } = await loggedDaemon(hub)
    logs.happen("s1", "message", { text: "before" })
    const reader = await read()
    expect(reader.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    await until("the stream begins", () => reader.lastId())
    logs.happen("s1", "message_delta", { messageId: "m", role: "agent", delta: "Hel\nlo" })
    logs.happen("s1", "message", { messageId: "m", role: "agent", text: "Hello" })
    await until("both arrive", () => reader.events().length === 2)
    expect(reader.words()).toEqual(["message_delta 2", "message 3"])
    expect(reader.events()[0]!.data).toMatchObject({ messageId: "m", delta: "Hel\nlo" })
    expect(new Set(reader.events().map(({ id }) => id)).size).toBe(2)
    reader.close()
  })

  it("refuses a place in the log of another session, and what is no place, and says which", async () => {
    const [mine, other] = [await loggedDaemon(hub), await loggedDaemon(hub)]
    const { next } = (await other.page()).body
    for (const [text, words] of [
      [next, /of another session/u],
      ["nonsense", /must be/u],
      ["-1", /must be/u],
      [`${next}x`, /must be/u]
    ]) {
      const page = await mine.page(`?after=${text}`)
      expect(page).toMatchObject({ status: 400, body: { reason: "VALIDATION_FAILED", issues: [{ path: "after" }] } })
      expect(page.body.issues[0].message).toMatch(words)
      const stream = await hub.request("GET", mine.path("/stream"), {
        key: mine.key,
        headers: { "last-event-id": text }
      })
      expect(stream).toMatchObject({ status: 400, body: { issues: [{ path: "last-event-id" }] } })
    }
    expect((await mine.page("?limit=0")).status).toBe(400)
    expect((await mine.page("?deltas=maybe")).status).toBe(400)
  })

  it("answers 404 where the daemon has no log of its session, and 409 where it keeps none at all", async () => {
    const mine = await loggedDaemon(hub)
    mine.peer().report([{ id: "s9", providerType: "a", kind: "agent", transport: "acp", status: "idle" }])
    await until("404", async () => (await hub.request("GET", mine.path("", "s9"), { key: mine.key })).status === 404)
    expect((await hub.request("GET", mine.path("/stream", "s9"), { key: mine.key })).status).toBe(404)
    const plain = await loggedDaemon(hub, [])
    for (const rest of ["", "/stream"]) {
      expect(await hub.request("GET", plain.path(rest), { key: plain.key })).toMatchObject({
        status: 409,
        body: { reason: "DAEMON_LACKS_FEATURE", feature: "session_log" }
      })
    }
    expect(plain.peer().frames.map(({ type }) => type)).not.toContain("log_subscribe")
    expect(plain.logs.pages).toEqual([])
  })

  it("ends with a reason when the daemon stays away, when its log ends, and when it is revoked", async () => {
    const away = await loggedDaemon(hub)
    const reader = await away.read()
    await away.peer().cut()
    await until("the stream ends", async () => {
      await hub.advance(5_000)
      return reader.ended()
    })
    expect(reader.words()).toEqual(["end daemon_offline"])
    expect((await away.page()).body.reason).toBe("DAEMON_OFFLINE")
    expect((await hub.request("GET", away.path("/stream"), { key: away.key })).body.reason).toBe("DAEMON_OFFLINE")

    const over = await loggedDaemon(hub)
    const ending = await over.read()
    over.peer().send("log_events", { log: { kind: "session", id: "s1" }, logId: null, lastSeq: 0, events: [] })
    await until("the stream ends", () => ending.ended())
    expect(ending.words()).toEqual(["end log_ended"])

    const revoked = await loggedDaemon(hub)
    const last = await revoked.read()
    const session = await revoked.account.session()
    expect((await hub.request("POST", `/api/v1/daemons/${revoked.daemonId}/revoke`, { session })).status).toBe(200)
    await until("the stream ends", () => last.ended())
    expect(last.words()).toEqual(["end daemon_revoked"])
  })
})
