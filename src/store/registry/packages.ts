/**
 * The store of provider packages. Owns their rows and artifacts. A version number is used up by its primary key, so of
 * two concurrent publishers exactly one wins. Verifies no bytes (registry/artifacts.ts does).
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type Channel, type Package, precedence } from "../../domain/registry/packages.ts"
import { packageVersionsBytesMax, packageVersionsListedMax } from "../../limits.ts"
import { anyRecorded, attemptRecorded, type ChangeMade } from "../accounts/recorded-change.ts"
import * as query from "../sql/query.ts"

/** What a publisher hands in; `artifact` under its digest (SHA-256, lowercase hex). */
export interface PackageDraft {
  readonly type: string
  readonly version: string
  readonly category: string | undefined
  readonly name: string | undefined
  readonly displayName: string | undefined
  readonly description: string | undefined
  readonly manifest: unknown
  readonly digest: string
  readonly artifact: Uint8Array
  readonly publishedBy: string
}

/** The versions of a type. */
export interface PackageVersions {
  /** As `newest` has it, also where it is not among the newest ones; null: all are yanked. */
  readonly latest: string | null
  readonly versions: ReadonlyArray<Package>
}

/** Downloads of one package in one channel that are not written yet. */
export interface DownloadCount {
  readonly type: string
  readonly version: string
  readonly channel: Channel
  readonly count: number
}

type Plain = Omit<Package, "yankedAt" | "downloads">

type Row = query.Nullable<Plain> & {
  readonly previewYankedAt: number | null
  readonly stableYankedAt: number | null
  readonly previewDownloads: number
  readonly stableDownloads: number
}

const columns = `type, version, category, name, display_name as "displayName", description,
  manifest::text as manifest, encode(digest, 'hex') as digest, size, published_at as "publishedAt", published_by as "publishedBy",
  preview_yanked_at as "previewYankedAt", promoted_at as "promotedAt", stable_yanked_at as "stableYankedAt",
  preview_downloads as "previewDownloads", stable_downloads as "stableDownloads"`

const packageOf = ({ previewYankedAt, stableYankedAt, previewDownloads, stableDownloads, ...row }: Row): Package => ({
  ...query.withoutNulls<Plain>(row),
  yankedAt: { preview: previewYankedAt ?? undefined, stable: stableYankedAt ?? undefined },
  downloads: { preview: previewDownloads, stable: stableDownloads }
})

const live: Record<Channel, string> = {
  preview: "preview_yanked_at is null",
  stable: "promoted_at is not null and stable_yanked_at is null"
}
/** Releases first, then the newest. */
const latestFirst = "position('-' in version) = 0 desc, precedence desc"
const present: Record<Channel, string> = { preview: "true", stable: "promoted_at is not null" }
const yankedColumn: Record<Channel, string> = { preview: "preview_yanked_at", stable: "stable_yanked_at" }

const packageName = (type: string, version: string): string => `${type}@${version}`

const publish = (sql: SqlClient.SqlClient) => (draft: PackageDraft, now: number) => {
  const digest = Buffer.from(draft.digest, "hex")
  const manifest = draft.manifest === undefined ? null : JSON.stringify(draft.manifest)
  return attemptRecorded(
    sql,
    "publish a package",
    Effect.gen(function* () {
      const rows = yield* sql.unsafe(
        `insert into packages (type, version, precedence, category, name, display_name, description, manifest,
             digest, size, published_at, published_by)
           values ($1, $2, $3, $4, $5, $6, $7, $8::json, $9, $10, $11, $12)
           on conflict (type, version) do nothing returning version`,
        [
          draft.type,
          draft.version,
          precedence(draft.version),
          draft.category ?? null,
          draft.name ?? null,
          draft.displayName ?? null,
          draft.description ?? null,
          manifest,
          digest,
          draft.artifact.byteLength,
          now,
          draft.publishedBy
        ]
      )
      if (rows.length > 0) {
        yield* sql.unsafe(
          "insert into artifacts (digest, bytes, created_at) values ($1, $2, $3) on conflict do nothing",
          [digest, Buffer.from(draft.artifact), now]
        )
      }
      return rows.length > 0
    }),
    (is) => (is ? { action: "package.published", object: packageName(draft.type, draft.version) } : undefined)
  )
}

const changes = (sql: SqlClient.SqlClient) => {
  const changed = (operation: string, made: ChangeMade, text: string, values: ReadonlyArray<unknown>) =>
    anyRecorded(sql, operation, sql.unsafe(text, values), made)

  return {
    /** Makes a preview stable: true when this call did. */
    promote: (type: string, version: string, now: number) =>
      changed(
        "promote a package",
        { action: "package.promoted", object: packageName(type, version) },
        `update packages set promoted_at = $3
       where type = $1 and version = $2 and promoted_at is null and preview_yanked_at is null returning version`,
        [type, version, now]
      ),
    /** Yanks it in a channel: true when this call did. */
    yank: (type: string, version: string, channel: Channel, now: number) =>
      changed(
        "yank a package",
        { action: "package.yanked", object: packageName(type, version), detail: channel },
        `update packages set ${yankedColumn[channel]} = $3
       where type = $1 and version = $2 and ${present[channel]} and ${yankedColumn[channel]} is null
       returning version`,
        [type, version, now]
      ),
    /** Takes a yank in a channel back: true when this call did. */
    restore: (type: string, version: string, channel: Channel) =>
      changed(
        "restore a package",
        { action: "package.restored", object: packageName(type, version), detail: channel },
        `update packages set ${yankedColumn[channel]} = null
       where type = $1 and version = $2 and ${yankedColumn[channel]} is not null returning version`,
        [type, version]
      )
  }
}

const reads = (sql: SqlClient.SqlClient) => {
  const many = (operation: string, text: string, values: ReadonlyArray<unknown>) =>
    query.many(operation, sql.unsafe<Row>(text, values as Array<unknown>), packageOf)

  return {
    /** The version, in any channel. */
    get: (type: string, version: string) =>
      Effect.map(
        many("read a package", `select ${columns} from packages where type = $1 and version = $2`, [type, version]),
        (rows) => rows[0]
      ),
    /**
     * The newest version of each type that is in the channel and not yanked there, by type, after `after`; a
     * pre-release only where there is no release.
     */
    newest: (channel: Channel, after: string | undefined, limit: number) =>
      many(
        "list packages",
        `select distinct on (type collate "C") ${columns} from packages
       where ${live[channel]} and type collate "C" > $1
       order by type collate "C", ${latestFirst} limit $2`,
        [after ?? "", limit]
      ),
    /** The newest versions of a type in a channel, yanked ones included, newest first. */
    versions: (type: string, channel: Channel) =>
      Effect.map(
        query.many(
          "list the versions of a package",
          sql.unsafe<Row & Pick<PackageVersions, "latest">>(
            `select ${columns}, (select version from packages where type = $1 and ${live[channel]}
           order by ${latestFirst} limit 1) as latest from (
         select *, sum(coalesce(octet_length(manifest::text), 0)) over (order by precedence desc) as bytes
         from packages where type = $1 and ${present[channel]}
         order by precedence desc limit ${packageVersionsListedMax}
       ) newest
       where bytes <= ${packageVersionsBytesMax} order by precedence desc`,
            [type]
          )
        ),
        (rows) => ({
          latest: rows[0]?.latest ?? null,
          versions: rows.map(({ latest: _, ...row }) => packageOf(row))
        })
      ),
    /** The category a type is published under, by its newest version in any channel. */
    category: (type: string) =>
      query.attempt(
        "read a package's category",
        Effect.map(
          sql.unsafe<{ readonly category: string | null }>(
            "select category from packages where type = $1 order by precedence desc limit 1",
            [type]
          ),
          (rows) => rows[0]?.category ?? undefined
        )
      )
  }
}

const downloads = (sql: SqlClient.SqlClient) => ({
  /** The stored bytes under a digest. */
  artifact: (digest: string) =>
    query.one(
      "read an artifact",
      sql.unsafe<{ readonly bytes: Uint8Array }>("select bytes from artifacts where digest = $1", [
        Buffer.from(digest, "hex")
      ]),
      ({ bytes }) => bytes
    ),
  /** Adds to download counts, all in one statement. */
  countDownloads: (counts: ReadonlyArray<DownloadCount>) =>
    query.run(
      "count downloads",
      sql.unsafe(
        `update packages p set
             preview_downloads = p.preview_downloads + c.preview, stable_downloads = p.stable_downloads + c.stable
           from (
             select type, version, sum(preview) as preview, sum(stable) as stable
             from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) as u (type, version, preview, stable)
             group by type, version
           ) c
           where p.type = c.type and p.version = c.version`,
        [
          counts.map((one) => one.type),
          counts.map((one) => one.version),
          counts.map((one) => (one.channel === "preview" ? one.count : 0)),
          counts.map((one) => (one.channel === "stable" ? one.count : 0))
        ]
      )
    )
})

const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Uses up the version number: true when this call did. Otherwise `get` tells what has it. */
  publish: publish(sql),
  ...changes(sql),
  ...reads(sql),
  ...downloads(sql)
}))

/** The store of packages. */
export class Packages extends Context.Service<Packages, Effect.Success<typeof make>>()("hub/Packages") {
  static readonly layer = Layer.effect(Packages, make)
}
