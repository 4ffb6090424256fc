/** The console's page is served from memory: compressed where that is accepted, never sent twice, under its policy. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { consolePolicy, notBuilt, readConsoleFiles } from "../../../http/reference/console-files.ts"
import { makeConsoleFiles } from "../../../http/routes/console.ts"
import { useEdge } from "../../support/edge.ts"
import { askWire } from "../../support/raw-http-connection.ts"
import { testFolder } from "../../support/temporary-folder.ts"

const files = {
  "/console": ["index.html", "text/html; charset=utf-8", "<!doctype html><title>Console</title>"],
  "/console/app.js": ["app.js", "text/javascript; charset=utf-8", `document.title = "${"x".repeat(2_000)}"`],
  "/console/app.css": ["app.css", "text/css; charset=utf-8", "body{margin:0}"],
  "/console/app.webmanifest": ["app.webmanifest", "application/manifest+json; charset=utf-8", "{}"],
  "/console/push-worker.js": ["push-worker.js", "text/javascript; charset=utf-8", "void 0"]
} as const
const paths = Object.keys(files) as ReadonlyArray<keyof typeof files>

describe("the console's page", () => {
  const folder = join(testFolder("console-page"), "dist")
  let reads = 0
  const read = () => {
    reads++
    return readConsoleFiles(folder)
  }
  const edge = useEdge({}, { console: makeConsoleFiles(read) })

  const ask = (path: string, ...headers: ReadonlyArray<string>) =>
    askWire(edge.url, `GET ${path}`, "host: h", ...headers)

  it("says how it is built while it is not, and is there as soon as it is", async () => {
    const before = await fetch(`${edge.url}/console`)
    expect([before.status, await before.text()]).toEqual([503, notBuilt])
    mkdirSync(folder)
    for (const [name, , text] of Object.values(files)) writeFileSync(join(folder, name), text)
    expect((await fetch(`${edge.url}/console`)).status).toBe(200)
  })

  it.each(paths)("answers %s as it is, and compressed where that is accepted", async (path) => {
    const [, type, text] = files[path]
    const plain = await ask(path)
    expect([plain.status, plain.body, plain.headers.get("content-encoding")]).toEqual([200, text, undefined])
    const packed = await fetch(edge.url + path, { headers: { "accept-encoding": "br, gzip" } })
    expect([await packed.text(), packed.headers.get("content-encoding")]).toEqual([text, "gzip"])
    expect(packed.headers.get("etag")).not.toBe(plain.headers.get("etag"))
    const refused = await ask(path, "accept-encoding: gzip;q=0")
    expect(refused.headers.get("content-encoding")).toBeUndefined()
    for (const { headers } of [plain, packed]) {
      expect([headers.get("content-type"), headers.get("vary"), headers.get("cache-control")]).toEqual([
        type,
        "Accept-Encoding",
        "no-cache"
      ])
    }
  })

  it("may load its own files, call its own hub and do nothing else", async () => {
    expect(consolePolicy).not.toMatch(/unsafe|https?:|\*/u)
    for (const path of paths) {
      const { headers } = await fetch(edge.url + path)
      expect(headers.get("content-security-policy")).toBe(consolePolicy)
      expect(headers.get("referrer-policy")).toBe("no-referrer")
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
    }
  })

  it("is not sent again to a browser that has it, in either form", async () => {
    for (const encoding of ["gzip", "identity"]) {
      const headers = { "accept-encoding": encoding }
      const etag = (await fetch(`${edge.url}/console/app.js`, { headers })).headers.get("etag") ?? ""
      const again = await fetch(`${edge.url}/console/app.js`, { headers: { ...headers, "if-none-match": etag } })
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag])
    }
  })

  it("is read once", () => {
    expect(reads).toBe(2)
    expect(gunzipSync(readConsoleFiles(folder)!.style.compressed.bytes).toString()).toBe(files["/console/app.css"][2])
  })
})
