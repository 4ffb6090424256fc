/** The routes of the registry. Owns caching headers and input checks; src/registry has the rules. */

import { Effect, Exit } from "effect"
import { makeSlotLimit, type SlotLimit } from "../../src/domain/limits/slot-limit.ts"
import {
  type Channel,
  channelOf,
  isPackageType,
  isPackageVersion,
  type Package,
  packageJson
} from "../../src/domain/registry/packages.ts"
import {
  invalid,
  NotFound,
  Overloaded,
  PayloadTooLarge,
  RangeNotSatisfiable,
  StoreFailed,
  ValidationFailed
} from "../../src/errors.ts"
import {
  artifactBytesMax,
  catalogMillisMax,
  downloadsMax,
  downloadsPerAddressMax,
  manifestBytesMax,
  overloadRetrySeconds,
  packagePageUsual
} from "../../src/limits.ts"
import { Artifacts } from "../../src/registry/artifacts.ts"
import { Catalog, type Rendered } from "../../src/registry/catalog.ts"
import { Downloads } from "../../src/registry/downloads.ts"
import { Publisher } from "../../src/registry/publisher.ts"
import type { Registry } from "../api/registry.ts"
import type { Routes } from "../pipeline/action.ts"
import { type ByteRange, isKnown, rangeOf } from "../pipeline/conditional.ts"
import { FileBody } from "../pipeline/file-body.ts"
import { Answer, emptyAnswer, type Headers, jsonBytes, jsonText, memoize } from "../pipeline/response.ts"

const metadataHeaders = (etag: string): Headers => [
  ["etag", etag],
  ["cache-control", `public, max-age=${catalogMillisMax / 1_000}`]
]

const answersOf = memoize(({ bytes, etag }: Rendered) => ({
  whole: jsonBytes(bytes, metadataHeaders(etag)),
  unchanged: emptyAnswer(304, metadataHeaders(etag))
}))

/** Rendered metadata, or 304 when the caller has it. */
const metadata = <E>(rendered: Effect.Effect<Rendered, E>, ifNoneMatch: string | undefined): Effect.Effect<Answer, E> =>
  Effect.mapEager(rendered, (one) => {
    const { whole, unchanged } = answersOf(one)
    return isKnown(ifNoneMatch, one.etag) ? unchanged : whole
  })

const readCursor = (text: string | undefined): string | undefined | ValidationFailed => {
  if (text === undefined) return undefined
  const type = Buffer.from(text, "base64url").toString("utf8")
  return isPackageType(type) ? type : invalid("cursor", "is not a cursor of this list")
}

const notBase64 = /[^A-Za-z0-9+/]/u
const base64End = /^(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/u
/** Whether a text is base64 with padding. A pattern with groups would overflow the stack on megabytes. */
const isBase64 = (text: string): boolean =>
  text === "" || (text.length % 4 === 0 && base64End.test(text.slice(-2)) && !notBase64.test(text.slice(0, -2)))

/** The artifact's bytes: those given, else the manifest's. */
const artifactOf = (
  artifact: string | undefined,
  manifest: unknown
): Uint8Array | ValidationFailed | PayloadTooLarge => {
  const text = manifest === undefined ? undefined : Buffer.from(JSON.stringify(manifest))
  if (text !== undefined && text.byteLength > manifestBytesMax) return new PayloadTooLarge({ limit: manifestBytesMax })
  if (artifact === undefined) return text ?? invalid("artifact", "an artifact or a manifest is needed")
  if (!isBase64(artifact)) return invalid("artifact", "must be base64")
  const bytes = Buffer.from(artifact, "base64")
  if (bytes.byteLength === 0) return invalid("artifact", "must not be empty")
  return bytes.byteLength > artifactBytesMax ? new PayloadTooLarge({ limit: artifactBytesMax }) : bytes
}

const record = (status: number, channel: Channel, one: Package, first: object): Answer =>
  jsonText(packageJson(channel, one, first), status)

/** What the actions of this group ask. */
interface Services {
  readonly catalog: Catalog["Service"]
  readonly artifacts: Artifacts["Service"]
  readonly publisher: Publisher["Service"]
  readonly downloads: Downloads["Service"]
  readonly downloadLimit: SlotLimit
}

type Called<K extends keyof Routes<typeof Registry>> = Parameters<Routes<typeof Registry>[K]>[0]

/** Opens the artifact's file; undefined when it was evicted between the look-up and the open. */
const tryOpen = ({ artifacts }: Services, digest: string, { from, length }: ByteRange, released: () => void) =>
  Effect.map(artifacts.file(digest), ({ path }): FileBody | undefined => {
    try {
      return new FileBody(path, from, length, released)
    } catch {
      return undefined
    }
  })

/** Opens the file in a download slot, which is released when the file is closed or cannot be opened. */
const open = (services: Services, address: string, digest: string, range: ByteRange) =>
  Effect.suspend((): Effect.Effect<FileBody, Overloaded | NotFound | StoreFailed> => {
    const released = services.downloadLimit.acquire(address)
    if (released === undefined) return Effect.fail(new Overloaded({ retryAfter: overloadRetrySeconds }))
    const trying = tryOpen(services, digest, range, released)
    return Effect.flatMap(trying, (body) => (body === undefined ? trying : Effect.succeed(body))).pipe(
      Effect.flatMap((body) => {
        if (body !== undefined) return Effect.succeed(body)
        const cause = new Error("a verified file cannot be opened")
        return Effect.fail(new StoreFailed({ operation: "open an artifact", cause }))
      }),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(released)))
    )
  })

const list = ({ catalog }: Services, { query, headers }: Called<"list">) => {
  const after = readCursor(query.cursor)
  if (after instanceof ValidationFailed) return Effect.fail(after)
  const page = catalog.list(channelOf(query.channel), after, query.limit ?? packagePageUsual)
  return metadata(page, headers["if-none-match"])
}

const download = Effect.fnUntraced(function* (
  services: Services,
  { method, address, params, query, headers }: Called<"download">
) {
  const channel = channelOf(query.channel)
  const found = yield* services.catalog.artifact(channel, params.type, params.version)
  const etag = `"${found.digest}"`
  const commonHeaders: Headers = [
    ["etag", etag],
    // the shapes of both leave only letters, digits and `._-`
    ["content-disposition", `attachment; filename="${params.type}-${params.version}"`],
    ["cache-control", "public, max-age=31536000, immutable"],
    ["accept-ranges", "bytes"],
    ["repr-digest", `sha-256=:${Buffer.from(found.digest, "hex").toString("base64")}:`]
  ]
  if (isKnown(headers["if-none-match"], etag)) return emptyAnswer(304, commonHeaders)
  // RFC 9110 §14.2: only GET has ranges
  const range = method === "GET" ? rangeOf(headers.range, headers["if-range"], etag, found.size) : undefined
  if (range instanceof RangeNotSatisfiable) return yield* range
  const body = yield* open(services, address(), found.digest, range ?? { from: 0, length: found.size })
  // a resumed download was counted when it began
  if (method === "GET" && body.from === 0) {
    const counted = services.downloads.count(params.type, params.version, channel)
    yield* Effect.onInterrupt(counted, () => Effect.sync(() => body.close()))
  }
  const contentHeaders: Headers = [["content-type", "application/octet-stream"], ...commonHeaders]
  if (range === undefined) return new Answer(200, contentHeaders, body)
  const to = range.from + range.length - 1
  return new Answer(206, [...contentHeaders, ["content-range", `bytes ${range.from}-${to}/${found.size}`]], body)
})

const publish = Effect.fnUntraced(function* ({ publisher }: Services, { payload, principal }: Called<"publish">) {
  if (!isPackageType(payload.type)) return yield* invalid("type", "must match ^[a-z0-9][a-z0-9._-]{0,63}$")
  if (!isPackageVersion(payload.version)) return yield* invalid("version", "must be SemVer 2.0 without build metadata")
  const artifact = artifactOf(payload.artifact, payload.manifest)
  if (!(artifact instanceof Uint8Array)) return yield* artifact
  const { type, version, category, name, displayName, description, manifest } = payload
  const about = { type, version, category, name, displayName, description, manifest }
  const done = yield* publisher.publish({ ...about, artifact, publishedBy: principal.accountId })
  const { status } = done
  return record(status === "published" ? 201 : 200, "preview", done.package, { status })
})

const isVersion = ({ type, version }: Called<"promote">["params"]): boolean =>
  isPackageType(type) && isPackageVersion(version)

const promote = Effect.fnUntraced(function* ({ publisher }: Services, { params }: Called<"promote">) {
  if (!isVersion(params)) return yield* new NotFound()
  const done = yield* publisher.promote(params.type, params.version)
  const { status } = done
  return record(status === "promoted" ? 201 : 200, "stable", done.package, { status })
})

const yank = Effect.fnUntraced(function* ({ publisher }: Services, { params, query }: Called<"yank">) {
  if (!isVersion(params)) return yield* new NotFound()
  const channel = channelOf(query.channel)
  const done = yield* publisher.yank(params.type, params.version, channel)
  return record(200, channel, done, { success: true })
})

const restore = Effect.fnUntraced(function* ({ publisher }: Services, { params, query }: Called<"restore">) {
  if (!isVersion(params)) return yield* new NotFound()
  const channel = channelOf(query.channel)
  const done = yield* publisher.restore(params.type, params.version, channel)
  return record(200, channel, done, { success: true })
})

export const registryRoutes = Effect.gen(function* () {
  const catalog = yield* Catalog
  const services: Services = {
    catalog,
    artifacts: yield* Artifacts,
    publisher: yield* Publisher,
    downloads: yield* Downloads,
    downloadLimit: makeSlotLimit(downloadsMax, downloadsPerAddressMax)
  }
  const routes: Routes<typeof Registry> = {
    list: (call) => list(services, call),
    type: ({ params, query, headers }) =>
      metadata(catalog.type(channelOf(query.channel), params.type), headers["if-none-match"]),
    version: ({ params, query, headers }) =>
      metadata(catalog.version(channelOf(query.channel), params.type, params.version), headers["if-none-match"]),
    download: (call) => download(services, call),
    publish: (call) => publish(services, call),
    promote: (call) => promote(services, call),
    yank: (call) => yank(services, call),
    restore: (call) => restore(services, call)
  }
  return routes
})
