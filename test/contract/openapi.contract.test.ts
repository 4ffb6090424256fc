/** The story, told by a caller that knows nothing but the document; what it sets moving is held against AsyncAPI's. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import type { AsyncApiDocument } from "./asyncapi-document.ts"
import { misshapen, uncalled, undeclared, ungiven } from "./coverage.ts"
import { documentCaller, type Exchange, type OpenApiDocument } from "./document-caller.ts"
import { type FrameTap, tapFrames } from "./recorded-frames.ts"
import type { Step } from "./scenario/fixture.ts"
import { tell } from "./scenario/scenario.ts"
import { type InhabitedHub, inhabitedHub } from "./scenario-hub.ts"
import { schemaCheck } from "./schema-check.ts"

describe.skipIf(inject("contractToolsMissing"))("a caller that knows nothing but the OpenAPI document", () => {
  let all: InhabitedHub
  let document: OpenApiDocument
  let log: ReadonlyArray<Step>
  const exchanges: Array<Exchange> = []
  let tap: FrameTap
  beforeAll(async () => {
    tap = tapFrames()
    all = await inhabitedHub()
    const { url } = all.world
    document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument
    const seen = (exchange: Exchange) => void exchanges.push(exchange)
    log = await tell(all.world, (bearer) => documentCaller(document, url, bearer, seen))
  })
  afterAll(() => {
    tap.close()
    return all?.close()
  })

  it("calls every operation of a hub with every parameter, and is answered and refused as declared", () => {
    expect(uncalled(document, log)).toEqual([])
    expect(ungiven(document, log)).toEqual([])
    expect(undeclared(document, log)).toEqual([])
  })

  it("sends and is answered what has the shape that the document declares", () => {
    const check = schemaCheck(document)
    expect(exchanges.length).toBeGreaterThan(0)
    expect([...new Set(exchanges.flatMap((one) => misshapen(document, one, check)))]).toEqual([])
  })

  it("receives each webhook in the shape that the document gives its event", () => {
    const check = schemaCheck(document)
    const events = new Set<string>()
    const wrong = all.received().flatMap(({ body, headers }) => {
      events.add(body.event)
      const place = ["webhooks", body.event, "post", "requestBody", "content", "application/json", "schema"]
      const { parameters = [] } = document.webhooks[body.event]!["post"]!
      const lacking = parameters.filter(({ name }) => headers[name.toLowerCase()] === undefined)
      return [...lacking.map(({ name }) => `${body.event} lacks ${name}`), check(place, body) ?? []].flat()
    })
    expect(wrong).toEqual([])
    expect([...events]).toEqual(
      expect.arrayContaining(["agent:generating_completed", "agent:waiting_approval", "agent:stopped", "webhook:test"])
    )
  })

  it("sees each frame and each delivery in the shape that the AsyncAPI document gives it", async () => {
    const { channels, ...rest } = (await (await fetch(`${all.world.url}/asyncapi.json`)).json()) as AsyncApiDocument
    const check = schemaCheck({ channels, ...rest })
    const seen = (channel: string, name: string, value: unknown) =>
      check(["channels", channel, "messages", name, "payload"], value)?.concat(` in ${JSON.stringify(value)}`) ?? []
    const frames = [...tap.fromDaemons, ...tap.fromHub].map((text) => JSON.parse(text) as { readonly type: string })
    expect(frames.flatMap((frame) => seen("daemons_connect", frame.type, frame))).toEqual([])
    expect([...new Set(frames.map(({ type }) => type))]).toEqual(
      expect.arrayContaining(["auth", "status_report", "status_event", "command_result", "log_events", "auth_ok"])
    )
    expect(frames.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["command", "event_ack", "result_ack", "log_subscribe"])
    )
    const deliveries = Object.entries(channels["webhooks"]!.messages)
    const named = new Map(deliveries.map(([name, message]) => [message.name, name]))
    expect(all.received().flatMap(({ body }) => seen("webhooks", named.get(body.event)!, body))).toEqual([])
  })
})
