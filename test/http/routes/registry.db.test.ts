/** The provider registry over HTTP: publishing, promoting, yanking, and cacheable reads. */
import { createHash } from "node:crypto"
import { beforeAll, describe, expect, it } from "vitest"
import { artifactBytesMax, manifestBytesMax, publishBodyBytesMax } from "../../../src/limits.ts"
import { given } from "../../support/given.ts"
import { type TestAccount, useHub } from "../../support/hub.ts"

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

  given(newType)("walks a package from publish to promote to yank, and it stays downloadable", async (type) => {
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

  given(newType)("refuses to promote or publish what was yanked, until its yank is taken back", async (type) => {
    await publish(type, "1.0.0")
    await promote(type, "1.0.0")
    const restore = (query = "") => hub.request("POST", `${path}/${type}/1.0.0/restore${query}`, { key })
    const yanked = { status: 409, body: { reason: "VERSION_YANKED" } }
    await hub.request("DELETE", `${path}/${type}/1.0.0`, { key })
    expect(await promote(type, "1.0.0")).toMatchObject(yanked)
    for (const status of [200, 200])
      expect(await restore()).toMatchObject({ status, body: { success: true, channel: "stable", yanked: false } })
    expect(await hub.request("GET", `${path}/${type}`)).toMatchObject({ body: { latest: "1.0.0" } })
    await hub.request("DELETE", `${path}/${type}/1.0.0?channel=preview`, { key })
    expect(await publish(type, "1.0.0")).toMatchObject(yanked)
    expect(await promote(type, "1.0.0")).toMatchObject(yanked)
    expect(await restore("?channel=preview")).toMatchObject({ status: 200, body: { channel: "preview" } })
    expect(await publish(type, "1.0.0")).toMatchObject({ status: 200, body: { status: "already_published" } })
    expect((await hub.request("POST", `${path}/${type}/2.0.0/restore`, { key })).status).toBe(404)
    // the refusal is noted within a second, or not yet
    const asked = `/api/v1/audit?action=package.restored&outcome=done`
    const { events } = (await hub.request("GET", asked, { session: await admin.session() })).body
    expect(events.map(({ detail }: { detail: string }) => detail).sort()).toEqual(["preview", "stable"])
  })

  it("has the highest release as its latest, and a pre-release only where there is no release", async () => {
    const type = newType()
    const latest = async () => (await hub.request("GET", `${path}/${type}?channel=preview`)).body.latest
    for (const [version, expected] of [
      ["3.0.0-beta.2", "3.0.0-beta.2"],
      ["3.0.0-beta.11", "3.0.0-beta.11"],
      ["1.9.0", "1.9.0"],
      ["1.10.0", "1.10.0"]
    ] as const) {
      await publish(type, version, { artifact: Buffer.from(version).toString("base64") })
      expect(await latest()).toBe(expected)
    }
  })

  given(newType)("refuses a yanked preview's promotion with 409 and an unknown one's with 404", async (type) => {
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
    for (const limit of ["9999999999", "9".repeat(400)])
      expect((await hub.request("GET", `${path}?channel=preview&limit=${limit}`)).status).toBe(200)
    for (const limit of ["0", "-1", "1.5", "x", ""])
      expect((await hub.request("GET", `${path}?limit=${limit}`)).status).toBe(400)
  })

  given(newType)("refuses bytes in a promotion", async (type) => {
    await publish(type, "1.0.0")
    const answer = await hub.request("POST", `${path}/${type}/1.0.0/promote`, { key, body: { artifact: "AAAA" } })
    expect(answer).toMatchObject({ status: 400, body: { reason: "VALIDATION_FAILED" } })
  })

  it.each([
    ["straight to stable", { channel: "stable" }],
    ["under a name that is none", { type: "Not A Type" }],
    ["under a version with build metadata", { version: "1.0.0+1" }],
    ["with an artifact that is no base64", { artifact: "***" }],
    ["with nothing at all to keep", { artifact: undefined }],
    ["with a description that holds NUL", { description: "a\u0000b" }]
  ])("refuses to publish %s with 400", async (_, extra) => {
    expect(await publish(newType(), "1.0.0", extra)).toMatchObject({
      status: 400,
      body: { reason: "VALIDATION_FAILED" }
    })
  })

  given(newType)("takes the manifest's bytes for the artifact when there is none", async (type) => {
    const manifest = { hello: "wörld" }
    const digest = createHash("sha256").update(JSON.stringify(manifest)).digest("hex")
    expect(await publish(type, "1.0.0", { artifact: undefined, manifest })).toMatchObject({
      status: 201,
      body: { digest: `sha256:${digest}`, manifest }
    })
  })

  given(newType)("serves ranges, and refuses one outside with 416", async (type) => {
    await publish(type, "1.0.0")
    const url = `${path}/${type}/1.0.0/download?channel=preview`
    const part = async (range: string, extra: Record<string, string> = {}) => {
      const answer = await hub.request("GET", url, { headers: { range, ...extra } })
      return [answer.status, answer.text, answer.headers.get("content-range")]
    }
    const size = artifact.length
    expect(await part("bytes=-8")).toEqual([206, "artifact", `bytes ${size - 8}-${size - 1}/${size}`])
    expect((await part("bytes=0-3", { "if-range": '"other"' }))[0]).toBe(200)
    expect(await part(`bytes=${size}-`)).toEqual([416, expect.any(String), `bytes */${size}`])
  })

  let versions = 0
  const publishLarge = async (what: object) => {
    const body = { type: "large", version: `1.0.${versions++}`, channel: "preview", ...what }
    const answer = await hub.request("POST", path, { key, body })
    return [answer.status, (answer.body as { readonly limit?: number }).limit]
  }
  const taken = [201, undefined]

  it(`takes a manifest of ${manifestBytesMax} bytes at most`, async () => {
    const manifest = (bytes: number) => ({ manifest: { m: "m".repeat(bytes - '{"m":""}'.length) } })
    expect(await publishLarge(manifest(manifestBytesMax))).toEqual(taken)
    expect(await publishLarge(manifest(manifestBytesMax + 1))).toEqual([413, manifestBytesMax])
  })

  it(`takes an artifact of ${artifactBytesMax} bytes at most`, async () => {
    const artifact = (bytes: number) => ({ artifact: Buffer.alloc(bytes).toString("base64") })
    expect(await publishLarge(artifact(artifactBytesMax))).toEqual(taken)
    expect(await publishLarge(artifact(artifactBytesMax + 1))).toEqual([413, artifactBytesMax])
  })

  it(`takes a body of ${publishBodyBytesMax} bytes at most`, async () => {
    const around = JSON.stringify({ description: "" }).length
    const body = (bytes: number) => `{"description":"${"d".repeat(bytes - around)}"}`
    const send = (bytes: number) =>
      fetch(hub.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: body(bytes)
      })
    // it is read, and is no publication
    expect((await send(publishBodyBytesMax)).status).toBe(400)
    const more = await send(publishBodyBytesMax + 1)
    expect([more.status, (await more.json()) as object]).toMatchObject([413, { limit: publishBodyBytesMax }])
  })
})
