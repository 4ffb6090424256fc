/** The reference contains the whole contract; the page loads nothing from other hosts and runs no script. */
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import { beforeAll, describe, expect, it } from "vitest"
import { Api } from "../../../http/api/api.ts"
import { escape } from "../../../http/reference/html.ts"
import { typeOf } from "../../../http/reference/schema-text.ts"
import { referenceRoutes } from "../../../http/routes/reference.ts"
import { Config, defaultSettings } from "../../../src/config.ts"
import { useEdge } from "../../support/edge.ts"
import { root } from "../../support/root.ts"

const publicUrl = "https://hub.example.org"
const routes = await Effect.runPromise(Effect.provide(referenceRoutes, Config.layer({ ...defaultSettings, publicUrl })))
const edge = useEdge({}, { reference: routes })
let page: Response
let html: string
// biome-ignore lint/suspicious/noExplicitAny: the document has the shape of OpenAPI
let document: any
beforeAll(async () => {
  document = await (await fetch(`${edge.url}/openapi.json`)).json()
  page = await fetch(`${edge.url}/docs`)
  html = await page.text()
})

const endpoints = (): ReadonlyArray<readonly [method: string, path: string]> => {
  const all: Array<readonly [string, string]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => {
      if (!["reference", "console", "daemonDownload"].includes(group.identifier))
        all.push([endpoint.method, endpoint.path.replace(/:(\w+)/gu, "{$1}")])
    }
  })
  return all
}

describe("the OpenAPI document", () => {
  it("names every endpoint of the contract, with a summary and what it needs", () => {
    for (const [method, path] of endpoints()) {
      const operation = document.paths[path]?.[method.toLowerCase()]
      expect(operation, `${method} ${path}`).toMatchObject({
        summary: expect.any(String),
        description: expect.stringContaining("Needs: ")
      })
      expect(Object.keys(operation.responses)).toContain("500")
    }
  })
  it("leaves every object of an answer open, so that a new member breaks no client", () => {
    const closed = Object.entries(document.components.schemas).filter(([, schema]) =>
      JSON.stringify(schema).includes('"additionalProperties":false')
    )
    // bodies whose other members are refused
    expect(closed.map(([name]) => name).sort()).toEqual(["Promotion"])
  })
  it("names the public address as its server", () => expect(document.servers).toEqual([{ url: publicUrl }]))
})

describe("the page", () => {
  it("shows every endpoint and every reason of an error", () => {
    for (const [method, path] of endpoints()) expect(html).toContain(`${method} ${path}`)
    for (const reason of ["NOT_FOUND", "DAEMON_SOCKET_LOST", "AMBIGUOUS_TARGET"]) expect(html).toContain(reason)
  })
  it("may be shown in its own style, run its own script and call this hub, and nothing else", () => {
    const policy = page.headers.get("content-security-policy") ?? ""
    const style = /<style>([\s\S]*?)<\/style>/u.exec(html)?.[1] ?? ""
    const script = /<script type="module">([\s\S]*?)<\/script>/u.exec(html)?.[1] ?? ""
    expect(policy).toBe(
      [
        "default-src 'none'",
        `style-src 'sha256-${hash("sha256", style, "base64")}'`,
        `script-src 'sha256-${hash("sha256", script, "base64")}'`,
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'"
      ].join("; ")
    )
  })
  it("contains no other script, no inline style and nothing from elsewhere", () => {
    const text = html.replace(/<script type="module">[\s\S]*?<\/script>/u, "")
    expect(text).not.toMatch(/<script|<img|<iframe| on\w+=| style=| src=|href="(?!#|\/)/u)
  })
  it("links only to what it contains", () => {
    const ids = new Set([...html.matchAll(/ id="([^"]+)"/gu)].map((match) => match[1]))
    const links = [...html.matchAll(/<a [^>]*href="#([^"]+)"/gu)].map((match) => match[1])
    expect(links.length).toBeGreaterThan(endpoints().length)
    expect(links.filter((link) => !ids.has(link))).toEqual([])
  })
  it("is not sent again to whoever has it", async () => {
    for (const path of "/docs /docs/ /docs/jobs.md /docs.md /docs/daemons.list.md /llms.txt /openapi.json /asyncapi.json".split(
      " "
    )) {
      const etag = (await fetch(edge.url + path)).headers.get("etag") ?? ""
      const again = await fetch(edge.url + path, { headers: { "if-none-match": etag } })
      expect([again.status, await again.text()]).toEqual([304, ""])
    }
  })
  it("writes text as text", () =>
    expect(escape(`<b a="1">'&'</b>`)).toBe("&lt;b a=&quot;1&quot;&gt;&#39;&amp;&#39;&lt;/b&gt;"))
})

describe("the reference in Markdown", () => {
  const read = async (path: string) => {
    const answer = await fetch(edge.url + path)
    return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() }
  }

  it("shows every endpoint and every reason of an error", async () => {
    const { type, text } = await read("/docs.md")
    expect(type).toBe("text/markdown; charset=utf-8")
    for (const [method, path] of endpoints()) expect(text).toContain(`${method} ${path}`)
    expect(text).toContain("| 404 | `NOT_FOUND` |")
  })
  it("is indexed for language models, each operation with a page of its own", async () => {
    const { type, text } = await read("/llms.txt")
    expect([type, text.split("\n")[0]]).toEqual(["text/plain; charset=utf-8", "# Cloud automation hub"])
    const links = [...text.matchAll(/\]\((\/[^)]+)\)/gu)].map((match) => match[1]!)
    expect(links.length).toBeGreaterThan(endpoints().length)
    for (const link of links) expect([link, (await read(link)).status]).toEqual([link, 200])
  })
  it("has with an operation the shapes that it names, and says that there is no other page", async () => {
    const { text } = await read("/docs/daemons.terminal.md")
    expect(text).toContain("POST /api/v1/daemons/{daemonId}/terminal")
    expect(text).toContain("### TerminalDone")
    expect((await read("/docs/daemons.nothing.md")).status).toBe(404)
    expect((await read("/docs/daemons.terminal")).status).toBe(404)
  })
  it("is the page at `/docs/` too, and a guide's Markdown under the name by which the guides link to it", async () => {
    expect((await read("/docs/")).text).toBe(html)
    const { type, text } = await read("/docs/jobs.md")
    expect([type, text]).toEqual(["text/markdown; charset=utf-8", readFileSync(join(root, "docs/jobs.md"), "utf8")])
    expect((await read("/docs/nothing.md")).status).toBe(404)
  })
  it("has the same answers as the page, and no text that HTML escapes", async () =>
    expect((await read("/docs.md")).text).not.toMatch(/&(?:quot|lt|gt|amp);/u))
})

describe("the root", () => {
  const html = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }
  const targets = ["/console", "/docs", "/openapi.json", "/asyncapi.json", "/healthz", "/readyz"]

  it("answers a browser with a page of links that lead somewhere, in its own style and without a script", async () => {
    const answer = await fetch(edge.url, { headers: html })
    const text = await answer.text()
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    const style = /<style>([\s\S]*?)<\/style>/u.exec(text)?.[1] ?? ""
    const policy = answer.headers.get("content-security-policy") ?? ""
    expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash("sha256", style, "base64")}'`)
    expect(policy).not.toMatch(/unsafe|https?:|\*/u)
    expect(text).not.toMatch(/<script|<link|<img|<iframe| on\w+=| style=| src=/u)
    expect([...text.matchAll(/href="([^"]+)"/gu)].map((match) => match[1])).toEqual(targets)
    expect(style).toContain("prefers-color-scheme:dark")
  })
  it("answers everybody else with the same links in JSON, and says that this depends on Accept", async () => {
    for (const accept of ["*/*", "application/json", "text/html;q=0"]) {
      const answer = await fetch(edge.url, { headers: { accept } })
      const { name, ...links } = (await answer.json()) as Record<string, string>
      expect([name, Object.values(links), answer.headers.get("vary")]).toEqual([
        "Cloud automation hub",
        targets,
        "Accept"
      ])
    }
  })
  it("answers HEAD as GET without the body, and not again to whoever has it", async () => {
    for (const headers of [html, { accept: "*/*" }]) {
      const got = await fetch(edge.url, { headers })
      const head = await fetch(edge.url, { headers, method: "HEAD" })
      expect([head.status, await head.text()]).toEqual([200, ""])
      expect(head.headers.get("content-length")).toBe(String((await got.text()).length))
      const etag = got.headers.get("etag") ?? ""
      expect((await fetch(edge.url, { headers: { ...headers, "if-none-match": etag } })).status).toBe(304)
    }
    expect((await fetch(edge.url, { method: "POST" })).headers.get("allow")).toBe("GET, HEAD")
  })
})

it.each([
  [{ type: "string" }, "string"],
  [{ $ref: "#/components/schemas/Daemon" }, "shape:Daemon"],
  [{ anyOf: [{ type: "number" }, { type: "null" }] }, "number | null"],
  [{ type: "array", items: { enum: ["a", "b"] } }, '("a" | "b")[]'],
  [
    { type: "object", required: ["a"], properties: { a: { type: "string" }, b: { type: "object" } } },
    "{\n  a: string\n  b?: object\n}"
  ],
  [{}, "any"],
  [undefined, "any"]
])("a type of %j reads %j", (schema, text) => expect(typeOf(schema)).toBe(text))
