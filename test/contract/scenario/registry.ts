/** The chapter of the registry: published, read with and without conditions, promoted, yanked. */
import type { Calls } from "./calls.ts"
import { answered, empty, refused } from "./fixture.ts"

const type = "story-agent"
const version = "1.0.0"
const path = { type, version }
const preview = { channel: "preview" }

const publish = async (publisher: Calls, reading: Calls): Promise<void> => {
  const body = {
    type,
    version,
    channel: "preview" as const,
    category: "acp",
    name: "story",
    displayName: "Story",
    description: "An agent of a story",
    manifest: { command: "story", args: ["--acp"] },
    artifact: Buffer.from("the bytes of the artifact").toString("base64")
  }
  const header = { "idempotency-key": "published-once" }
  await answered(publisher["registry.publish"]({ header, body }), 201)
  await answered(publisher["registry.publish"]({ body }))
  const others = { ...body, artifact: Buffer.from("others").toString("base64") }
  await refused(publisher["registry.publish"]({ body: others }), 409, "VERSION_EXISTS")
  await refused(publisher["registry.publish"]({ body: { ...body, version: "one" } }), 400, "VALIDATION_FAILED")
  await refused(reading["registry.publish"]({ body }), 403, "AUTH_FORBIDDEN")
  await answered(publisher["registry.publish"]({ body: { ...body, type: "story-agent-2" } }), 201)
}

const read = async (anyone: Calls): Promise<void> => {
  const { nextCursor } = await answered(anyone["registry.list"]({ query: { ...preview, limit: 1 } }))
  await answered(anyone["registry.list"]({ query: { ...preview, limit: 1, cursor: nextCursor } }))
  await refused(anyone["registry.list"]({ query: { cursor: "-" } }), 400, "VALIDATION_FAILED")
  const listed = anyone["registry.list"]({ query: preview })
  await answered(listed)
  const etag = (await listed).headers.get("etag") ?? ""
  const header = { "if-none-match": etag }
  await empty(anyone["registry.list"]({ query: preview, header }), 304)
  const found = anyone["registry.type"]({ path: { type }, query: preview })
  const one = anyone["registry.version"]({ path, query: preview })
  for (const [call, answer] of [
    ["registry.type", found],
    ["registry.version", one]
  ] as const) {
    const known = { "if-none-match": (await answer).headers.get("etag") ?? "" }
    await empty(anyone[call]({ path, query: preview, header: known }), 304)
  }
  await refused(anyone["registry.type"]({ path: { type: "none" } }), 404, "NOT_FOUND")
  await refused(anyone["registry.version"]({ path: { type, version: "9.9.9" } }), 404, "NOT_FOUND")
}

const download = async (anyone: Calls): Promise<void> => {
  const whole = anyone["registry.download"]({ path, query: preview })
  await answered(whole)
  const { headers } = await whole
  const etag = headers.get("etag") ?? ""
  const known = { "if-none-match": etag }
  const asked = { range: "bytes=0-3", "if-range": etag }
  await empty(anyone["registry.downloadHead"]({ path, query: preview, header: asked }), 200)
  await empty(anyone["registry.downloadHead"]({ path, query: preview, header: known }), 304)
  await empty(anyone["registry.downloadHead"]({ path }), 404)
  await empty(anyone["registry.download"]({ path, query: preview, header: known }), 304)
  const header = { range: "bytes=4-8", "if-range": etag }
  await answered(anyone["registry.download"]({ path, query: preview, header }), 206)
  const beyond = { range: "bytes=1000-" }
  await refused(anyone["registry.download"]({ path, query: preview, header: beyond }), 416, "RANGE_NOT_SATISFIABLE")
  await refused(anyone["registry.download"]({ path }), 404, "NOT_FOUND")
}

/** A package from its publication to its end. */
export const registry = async (anyone: Calls, publisher: Calls, reading: Calls): Promise<void> => {
  await publish(publisher, reading)
  await read(anyone)
  await download(anyone)
  const header = { "idempotency-key": "promoted-once" }
  await answered(publisher["registry.promote"]({ path, header }), 201)
  await answered(publisher["registry.promote"]({ path }))
  await refused(publisher["registry.promote"]({ path: { type, version: "9.9.9" } }), 404, "NOT_FOUND")
  await answered(publisher["registry.yank"]({ path, query: preview }))
  await answered(
    publisher["registry.restore"]({ path, query: preview, header: { "idempotency-key": "restored-once" } })
  )
  await refused(publisher["registry.restore"]({ path: { type: "none", version } }), 404, "NOT_FOUND")
  await refused(publisher["registry.yank"]({ path: { type: "none", version } }), 404, "NOT_FOUND")
  await refused(reading["registry.yank"]({ path }), 403, "AUTH_FORBIDDEN")
}
