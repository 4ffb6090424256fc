/** The maximum size of a package: at each bound it is published, one byte beyond it is 413. */
import { beforeAll, describe, expect, it } from "vitest"
import { artifactBytesMax, manifestBytesMax, publishBodyBytesMax } from "../../../src/limits.ts"
import { useHub } from "../../support/hub.ts"

describe("a package", () => {
  const hub = useHub()
  let key: string
  beforeAll(async () => {
    key = await (await hub.account({ admin: true })).key(["registry:publish"])
  })

  let versions = 0
  const publish = async (what: object) => {
    const body = { type: "large", version: `1.0.${versions++}`, channel: "preview", ...what }
    const answer = await hub.request("POST", "/api/v1/registry/providers", { key, body })
    return [answer.status, (answer.body as { readonly limit?: number }).limit]
  }
  const taken = [201, undefined]

  it(`has a manifest of ${manifestBytesMax} bytes at most`, async () => {
    const manifest = (bytes: number) => ({ manifest: { m: "m".repeat(bytes - '{"m":""}'.length) } })
    expect(await publish(manifest(manifestBytesMax))).toEqual(taken)
    expect(await publish(manifest(manifestBytesMax + 1))).toEqual([413, manifestBytesMax])
  })

  it(`has ${artifactBytesMax} bytes at most`, async () => {
    const artifact = (bytes: number) => ({ artifact: Buffer.alloc(bytes).toString("base64") })
    expect(await publish(artifact(artifactBytesMax))).toEqual(taken)
    expect(await publish(artifact(artifactBytesMax + 1))).toEqual([413, artifactBytesMax])
  })

  it(`comes in a body of ${publishBodyBytesMax} bytes at most`, async () => {
    const around = JSON.stringify({ description: "" }).length
    const body = (bytes: number) => `{"description":"${"d".repeat(bytes - around)}"}`
    const send = (bytes: number) =>
      fetch(`${hub.url}/api/v1/registry/providers`, {
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
