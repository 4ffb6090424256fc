/** The contract of what a machine downloads to become a daemon. Owns paths; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { failures } from "./failures.ts"

const text = Schema.String.pipe(HttpApiSchema.asText())
const fromMemory = { kind: "public", limited: false, onHangUp: "cancel" } as const

/** The newest daemon that this hub has. */
export const DaemonRelease = Schema.Struct({
  version: Schema.String,
  url: Schema.String,
  sha256: Schema.String,
  minNode: Schema.String
}).annotate({ identifier: "DaemonRelease" })

/** `/install.sh`, `/.well-known/hub-daemon.json` and the program itself. */
export const DaemonDownload = HttpApiGroup.make("daemonDownload")
  .annotateMerge(OpenApi.annotations({ exclude: true }))
  .add(
    HttpApiEndpoint.get("script", "/install.sh", {
      headers: { host: Schema.optionalKey(Schema.String) },
      success: text,
      error: failures("NotFound", "StoreFailed")
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotateMerge(OpenApi.annotations({ summary: "Installs the daemon", exclude: true }))
      .annotateMerge(access(fromMemory)),
    HttpApiEndpoint.get("release", "/.well-known/hub-daemon.json", {
      headers: { host: Schema.optionalKey(Schema.String) },
      success: DaemonRelease,
      error: failures("NotFound", "StoreFailed")
    })
      .annotateMerge(OpenApi.annotations({ summary: "The newest daemon", exclude: true }))
      .annotateMerge(access(fromMemory)),
    HttpApiEndpoint.get("program", "/daemon/:digest/hub-daemon.mjs", {
      params: { digest: Schema.String },
      success: text,
      error: failures("NotFound", "StoreFailed")
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotateMerge(OpenApi.annotations({ summary: "The program of a daemon, by its SHA-256", exclude: true }))
      .annotateMerge(access(fromMemory))
  )
