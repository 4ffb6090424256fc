/** The provider registry over HTTP: publishing, promoting, yanking, and cacheable reads. */
import { createHash } from "node:crypto"
import { connect } from "node:net"
import { Effect } from "effect"
import fc from "fast-check"
import { beforeAll, describe, expect, it } from "vitest"
import { Packages } from "../../../src/store/registry/packages.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"
import { until } from "../../support/until.ts"

const path = "/api/v1/registry/providers"
const artifact = Buffer.from("the bytes of an artifact")
const hex = createHash("sha256").update(artifact).digest("hex")

describe("the registry", () => {
  const hub = useHub()
  let admin: TestAccount
  let key: string
  let types = 0
  beforeAll(async () => {
    admin = await hub.account({ admin: true })
    key = await admin.key(["registry:publish"])
  })

  const newType = () => `type-${++types}`
  const publish = (type: string, version: string, extra: Record<string, unknown> = {}) =>
    hub.request("POST", path, {
      key,
      body: { type, version, channel: "preview", artifact: artifact.toString("base64"), ...extra }
    })
  const promote = (type: string, version: string) =>
    hub.request("POST", `${path}/${type}/${version}/promote`, { key, body: {} })

  it("walks a package from publish to promote to yank, and it stays downloadable", async () => {
    const type = newType()
    const first = await publish(type, "1.0.0", { category: "cli", displayName: "One", manifest: { a: 1 } })
    expect(first).toMatchObject({
      status: 201,
      body: { status: "published", channel: "preview", digest: `sha256:${hex}`, size: artifact.length, yanked: false }
    })
    expect(await publish(type, "1.0.0")).toMatchObject({ status: 200, body: { status: "already_published" } })
    const other = { artifact: Buffer.from("other").toString("base64") }
    expect(await publish(type, "1.0.0", other)).toMatchObject({ status: 409, body: { reason: "VERSION_EXISTS" } })
    expect(await hub.request("GET", `${path}/${type}`)).toMatchObject({ status: 404 })
    expect(await promote(type, "1.0.0")).toMatchObject({ status: 201, body: { status: "promoted", channel: "stable" } })
    expect(await promote(type, "1.0.0")).toMatchObject({ status: 200, body: { status: "already_promoted" } })
    expect(await hub.request("GET", `${path}/${type}`)).toMatchObject({ body: { latest: "1.0.0" } })
    const yanked = await hub.request("DELETE", `${path}/${type}/1.0.0`, { key })
    expect(yanked).toMatchObject({ status: 200, body: { success: true, yanked: true, channel: "stable" } })
    expect(await hub.request("DELETE", `${path}/${type}/1.0.0`, { key })).toMatchObject({ status: 200 })
    expect(await hub.request("GET", `${path}/${type}/1.0.0/download`)).toMatchObject({
      status: 200,
      text: artifact.toString()
    })
    expect(await hub.request("GET", `${path}/${type}`)).toMatchObject({ status: 200, body: { latest: null } })
    expect(await hub.request("GET", `${path}/${type}?channel=preview`)).toMatchObject({ body: { latest: "1.0.0" } })
    expect(await publish(type, "1.0.0", other)).toMatchObject({ status: 409 })
  })

  it("refuses a yanked preview's promotion with 409 and an unknown one's with 404", async () => {
    const type = newType()
    await publish(type, "1.0.0")
    await hub.request("DELETE", `${path}/${type}/1.0.0?channel=preview`, { key })
    expect(await promote(type, "1.0.0")).toMatchObject({ status: 409, body: { reason: "VERSION_YANKED" } })
    expect(await promote(type, "2.0.0")).toMatchObject({ status: 404 })
    expect(await hub.request("DELETE", `${path}/${type}/1.0.0`, { key })).toMatchObject({ status: 404 })
  })

  it("selects stable by any channel but preview, a repeated one by its last, and takes any limit from 1 for at most 100", async () => {
    const type = newType()
    await publish(type, "1.0.0", { manifest: {} })
    const channel = async (query: string) => (await hub.request("GET", `${path}?${query}`)).body.channel
    expect(await channel("channel=a&channel=b")).toBe("stable")
    expect(await channel("channel=preview&channel=preview")).toBe("preview")
    expect(await channel("channel=stable&channel=preview")).toBe("preview")
    expect(await channel("channel=preview&channel=x")).toBe("stable")
    for (const limit of ["9999999999", "9".repeat(400)]) {
      expect((await hub.request("GET", `${path}?channel=preview&limit=${limit}`)).status).toBe(200)
    }
    for (const limit of ["0", "-1", "1.5", "x", ""]) {
      expect((await hub.request("GET", `${path}?limit=${limit}`)).status).toBe(400)
    }
  })

  it("refuses bytes in a promotion", async () => {
    const type = newType()
    await publish(type, "1.0.0")
    const answer = await hub.request("POST", `${path}/${type}/1.0.0/promote`, { key, body: { artifact: "AAAA" } })
    expect(answer).toMatchObject({ status: 400, body: { reason: "VALIDATION_FAILED" } })
  })

  it.each([
    ["straight to stable", { channel: "stable" }],
    ["without a channel", { channel: undefined }],
    ["under a name that is none", { type: "Not A Type" }],
    ["under a version with build metadata", { version: "1.0.0+1" }],
    ["with an artifact that is no base64", { artifact: "***" }],
    ["with an empty artifact and no manifest", { artifact: "" }],
    ["with nothing at all to keep", { artifact: undefined }],
    ["with a name of the wrong type", { name: 7 }],
    ["with a name of two lines", { displayName: "one\ntwo" }],
    ["with a description that holds NUL", { description: "a\u0000b" }]
  ])("refuses to publish %s with 400", async (_, extra) => {
    expect(await publish(newType(), "1.0.0", extra)).toMatchObject({
      status: 400,
      body: { reason: "VALIDATION_FAILED" }
    })
  })

  it("takes the manifest's bytes for the artifact when there is none", async () => {
    const type = newType()
    const manifest = { hello: "wörld" }
    const digest = createHash("sha256").update(JSON.stringify(manifest)).digest("hex")
    expect(await publish(type, "1.0.0", { artifact: undefined, manifest })).toMatchObject({
      status: 201,
      body: { digest: `sha256:${digest}`, manifest }
    })
  })

  it("takes an artifact of 10 MiB and refuses a larger one with 413", async () => {
    const whole = Buffer.alloc(10_485_760, 1).toString("base64")
    const type = newType()
    expect(await publish(type, "1.0.0", { artifact: whole })).toMatchObject({ status: 201 })
    const more = Buffer.alloc(10_485_761, 1).toString("base64")
    expect(await publish(type, "1.0.1", { artifact: more })).toMatchObject({ status: 413 })
    const answer = await fetch(`${hub.url}${path}/${type}/1.0.0/download?channel=preview`)
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(answer.headers.get("etag")?.slice(1, -1))
  })

  it("lets an administrator's session and a key with the scope write, and nobody else", async () => {
    const user = await hub.account()
    const body = { type: newType(), version: "1.0.0", channel: "preview", manifest: {} }
    const as = async (bearer: { key?: string; session?: string }) =>
      (await hub.request("POST", path, { ...bearer, body })).status
    expect([
      await as({}),
      await as({ session: await user.session() }),
      await as({ key: await user.key(["ide:control"]) }),
      await as({ session: await admin.session() })
    ]).toEqual([401, 403, 403, 201])
  })

  it("answers 304 to who has the metadata, and a new ETag once it changed", async () => {
    const type = newType()
    await publish(type, "1.0.0")
    const url = `${path}/${type}?channel=preview`
    const etag = (await hub.request("GET", url)).headers.get("etag")!
    const known = await hub.request("GET", url, { headers: { "if-none-match": `"other", W/${etag}` } })
    expect([known.status, known.text, known.headers.get("cache-control")]).toEqual([304, "", "public, max-age=60"])
    await publish(type, "1.1.0")
    expect((await hub.request("GET", url, { headers: { "if-none-match": etag } })).status).toBe(200)
  })

  it("serves ranges, refuses one outside with 416 and answers HEAD without a body", async () => {
    const type = newType()
    await publish(type, "1.0.0")
    const url = `${path}/${type}/1.0.0/download?channel=preview`
    const part = async (range: string, extra: Record<string, string> = {}) => {
      const answer = await hub.request("GET", url, { headers: { range, ...extra } })
      return [answer.status, answer.text, answer.headers.get("content-range")]
    }
    const size = artifact.length
    expect(await part("bytes=4-8")).toEqual([206, "bytes", `bytes 4-8/${size}`])
    expect(await part("bytes=-8")).toEqual([206, "artifact", `bytes ${size - 8}-${size - 1}/${size}`])
    expect((await part("bytes=0-3", { "if-range": '"other"' }))[0]).toBe(200)
    expect(await part(`bytes=${size}-`)).toMatchObject([
      416,
      /RANGE_NOT_SATISFIABLE/u.source ? expect.any(String) : "",
      `bytes */${size}`
    ])
    const head = await hub.request("HEAD", url)
    expect([head.status, head.text, head.headers.get("content-length")]).toEqual([200, "", String(size)])
    expect(head.headers.get("repr-digest")).toBe(`sha-256=:${Buffer.from(hex, "hex").toString("base64")}:`)
    expect(head.headers.get("cache-control")).toContain("immutable")
  })

  it("counts downloads", async () => {
    const type = newType()
    await publish(type, "1.0.0")
    for (let at = 0; at < 3; at++) await hub.request("GET", `${path}/${type}/1.0.0/download?channel=preview`)
    await until("the downloads are written", async () => {
      const found = await hub.inside(Effect.flatMap(Packages, (packages) => packages.get(type, "1.0.0")))
      return found?.downloads.preview === 3
    })
  })

  it("holds a piece and no more for a reader who stops in the middle, and serves the others", async () => {
    const type = newType()
    const published = await publish(type, "1.0.0", { artifact: Buffer.alloc(8_000_000, 7).toString("base64") })
    expect(published).toMatchObject({ status: 201 })
    const { hostname, port } = new URL(hub.url)
    const target = `${path}/${type}/1.0.0/download?channel=preview`
    const before = process.memoryUsage().arrayBuffers
    const readers = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), hostname)
      socket.write(`GET ${target} HTTP/1.1\r\nhost: hub\r\n\r\n`)
      return socket
    })
    await Promise.all(readers.map((socket) => new Promise((resolve) => socket.once("readable", resolve))))
    // 20 whole artifacts would be 160 MB; 20 pieces are 5 MB
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000)
    const answer = await fetch(`${hub.url}${target}`)
    expect(answer.status).toBe(200)
    expect((await answer.arrayBuffer()).byteLength).toBe(8_000_000)
    for (const socket of readers) socket.destroy()
  })

  it("never answers a random path or query with 5xx", async () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom("..", "%00", "%", "a b", "\u{1F600}", "1.0.0", "type-1")
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 4 }),
        fc.dictionary(piece, piece, { maxKeys: 3 }),
        async (parts, query) => {
          const encoded = parts.map((part) => encodeURIComponent(part.toWellFormed())).join("/")
          const search = new URLSearchParams(
            Object.entries(query).map(([a, b]): [string, string] => [a.toWellFormed(), b.toWellFormed()])
          )
          const answer = await hub.request("GET", `${path}/${encoded}?${search}`)
          expect(answer.status).toBeLessThan(500)
        }
      ),
      { numRuns: 300 }
    )
  })
})
