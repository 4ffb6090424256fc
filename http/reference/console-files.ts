/**
 * The files that console/build.ts has made, in memory: each as it is and compressed. Owns their headers; builds
 * nothing.
 */
import { hash } from "node:crypto"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { Headers } from "../pipeline/response.ts"
import { policyOf } from "./html.ts"

/** One form of a file. */
export interface Representation {
  readonly etag: string
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/** A file in both forms. */
export interface ConsoleFile {
  readonly plain: Representation
  readonly compressed: Representation
}

/** The files, by what they are. */
export type ConsoleFiles = Readonly<Record<"page" | "script" | "style" | "manifest" | "pushWorker", ConsoleFile>>

/** The Content-Security-Policy of the page: its own files, calls to its own hub, nothing from elsewhere. */
export const consolePolicy = policyOf(
  "script-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:"
)

const builtFolder = fileURLToPath(new URL("../../console/dist/", import.meta.url))

/** What a browser is told who comes while there is no console. */
export const notBuilt = "The console is not built. Run `node console/build.ts` in the hub's folder, or `./hub start`.\n"

// The names of the files never change, so a browser asks each time whether it has the newest one.
const headersOf = (type: string, etag: string, more: Headers): Headers => [
  ["content-type", type],
  ["content-security-policy", consolePolicy],
  ["referrer-policy", "no-referrer"],
  ["cross-origin-opener-policy", "same-origin"],
  ["vary", "Accept-Encoding"],
  ["cache-control", "no-cache"],
  ["etag", etag],
  ...more
]

const fileOf = (bytes: Uint8Array, type: string, always: Headers = []): ConsoleFile => {
  const digest = hash("sha256", bytes, "hex").slice(0, 32)
  const form = (suffix: string, content: Uint8Array, more: Headers): Representation => {
    const etag = `"${digest}${suffix}"`
    return { etag, headers: headersOf(type, etag, [...always, ...more]), bytes: content }
  }
  return {
    plain: form("", bytes, []),
    compressed: form("-gzip", gzipSync(bytes, { level: 9 }), [["content-encoding", "gzip"]])
  }
}

/** Reads the files; undefined where they have not been built. */
export const readConsoleFiles = (folder = builtFolder): ConsoleFiles | undefined => {
  try {
    const read = (name: string, type: string, always?: Headers) =>
      fileOf(readFileSync(`${folder}/${name}`), `${type}; charset=utf-8`, always)
    return {
      page: read("index.html", "text/html"),
      script: read("app.js", "text/javascript"),
      style: read("app.css", "text/css"),
      manifest: read("app.webmanifest", "application/manifest+json"),
      // the page's path has no slash at its end, and so is not below its own files
      pushWorker: read("push-worker.js", "text/javascript", [["service-worker-allowed", "/console"]])
    }
  } catch {
    return undefined
  }
}
