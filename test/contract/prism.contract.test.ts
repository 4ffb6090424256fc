/** Every exchange of the story, held against the document by Prism's proxy. */
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest"
import { testFolder } from "../support/temporary-folder.ts"
import { uncalled } from "./coverage.ts"
import { documentCaller, type Exchange, type Given, type OpenApiDocument } from "./document-caller.ts"
import { type Proxy, startPrism, type Violation, violationsOf } from "./prism.ts"
import { tell } from "./scenario/scenario.ts"
import { type InhabitedHub, inhabitedHub } from "./scenario-hub.ts"

/** Exchanges that Prism cannot stand between. */
const apart: Readonly<Record<string, (given: Given) => boolean>> = {
  // Prism reads an answer to its end, and a stream of events has none.
  "events.stream": (given) => given.query !== undefined,
  "sessions.stream": (given) => given.query !== undefined,
  "commands.outputStream": (given) => given.query !== undefined,
  // Prism follows a redirect itself, and gives what the provider or the dashboard answers.
  "auth.begin": (given) => given.query?.["challenge"] !== undefined,
  "auth.callback": () => true,
  // Prism reads the JSON that the answer to a HEAD announces, finds none, and answers 500 of its own.
  "registry.downloadHead": (given) => given.query === undefined
}

/**
 * What Prism says of a request that the story means to be wrong and that the hub refused: then Prism is right, and so
 * is the hub. What it says of an answer, or of a request that the hub took, is a fault of the document.
 */
const isMeant = ({ location }: Violation, { answer }: Exchange): boolean =>
  location[0] === "request" && [400, 401, 403, 413].includes(answer.status)

describe.skipIf(inject("contractToolsMissing"))("Prism's proxy", () => {
  let all: InhabitedHub
  let proxy: Proxy
  let document: OpenApiDocument
  beforeAll(async () => {
    all = await inhabitedHub()
    document = (await (await fetch(`${all.world.url}/openapi.json`)).json()) as OpenApiDocument
    proxy = await startPrism(testFolder("prism"), document, all.world.url)
  })
  afterAll(async () => {
    await proxy?.close()
    await all?.close()
  })

  it("finds every request and every answer of a hub as the document declares them", async () => {
    const found = new Set<string>()
    const seen = (exchange: Exchange): void => {
      for (const violation of violationsOf(exchange.answer).filter((one) => !isMeant(one, exchange))) {
        const { location, message } = violation
        found.add(`${exchange.operation} ${exchange.answer.status} ${location.join(".")}: ${message}`)
      }
    }
    const url = (operation: string, given: Given) => (apart[operation]?.(given) ? all.world.url : proxy.url)
    const log = await tell(all.world, (bearer) => documentCaller(document, url, bearer, seen)).catch((cause: Error) => {
      throw new Error(`${cause.message}\n${proxy.said()}`, { cause })
    })
    expect([...found]).toEqual([])
    expect(uncalled(document, log)).toEqual([])
  })
})
