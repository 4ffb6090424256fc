/** The contract of the provider registry: public reads, and publishing. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  packageDescriptionCharsMax,
  packageVersionCharsMax,
  packageWordCharsMax,
  publishBodyBytesMax,
  uploadsMax
} from "../../src/limits.ts"
import { access } from "./access.ts"
import { optional } from "./optional.ts"

const millis = Schema.Int.annotate({ description: "Epoch milliseconds" })
const Channel = Schema.Literals(["stable", "preview"])

/** A package in one channel. */
export const PackageRecord = Schema.Struct({
  type: Schema.String,
  version: Schema.String,
  channel: Channel,
  category: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  displayName: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  manifest: Schema.Unknown,
  digest: Schema.String.annotate({ description: "`sha256:` and the artifact's digest in hex" }),
  size: Schema.Int,
  publishedAt: millis,
  publishedBy: Schema.String,
  promotedAt: Schema.optionalKey(millis),
  yanked: Schema.Boolean,
  yankedAt: Schema.optionalKey(millis),
  downloads: Schema.Int
}).annotate({ identifier: "Package" })

const PackageList = Schema.Struct({
  channel: Channel,
  providers: Schema.Array(PackageRecord),
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "PackageList" })

const PackageVersions = Schema.Struct({
  channel: Channel,
  type: Schema.String,
  latest: Schema.NullOr(Schema.String),
  versions: Schema.Array(PackageRecord)
}).annotate({ identifier: "PackageVersions" })

// terminals show these texts, and a database text cannot contain NUL
const word = Schema.String.check(Schema.isMaxLength(packageWordCharsMax), Schema.isPattern(/^\P{Cc}*$/u))
const prose = Schema.String.check(
  Schema.isMaxLength(packageDescriptionCharsMax),
  Schema.isPattern(/^(?:\P{Cc}|[\t\n\r])*$/u)
)
const Publication = Schema.Struct({
  type: Schema.String.check(Schema.isMaxLength(packageWordCharsMax)),
  version: Schema.String.check(Schema.isMaxLength(packageVersionCharsMax)),
  channel: Schema.Literal("preview"),
  category: optional(word),
  name: optional(word),
  displayName: optional(word),
  description: optional(prose),
  manifest: optional(Schema.Record(Schema.String, Schema.Unknown)),
  artifact: optional(Schema.String, "The package's bytes in base64")
}).annotate({ identifier: "Publication" })

const published = { ...PackageRecord.fields, status: Schema.Literals(["published", "already_published"]) }
const promoted = { ...PackageRecord.fields, status: Schema.Literals(["promoted", "already_promoted"]) }
const Published = Schema.Struct(published).annotate({ identifier: "Published" })
const Promoted = Schema.Struct(promoted).annotate({ identifier: "Promoted" })
const Yanked = Schema.Struct({ ...PackageRecord.fields, success: Schema.Literal(true) }).annotate({
  identifier: "Yanked"
})

const channel = { channel: Schema.optionalKey(Schema.String) }
const unless = { "if-none-match": Schema.optionalKey(Schema.String) }
const ranged = {
  ...unless,
  range: Schema.optionalKey(Schema.String),
  "if-range": Schema.optionalKey(Schema.String)
}
const one = { type: Schema.String, version: Schema.String }
const read = { kind: "public" } as const
const write = { kind: "any", scope: "registry:publish" } as const
const providers = "/api/v1/registry/providers"
const bytes = Schema.Unknown.pipe(HttpApiSchema.status(200))

/** `/api/v1/registry/providers`. */
export const Registry = HttpApiGroup.make("registry").add(
  HttpApiEndpoint.get("list", providers, {
    query: { ...channel, limit: Schema.optionalKey(Schema.String), cursor: Schema.optionalKey(Schema.String) },
    headers: unless,
    success: PackageList
  })
    .annotateMerge(OpenApi.annotations({ summary: "The newest version of every type in a channel" }))
    .annotateMerge(access(read)),
  HttpApiEndpoint.get("type", `${providers}/:type`, {
    params: { type: Schema.String },
    query: channel,
    headers: unless,
    success: PackageVersions
  })
    .annotateMerge(OpenApi.annotations({ summary: "Every version of a type in a channel, newest first" }))
    .annotateMerge(access(read)),
  HttpApiEndpoint.get("version", `${providers}/:type/:version`, {
    params: one,
    query: channel,
    headers: unless,
    success: PackageRecord
  })
    .annotateMerge(OpenApi.annotations({ summary: "One version, yanked or not" }))
    .annotateMerge(access(read)),
  HttpApiEndpoint.get("download", `${providers}/:type/:version/download`, {
    params: one,
    query: channel,
    headers: ranged,
    success: bytes
  })
    .annotateMerge(OpenApi.annotations({ summary: "The artifact's bytes; ranges are served" }))
    .annotateMerge(access(read)),
  HttpApiEndpoint.post("publish", providers, {
    payload: Publication,
    success: [Published.pipe(HttpApiSchema.status(201)), Published]
  })
    .annotateMerge(OpenApi.annotations({ summary: "Publish a version to preview" }))
    .annotateMerge(access({ ...write, bodyBytes: publishBodyBytesMax, concurrency: uploadsMax })),
  HttpApiEndpoint.post("promote", `${providers}/:type/:version/promote`, {
    params: one,
    payload: Schema.Record(Schema.String, Schema.Never),
    success: [Promoted.pipe(HttpApiSchema.status(201)), Promoted]
  })
    .annotateMerge(OpenApi.annotations({ summary: "Make a preview version stable, with the same bytes" }))
    .annotateMerge(access(write)),
  HttpApiEndpoint.delete("yank", `${providers}/:type/:version`, { params: one, query: channel, success: Yanked })
    .annotateMerge(OpenApi.annotations({ summary: "Yank a version in a channel" }))
    .annotateMerge(access(write))
)
