/** Documents of strangers: from public addresses only, within their time and bytes, and nowhere that they lead. */
import type { RequestListener } from "node:http"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { clientDocumentBytesMax, clientDocumentMillisMax } from "../../../src/limits/oauth.ts"
import { DocumentReach, makeDocumentFetch } from "../../../src/outbound/document-fetch.ts"
import { it } from "../../support/effect-test.ts"
import { startTlsServer, testCertificate } from "../../support/tls-server.ts"
import { useStarted } from "../../support/use-started.ts"

const json = { "content-type": "application/json" }
const seen: Array<string> = []

const pages: Readonly<Record<string, RequestListener>> = {
  "/good": (_, response) => response.writeHead(200, { ...json, "cache-control": "public, max-age=600" }).end('{"a":1}'),
  "/plain": (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("{}"),
  "/broken": (_, response) => response.writeHead(200, json).end("{"),
  "/large": (_, response) => response.writeHead(200, json).end(`"${"x".repeat(clientDocumentBytesMax)}"`),
  "/endless": (_, response) => {
    response.writeHead(200, json)
    const more = (): void =>
      void (response.write("x".repeat(1_024)) ? setImmediate(more) : response.once("drain", more))
    more()
  },
  "/full": (_, response) => response.writeHead(200, json).end(`[${"[".repeat(3_000)}`),
  "/away": (_, response) => response.writeHead(302, { location: "/good" }).end(),
  "/missing": (_, response) => response.writeHead(404, json).end("{}"),
  "/slow": (_, response) => void response.writeHead(200, json).write("{")
}

describe("a document of a stranger", () => {
  const server = useStarted(() =>
    startTlsServer((request, response) => {
      seen.push(request.url ?? "")
      pages[request.url ?? ""]?.(request, response)
    })
  )
  const open = { allowCidrs: ["127.0.0.0/8", "::1/128"], ca: testCertificate }
  const fetched = (path: string, reach: typeof DocumentReach.Service = open, deny: ReadonlyArray<string> = []) =>
    Effect.gen(function* () {
      const fetch = yield* makeDocumentFetch(deny)
      return yield* Effect.result(fetch(path.startsWith("https:") ? path : server.origin + path, () => {}))
    }).pipe(Effect.provideService(DocumentReach, reach))

  it.effect("is read, with how long it may be kept", () =>
    Effect.gen(function* () {
      expect(yield* fetched("/good")).toMatchObject({ success: { value: { a: 1 }, bytes: 7, maxAgeSeconds: 600 } })
    })
  )

  it.effect.each([
    ["/plain", "is no JSON"],
    ["/broken", "is no JSON"],
    ["/large", `has more than ${clientDocumentBytesMax} bytes`],
    ["/endless", `has more than ${clientDocumentBytesMax} bytes`],
    ["/full", /^holds more|^nests deeper/u],
    ["/away", "leads elsewhere"],
    ["/missing", "is answered with 404"]
  ] as const)("is not read from %s: it %s", ([path, says]) =>
    Effect.gen(function* () {
      seen.length = 0
      const answer = (yield* fetched(path)) as { readonly failure: { readonly says: string } }
      expect(answer.failure.says).toMatch(says)
      expect(seen).toEqual([path])
    })
  )

  it.effect("is given up when it does not come in time", () =>
    Effect.gen(function* () {
      seen.length = 0
      const asking = yield* Effect.forkChild(fetched("/slow"))
      yield* Effect.promise(async () => {
        while (seen.length === 0) await new Promise((resolve) => setImmediate(resolve))
      })
      yield* TestClock.adjust(clientDocumentMillisMax)
      expect(yield* Fiber.join(asking)).toMatchObject({ failure: { says: "takes too long" } })
    })
  )

  it.effect.each([
    ["a name that means this host", "/good", { ...open, allowCidrs: [] }, []],
    ["an address that the operator forbids", "/good", open, ["127.0.0.0/8", "::1/128"]],
    ["an address of this host", "https://127.0.0.1/x", { allowCidrs: [] }, []],
    ["another spelling of it", "https://2130706433/x", { allowCidrs: [] }, []],
    ["an address of IPv6 with it inside", "https://[::ffff:127.0.0.1]/x", { allowCidrs: [] }, []],
    ["an address of a private network", "https://192.168.0.1/x", { allowCidrs: [] }, []],
    ["the metadata of a cloud", "https://169.254.169.254/x", { allowCidrs: [] }, []],
    ["one whose certificate is not trusted", "/good", { allowCidrs: open.allowCidrs }, []]
  ] as const)("is not asked for at %s, and why is not told", ([, path, reach, deny]) =>
    Effect.gen(function* () {
      seen.length = 0
      expect(yield* fetched(path, reach, deny)).toMatchObject({ failure: { says: "cannot be reached" } })
      expect(seen).toEqual([])
    })
  )
})
