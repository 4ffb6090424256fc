/** The contract of the provider registry: public reads, and publishing. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { oneLine } from "../../src/domain/text/one-line.ts"
import {
  packageDescriptionCharsMax,
  packagePageMax,
  packagePageUsual,
  packageVersionCharsMax,
  packageWordCharsMax,
  publishBodyBytesMax,
  uploadsMax
} from "../../src/limits.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { bodyFailures, failures, idempotentFailures, publicFailures, scopedFailures } from "./failures.ts"
import { optional } from "./optional.ts"
import { millis, pageQuery, Words } from "./shapes.ts"

const Channel = Schema.Literals(["stable", "preview"])

/** A package in one channel. */
const PackageRecord = Schema.Struct({
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals show these texts; tabs and line breaks apart
const lines = /^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$/u
const word = Schema.String.check(Schema.isMaxLength(packageWordCharsMax), Schema.isPattern(oneLine))
const prose = Schema.String.check(Schema.isMaxLength(packageDescriptionCharsMax), Schema.isPattern(lines))
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
const Restored = Schema.Struct({ ...PackageRecord.fields, success: Schema.Literal(true) }).annotate({
  identifier: "Restored"
})
const Yanked = Schema.Struct({ ...PackageRecord.fields, success: Schema.Literal(true) }).annotate({
  identifier: "Yanked"
})

const channel = {
  channel: Schema.optionalKey(Schema.String).annotate({ description: "`preview`; every other value is stable" })
}
const etag = Schema.optionalKey(Schema.String).annotate({
  description: "An ETag; where it still fits the answer is 304"
})
const unless = { "if-none-match": etag }
const ranged = {
  ...unless,
  range: Schema.optionalKey(
    Schema.String.annotate({ description: "`bytes=0-99`; several ranges are served as a whole" })
  ),
  "if-range": Schema.optionalKey(Schema.String.annotate({ description: "The range counts for this ETag only" }))
}
const type = Schema.String.annotate({ description: "The provider's type" })
const one = { type, version: Schema.String.annotate({ description: "SemVer 2.0, without build metadata" }) }
const read = { kind: "public", onHangUp: "cancel" } as const
const conditional = answers({ conditional: true })
const write = { kind: "any", scope: "registry:publish", onHangUp: "finish" } as const
const Promotion = Schema.Record(Schema.String, Schema.Never).annotate({
  identifier: "Promotion",
  description: "Nothing: the bytes are those of the preview version"
})
const providers = "/api/v1/registry/providers"
const bytes = Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array())

/** `/api/v1/registry/providers`. */
export const Registry = HttpApiGroup.make("registry")
  .annotateMerge(
    OpenApi.annotations({ description: "The public catalogue of provider packages, and publishing to it." })
  )
  .add(
    HttpApiEndpoint.get("list", providers, {
      query: { ...channel, ...pageQuery(packagePageMax, `${packagePageUsual} when absent`) },
      headers: unless,
      success: PackageList,
      error: failures(...publicFailures, "ValidationFailed")
    })
      .annotateMerge(conditional)
      .annotate(Words, ["The newest version of every type in a channel"])
      .annotateMerge(access({ ...read, tool: "list_providers" })),
    HttpApiEndpoint.get("type", `${providers}/:type`, {
      params: { type },
      query: channel,
      headers: unless,
      success: PackageVersions,
      error: failures(...publicFailures, "ValidationFailed", "NotFound")
    })
      .annotateMerge(conditional)
      .annotate(Words, ["Every version of a type in a channel, newest first"])
      .annotateMerge(access({ ...read, tool: "get_provider" })),
    HttpApiEndpoint.get("version", `${providers}/:type/:version`, {
      params: one,
      query: channel,
      headers: unless,
      success: PackageRecord,
      error: failures(...publicFailures, "ValidationFailed", "NotFound")
    })
      .annotateMerge(conditional)
      .annotate(Words, ["One version, yanked or not"])
      .annotateMerge(access({ ...read, tool: "get_provider_version" })),
    HttpApiEndpoint.get("download", `${providers}/:type/:version/download`, {
      params: one,
      query: channel,
      headers: ranged,
      success: bytes,
      error: failures(...publicFailures, "ValidationFailed", "NotFound", "RangeNotSatisfiable", "Overloaded")
    })
      .annotateMerge(
        answers({ conditional: true, ranges: true, head: true, headers: ["Repr-Digest", "Content-Disposition"] })
      )
      .annotate(Words, ["The artifact's bytes; ranges are served"])
      .annotateMerge(access(read)),
    HttpApiEndpoint.post("publish", providers, {
      payload: Publication,
      success: [Published.pipe(HttpApiSchema.status(201)), Published],
      error: failures(...scopedFailures, ...bodyFailures, ...idempotentFailures, "VersionExists", "VersionYanked")
    })
      .annotate(Words, ["Publish a version to preview"])
      .annotateMerge(
        access({
          ...write,
          bodyBytes: publishBodyBytesMax,
          concurrency: uploadsMax,
          audits: "package.published",
          tool: false // its body is a packed file
        })
      ),
    HttpApiEndpoint.post("promote", `${providers}/:type/:version/promote`, {
      params: one,
      payload: Promotion,
      success: [Promoted.pipe(HttpApiSchema.status(201)), Promoted],
      error: failures(...scopedFailures, ...bodyFailures, ...idempotentFailures, "NotFound", "VersionYanked")
    })
      .annotate(Words, ["Make a preview version stable, with the same bytes"])
      .annotateMerge(access({ ...write, audits: "package.promoted", tool: "promote_provider_version" })),
    HttpApiEndpoint.delete("yank", `${providers}/:type/:version`, {
      params: one,
      query: channel,
      success: Yanked,
      error: failures(...scopedFailures, "ValidationFailed", "NotFound")
    })
      .annotate(Words, ["Yank a version in a channel"])
      .annotateMerge(access({ ...write, audits: "package.yanked", tool: "yank_provider_version" })),
    HttpApiEndpoint.post("restore", `${providers}/:type/:version/restore`, {
      params: one,
      query: channel,
      success: Restored,
      error: failures(...scopedFailures, ...idempotentFailures, "ValidationFailed", "NotFound")
    })
      .annotate(Words, ["Take back the yank of a version in a channel"])
      .annotateMerge(access({ ...write, audits: "package.restored", tool: "restore_provider_version" }))
  )
