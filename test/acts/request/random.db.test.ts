/** Random requests with every credential: each gets a success or an error body, never an internal error. */

import { HttpApi } from "effect/http-api"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import { reasons } from "../../../http/api/reasons.ts"
import { scopes } from "../../../src/domain/account/scopes.ts"
import { useHub } from "../../support/hub.ts"

/** Fixed, so that a run says the same on every daemon; change it to look elsewhere. */
const seed = 20_261_121

const routes: Array<readonly [method: string, path: string]> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group }) => {
    // The stream does not end, and without a provider there is no sign-in to begin.
    if (group.identifier !== "events") routes.push([endpoint.method, endpoint.path])
  }
})

const hub = useHub()
let key: string
let session: string
let daemonId: string
beforeAll(async () => {
  const admin = await hub.account({ plan: "enterprise", admin: true })
  key = await admin.key(scopes)
  session = await admin.session()
  daemonId = (await admin.daemonToken()).daemonId
})

/** A part of a path or query as a careless or ill-meaning caller writes it: any bytes but those that end the line. */
const piece = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ maxLength: 40 }).map((text) => text.replace(/[\s?#]/gu, "")),
  fc.constantFrom(
    "%",
    "%ff",
    "%00",
    "..",
    ".",
    "%2e%2e%2f",
    "%252e",
    "a:ide:b",
    "__proto__",
    "constructor",
    "-1",
    "1e309"
  ),
  fc.constantFrom(":session:", "DAEMON", "DAEMON:ide:x", "DAEMON:session:%00", "DAEMON%3Acli%3A", "DAEMON:acp:'or''='")
)
const query = fc.array(
  fc.tuple(fc.oneof(fc.constantFrom("limit", "cursor", "channel", "include", "agentType"), piece), piece),
  {
    maxLength: 3
  }
)
const name = fc.constantFrom(
  "type",
  "payload",
  "name",
  "scopes",
  "events",
  "url",
  "active",
  "message",
  "input",
  "action",
  "command"
)
const body = fc.oneof(
  fc
    .dictionary(name, fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom("read_chat", "x", ["*"], { parts: [] })))
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom("", "null", "{", '{"a":1}', `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`)
)
const credential = fc.constantFrom("key", "session", "junk", "none")
const asked = fc.record({
  route: fc.constantFrom(...routes),
  pieces: fc.array(piece, { minLength: 3, maxLength: 3 }),
  query,
  body,
  credential
})

describe("the hub", () => {
  it("never answers 5xx but for a daemon that is offline, and every refusal has the error form", {
    timeout: 120_000
  }, async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ route: [method, pattern], pieces, query, body, credential }) => {
        let at = 0
        const filled = pattern.replace(/:[A-Za-z]+/gu, () => pieces[at++]!.replace("DAEMON", daemonId))
        const text = query.map(([a, b]) => `${a}=${b}`).join("&")
        const answer = await hub.request(method, text === "" ? filled : `${filled}?${text}`, {
          ...(method === "GET" ? {} : { text: body }),
          ...(credential === "key" && { key }),
          ...(credential === "session" && { session }),
          ...(credential === "junk" && { key: "hub_junk" })
        })
        if (answer.status >= 500) expect(answer.body).toMatchObject({ reason: "DAEMON_OFFLINE" })
        if (answer.status >= 400) {
          expect(reasons).toContain(answer.body.reason)
          expect(answer.body.requestId).toBe(answer.headers.get("x-request-id"))
        }
      }),
      { numRuns: 300, seed }
    )
  })

  it("answers 404 or 405 on paths of its own making", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 5 }), async (parts) => {
        const answer = await hub.request("GET", `/api/v1/${parts.join("/")}`, { key })
        expect([400, 404, 405]).toContain(answer.status)
      }),
      { numRuns: 100, seed }
    )
  })
})
