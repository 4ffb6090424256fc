/** The story, told by a caller that knows nothing but the document. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { uncalled, undeclared, ungiven } from "./coverage.ts"
import { documentCaller, type OpenApiDocument } from "./document-caller.ts"
import { type InhabitedHub, inhabitedHub } from "./inhabited-hub.ts"
import { schemaCheck } from "./schemas.ts"
import { tell } from "./story/story.ts"
import type { Step } from "./story/world.ts"

describe.skipIf(inject("contractToolsMissing"))("a caller that knows nothing but the OpenAPI document", () => {
  let all: InhabitedHub
  let document: OpenApiDocument
  let log: ReadonlyArray<Step>
  beforeAll(async () => {
    all = await inhabitedHub()
    const { url } = all.world
    document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument
    log = await tell(all.world, (bearer) => documentCaller(document, () => url, bearer))
  })
  afterAll(() => all?.close())

  it("calls every operation of a hub with every parameter, and is answered and refused as declared", () => {
    expect(uncalled(document, log)).toEqual([])
    expect(ungiven(document, log)).toEqual([])
    expect(undeclared(document, log)).toEqual([])
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
})
