/** The edge over HTTP: ids, methods, unknown paths, HEAD, bodies, large and small answers. */
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { access } from "../../http/api/access.ts"
import { Answer } from "../../http/pipeline/response.ts"
import { NotFound } from "../../src/errors.ts"
import { startEdge, useEdge } from "../support/edge.ts"

const open = access({ kind: "public", onHangUp: "cancel" })
const Things = HttpApiGroup.make("things").add(
  HttpApiEndpoint.get("one", "/things/:id", {
    params: { id: Schema.String },
    query: { limit: Schema.optionalKey(Schema.Int) },
    success: Schema.Struct({ id: Schema.String, limit: Schema.optionalKey(Schema.Int) })
  }).annotateMerge(open),
  HttpApiEndpoint.post("echo", "/things", {
    payload: Schema.Struct({ name: Schema.String, tags: Schema.optionalKey(Schema.Array(Schema.String)) }),
    success: Schema.Struct({ name: Schema.String }).pipe(HttpApiSchema.status(201))
  }).annotateMerge(open),
  HttpApiEndpoint.post("small", "/small", {
    payload: Schema.Struct({ active: Schema.Boolean }),
    success: Schema.Struct({ active: Schema.Boolean })
  }).annotateMerge(access({ kind: "public", bodyBytes: 64, onHangUp: "cancel" })),
  HttpApiEndpoint.get("large", "/large", { success: Schema.String }).annotateMerge(open),
  HttpApiEndpoint.get("broken", "/broken", { success: Schema.Struct({ ok: Schema.Boolean }) }).annotateMerge(open),
  HttpApiEndpoint.get("torn", "/torn", { success: Schema.Struct({ ok: Schema.Boolean }) }).annotateMerge(open),
  HttpApiEndpoint.get("wrong", "/wrong", { success: Schema.Struct({ ok: Schema.Boolean }) }).annotateMerge(open),
  HttpApiEndpoint.delete("gone", "/things/:id", {
    params: { id: Schema.String },
    success: HttpApiSchema.NoContent
  }).annotateMerge(open)
)
const large = "ä".repeat(3_000_000)
const routes = {
  things: {
    one: ({ params, query }: { params: { id: string }; query: { limit?: number } }) =>
      params.id === "missing" ? Effect.fail(new NotFound()) : Effect.succeed({ id: params.id, ...query }),
    echo: ({ payload }: { payload: { name: string } }) => Effect.succeed({ name: payload.name }),
    small: ({ payload }: { payload: { active: boolean } }) => Effect.succeed(payload),
    large: () => Effect.succeed(new Answer(200, [["content-type", "text/plain"]], large)),
    broken: () => Effect.die(new Error("secret of the house")),
    torn: () => {
      throw new Error("secret of the house")
    },
    wrong: () => Effect.succeed({ ok: "no" }),
    gone: () => Effect.void
  }
}

const edge = useEdge({}, routes, HttpApi.make("test").add(Things))

const call = (path: string, init?: RequestInit) => fetch(edge.url + path, init)
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  call(path, { method: "POST", body, headers })

describe("every answer", () => {
  it("names no software of the server", async () => {
    for (const path of ["/healthz", "/nowhere"]) {
      const { headers } = await call(path)
      expect([...headers.keys()].filter((name) => /server|powered|uwebsockets/iu.test(name))).toEqual([])
    }
  })

  it("carries a request id of ours when the caller gives none", async () => {
    const answer = await call("/things/a")
    expect(answer.status).toBe(200)
    expect(answer.headers.get("x-request-id")).toMatch(/^req_[0-9a-z]{20}$/u)
  })

  it("keeps the caller's request id when it has the shape, on refusals too", async () => {
    const given = { "x-request-id": "Trace-12345678" }
    expect((await call("/things/a", { headers: given })).headers.get("x-request-id")).toBe("Trace-12345678")
    const refused = await call("/things/missing", { headers: given })
    expect(refused.headers.get("x-request-id")).toBe("Trace-12345678")
    expect(await refused.json()).toMatchObject({ requestId: "Trace-12345678" })
  })

  it.each(["short", "x".repeat(65), "has space 1", "semi;colon-123", "ünïcödé-123"])(
    "gives its own request id instead of %j",
    async (id) => {
      const answer = await call("/things/a", { headers: { "x-request-id": Buffer.from(id).toString("latin1") } })
      expect(answer.headers.get("x-request-id")).toMatch(/^req_/u)
    }
  )
})

describe("routing", () => {
  it("answers 404 in the error form on an unknown path", async () => {
    const answer = await call("/nowhere/at/all")
    expect(answer.status).toBe(404)
    expect(await answer.json()).toEqual({
      error: expect.any(String),
      reason: "NOT_FOUND",
      docs: "/docs/errors#not_found",
      requestId: answer.headers.get("x-request-id")
    })
  })

  it("answers 500 when the check of who asks fails on a path of nobody's", async () => {
    const check = () => Effect.die(new Error("secret of the house"))
    const limits = { key: check, address: check, session: check, join: check, seenKey: check, seenAddress: check }
    const broken = await startEdge({ limits }, routes, HttpApi.make("test").add(Things))
    for (const init of [{}, { method: "PUT" }]) {
      const answer = await fetch(`${broken.url}/things/a/b`, init)
      expect(answer.status).toBe(500)
      expect(await answer.json()).toMatchObject({ reason: "INTERNAL" })
    }
    await broken.close()
  })

  it("answers 405 with Allow on a known path", async () => {
    const answer = await call("/things/a", { method: "PUT", body: "{}" })
    expect(answer.status).toBe(405)
    expect(answer.headers.get("allow")).toBe("GET, HEAD, DELETE")
    expect(await answer.json()).toMatchObject({ reason: "METHOD_NOT_ALLOWED" })
  })

  it("answers 404 to a trailing slash, an empty parameter and a broken %-encoding", async () => {
    for (const path of ["/things/a/", "/things/", "/things/%zz", "/things/%c3%28"])
      expect((await call(path)).status, path).toBe(404)
  })

  it("decodes the %-encoding of a parameter once", async () =>
    expect(await (await call("/things/a%3Ab%2525")).json()).toEqual({ id: "a:b%25" }))
})

describe("what does not fit the contract", () => {
  const issues = async (answer: Response) => {
    expect(answer.status).toBe(400)
    const body = (await answer.json()) as { reason: string; issues: Array<{ path: string; message: string }> }
    expect(body.reason).toBe("VALIDATION_FAILED")
    expect(body).not.toHaveProperty("code")
    return body.issues
  }

  it("answers 400 to wrong types and names each place", async () => {
    const found = await issues(await post("/things", '{"name": 5, "tags": ["a", 1]}'))
    expect(found.map(({ path }) => path).sort()).toEqual(["name", "tags.1"])
  })

  it("ignores members and parameters that the contract does not name, and warns of them", async () => {
    const made = await post("/things?limt=1", '{"name":"a","tag":["x"],"more":{"name":1}}')
    expect([made.status, await made.json()]).toEqual([
      201,
      {
        name: "a",
        warnings: [
          '"limt" is no parameter that this call takes',
          '"tag" is no member that this call takes; did you mean tags?',
          '"more" is no member that this call takes'
        ]
      }
    ])
  })

  it("explains what is missing by what was given instead", async () => {
    expect(await issues(await post("/things", '{"nmae":"a"}'))).toEqual([
      { path: "name", message: "Missing key" },
      { path: "nmae", message: "is no member that this call takes; did you mean name?" }
    ])
  })

  it("answers 413 over the bound of the body and takes what is exactly at it", async () => {
    const fits = `{"active":true${" ".repeat(50)}}`
    expect(fits.length).toBe(65 - 0)
    expect((await post("/small", fits.replace(" ", ""))).status).toBe(200)
    const answer = await post("/small", fits)
    expect(answer.status).toBe(413)
    expect(await answer.json()).toMatchObject({ reason: "PAYLOAD_TOO_LARGE", limit: 64 })
  })
})

describe("answers", () => {
  it("writes a large answer whole to a peer that reads slowly", async () =>
    expect(await (await call("/large")).text()).toBe(large))

  it("answers 204 without a body and without a length", async () => {
    const answer = await call("/things/a", { method: "DELETE" })
    expect([answer.status, answer.headers.get("content-length")]).toEqual([204, null])
    expect(await answer.text()).toBe("")
  })

  it.each(["/broken", "/torn"])("answers 500 to a bug and shows nothing of it: %s", async (path) => {
    const answer = await call(path)
    expect(answer.status).toBe(500)
    const text = await answer.text()
    expect(JSON.parse(text)).toEqual({
      error: expect.any(String),
      reason: "INTERNAL",
      docs: "/docs/errors#internal",
      requestId: answer.headers.get("x-request-id")
    })
    expect(text).not.toContain("secret")
  })

  it("answers 500 where answers are checked and one does not fit its contract", async () =>
    expect((await call("/wrong")).status).toBe(500))
})
