/**
 * Provider packages: their names, the order of their versions, the members of a record. Owns the rules; stores nothing.
 */
import { parse } from "semver"
import { packageVersionCharsMax } from "../../limits/registry.ts"

/** Where a package lives. A stable release only arises by promoting a preview version. */
export type Channel = "stable" | "preview"

/** The channel a query selects: `preview` by that word, stable by any other or none. */
export const channelOf = (word: string | undefined): Channel => (word === "preview" ? "preview" : "stable")

const typeShape = /^[a-z0-9][a-z0-9._-]{0,63}$/u

/** Whether a text may name a package's type. */
export const isPackageType = (text: string): boolean => typeShape.test(text)

/** Whether a text is a version: strict SemVer 2.0 without build metadata. */
export const isPackageVersion = (text: string): boolean => {
  if (text.length > packageVersionCharsMax || text.includes("+")) return false
  const parsed = parse(text)
  return parsed !== null && parsed.version === text
}

const digits = 16 // every number of a strict SemVer is a safe integer, which has at most 16 digits
const padded = (part: number | string): string => String(part).padStart(digits, "0")

/**
 * A text that sorts (by code point) as SemVer 2.0 §11 orders versions: so that a database can find the newest by an
 * index. Numbers padded; numeric identifiers before others; a release after its pre-releases.
 */
export const precedence = (version: string): string => {
  const parsed = parse(version)
  if (parsed === null) throw new RangeError(`not a version: ${version}`)
  const core = [parsed.major, parsed.minor, parsed.patch].map(padded).join(".")
  if (parsed.prerelease.length === 0) return `${core}~`
  const identifiers = parsed.prerelease.map((part) => (typeof part === "number" ? `0${padded(part)}` : `1${part}`))
  return `${core} ${identifiers.join(" ")}`
}

/** One version of a package, whatever channel it is seen through. Times are epoch milliseconds. */
export interface Package {
  readonly type: string
  readonly version: string
  readonly category: string | undefined
  readonly name: string | undefined
  readonly displayName: string | undefined
  readonly description: string | undefined
  /** JSON, as its publisher's was written: it is passed on, and never parsed again. */
  readonly manifest: string | undefined
  /** SHA-256 of the artifact, lowercase hex. */
  readonly digest: string
  readonly size: number
  readonly publishedAt: number
  readonly publishedBy: string
  readonly promotedAt: number | undefined
  /** By channel: when it was yanked there. */
  readonly yankedAt: { readonly [C in Channel]: number | undefined }
  readonly downloads: { readonly [C in Channel]: number }
}

/** Whether a package can be seen in a channel at all. */
export const isIn = (channel: Channel, one: Package): boolean => channel === "preview" || one.promotedAt !== undefined

/** The public record of a package in one channel, as JSON. `first`: members that stand before its own. */
export const packageJson = (channel: Channel, one: Package, first: object = {}): string => {
  const before = {
    ...first,
    type: one.type,
    version: one.version,
    channel,
    category: one.category ?? null,
    name: one.name ?? null,
    displayName: one.displayName ?? null,
    description: one.description ?? null
  }
  const behind = {
    digest: `sha256:${one.digest}`,
    size: one.size,
    publishedAt: one.publishedAt,
    publishedBy: one.publishedBy,
    ...(one.promotedAt === undefined ? {} : { promotedAt: one.promotedAt }),
    yanked: one.yankedAt[channel] !== undefined,
    ...(one.yankedAt[channel] === undefined ? {} : { yankedAt: one.yankedAt[channel] }),
    downloads: one.downloads[channel]
  }
  const manifest = one.manifest ?? "null"
  return `${JSON.stringify(before).slice(0, -1)},"manifest":${manifest},${JSON.stringify(behind).slice(1)}`
}
