/** The bounds of the provider registry: what is published, kept and read at once. */
import assert from "node:assert/strict"

/** An artifact, decoded; more: 413. */
export const artifactBytesMax = 10_485_760
/** The body of a publish call: an artifact in base64 and what describes it; more: 413. */
export const publishBodyBytesMax = 14_680_064
/** Publish calls whose bytes are held at once on a node; more: 503. */
export const uploadsMax = 4
/** A manifest as JSON; more: 413. A page of a list holds up to 100 of them. */
export const manifestBytesMax = 65_536
/** `name`, `displayName`, `category`; more: 400. */
export const packageWordCharsMax = 128
/** `description`; more: 400. */
export const packageDescriptionCharsMax = 4_096
/** A version's text; more: 400. */
export const packageVersionCharsMax = 64
/** Versions of one type that an answer lists, newest first; older ones are read one by one. */
export const packageVersionsListedMax = 1_000
/** Their manifests together; beyond, the older versions are left out likewise. */
export const packageVersionsBytesMax = 8_388_608
/** Rendered metadata answers kept in memory; more: the least used goes. */
export const catalogEntriesMax = 4_096
/** Bytes of those answers together; more: the least used goes. */
export const catalogBytesMax = 67_108_864
/** How long a rendered answer lives, so that download counts move. */
export const catalogMillisMax = 60_000
/** Verified artifacts on disk, together; more: the least used goes. */
export const artifactCacheBytesMax = 1_073_741_824
/** Piece of an artifact that is read from disk and handed to a socket at once. */
export const artifactPieceBytes = 262_144
/** Downloads under way on a node, each with an open file and one piece; more: 503. */
export const downloadsMax = 256
/** Of these, per address, so that a few slow readers do not exclude others; more: 503. */
export const downloadsPerAddressMax = 32
/** Reads of artifacts from the database at once; more wait their turn. */
export const artifactLoadsMax = 4
/** An artifact's file that is not finished after this long was left by a hub that ended; the next start removes it. */
export const artifactWriteMillisMax = 600_000
/** Packages with download counts that wait to be written; more: the oldest are written first, at once. */
export const downloadCountsMax = 1_024
/** How often download counts are written. */
export const downloadCountMillis = 1_000

assert(artifactBytesMax <= artifactCacheBytesMax, "an artifact fits the disk cache")
assert((artifactBytesMax * 4) / 3 + manifestBytesMax < publishBodyBytesMax, "an artifact and its manifest fit a body")

/** Packages of a page of the catalogue. */
export const packagePageMax = 100
/** The same where the caller names no number. */
export const packagePageUsual = 50
