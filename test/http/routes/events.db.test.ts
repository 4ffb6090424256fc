/** The live stream of events (Server-Sent Events). */
import { Effect } from "effect"
import { decodeJwt, SignJWT } from "jose"
import { describe, expect, it, onTestFinished } from "vitest"
import { Dispatcher } from "../../../actors/events/dispatcher.ts"
import { LiveStreams } from "../../../actors/events/live-streams.ts"
import { SigningKeys } from "../../../src/auth/signing-keys.ts"
import type { EventName } from "../../../src/domain/event/events.ts"
import { streamHeartbeatMillis, streamsPerAccountMax } from "../../../src/limits/delivery.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { type LogReading, readStream } from "../../support/logged-session.ts"
import { until } from "../../support/until.ts"

describe("GET /api/v1/events", () => {
  const hub = useHub({ virtual: true })

  const read = async (bearer: string, query = "", headers: Record<string, string> = {}): Promise<LogReading> => {
    const reader = await readStream(hub, `/api/v1/events${query}`, bearer, headers)
    onTestFinished(() => reader.close())
    if (reader.status === 200) await until("the stream begins", () => reader.lastId())
    return reader
  }
  const happen = (account: TestAccount, event: EventName, daemonId = "dmn_1", more: object = {}) =>
    hub.inside(
      Effect.flatMap(Dispatcher, (dispatcher) =>
        dispatcher.dispatch({
          accountId: account.accountId,
          daemonId,
          event,
          payload: { daemonId, ...more },
          timestamp: hub.now()
        })
      )
    )
  const names = (reader: LogReading) => reader.events().map((seen) => seen.event)

  it("streams the account's events as they happen, with an id each, and no other account's", async () => {
    const [account, other] = [await hub.account(), await hub.account()]
    const reader = await read(await account.session())
    expect(reader.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    await happen(other, "agent:stopped")
    await happen(account, "agent:stopped", "dmn_1", { targetSessionId: "s" })
    await happen(account, "daemon:connect")
    await until("both arrive", () => reader.events().length === 2)
    expect(names(reader)).toEqual(["agent:stopped", "daemon:connect"])
    expect(reader.events()[0]!.data).toEqual({
      event: "agent:stopped",
      payload: { daemonId: "dmn_1", targetSessionId: "s" },
      timestamp: hub.now()
    })
    expect(new Set(reader.events().map((seen) => seen.id)).size).toBe(2)
  })

  it("filters by event and by daemon", async () => {
    const { account, session } = await hub.signedIn()
    const byEvent = await read(session, "?event=agent:status&event=daemon:connect")
    const byList = await read(session, "?event=agent:status,daemon:connect")
    const byDaemon = await read(session, "?daemonId=dmn_2")
    const every = await read(session, "?event=*")
    await happen(account, "agent:stopped", "dmn_2")
    await happen(account, "agent:status", "dmn_1")
    await happen(account, "daemon:connect", "dmn_2")
    await until("all arrive", () => every.events().length === 3 && byDaemon.events().length === 2)
    await until("the filtered arrive", () => byEvent.events().length === 2 && byList.events().length === 2)
    expect(names(byEvent)).toEqual(["agent:status", "daemon:connect"])
    expect(names(byList)).toEqual(["agent:status", "daemon:connect"])
    expect(names(byDaemon)).toEqual(["agent:stopped", "daemon:connect"])
  })

  it("answers 400 to the name of an event that is never dispatched", async () => {
    const session = await (await hub.account()).session()
    for (const event of ["nonsense", "webhook:test", "agent:approve_request"])
      expect((await hub.request("GET", `/api/v1/events?event=${event}`, { session })).status).toBe(400)
  })

  it("resumes after the last event that was seen", async () => {
    const { account, session } = await hub.signedIn()
    const first = await read(session)
    await happen(account, "agent:stopped")
    await until("it arrives", () => first.events().length === 1)
    first.close()
    await until("it is closed", () => first.ended())
    await happen(account, "daemon:connect")
    await happen(account, "daemon:disconnect")
    const next = await read(session, "", { "last-event-id": first.events()[0]!.id! })
    await until("the missed arrive", () => next.events().length === 2)
    expect(names(next)).toEqual(["daemon:connect", "daemon:disconnect"])
  })

  it("sends a heartbeat that no reader mistakes for an event", async () => {
    const reader = await read(await (await hub.account()).session())
    await hub.advance(streamHeartbeatMillis + 1_000)
    await until("the heartbeat arrives", () => reader.text().includes("\n: \n\n"))
    expect(reader.events()).toEqual([])
  })

  it("ends when its key or its session expires, and not before", async () => {
    const { account, session } = await hub.signedIn()
    const [seconds, life] = [Math.floor(hub.now() / 1_000), 20]
    const body = { name: "short", scopes: ["ide:read"], expiresAt: hub.now() + life * 1_000 }
    const made = await hub.request("POST", "/api/v1/api-keys", { session, body })
    const { kid, privateKey } = await hub.inside(Effect.flatMap(SigningKeys, (signing) => signing.current))
    const short = await new SignJWT({ ...decodeJwt(session), exp: seconds + life })
      .setProtectedHeader({ alg: "EdDSA", kid })
      .sign(privateKey)
    const [byKey, bySession, beside] = [await read(made.body.key), await read(short), await read(session)]
    await hub.advance(life * 1_000 - 1_000)
    await happen(account, "daemon:connect")
    await until("all go on", () => [byKey, bySession, beside].every((one) => one.events().length === 1))
    await hub.advance(1_100)
    await until("both end", () => byKey.ended() && bySession.ended())
    await happen(account, "daemon:disconnect")
    await until("the other goes on", () => beside.events().length === 2)
  })

  it(`is refused with 503 beyond ${streamsPerAccountMax} an account, until one closes`, async () => {
    const { account, session } = await hub.signedIn()
    const readers = await Promise.all([...Array(streamsPerAccountMax).keys()].map(() => read(session)))
    expect(readers.map((one) => one.status)).toEqual(Array(streamsPerAccountMax).fill(200))
    const over = await hub.request("GET", "/api/v1/events", { session })
    expect([over.status, over.body.reason]).toEqual([503, "OVERLOADED"])
    readers[0]!.close()
    await until("one is free", () => hub.inside(Effect.map(LiveStreams, (streams) => streams.room(account.accountId))))
    expect((await read(session)).status).toBe(200)
  })
})
