/**
 * The contract of the console's page: its document, script and style, and the session that a browser keeps for it. Owns
 * paths; answers nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { SignedIn } from "./auth.ts"
import { failures, publicFailures, sessionFailures } from "./failures.ts"

const asked = {
  "if-none-match": Schema.optionalKey(Schema.String),
  "accept-encoding": Schema.optionalKey(Schema.String)
}

const file = <const Name extends string, const Path extends `/${string}`>(name: Name, path: Path, summary: string) =>
  HttpApiEndpoint.get(name, path, {
    headers: asked,
    success: Schema.String.pipe(HttpApiSchema.asText()),
    error: failures("StoreFailed")
  })
    .annotateMerge(
      answers({
        conditional: true,
        headers: ["Vary", "Content-Security-Policy", "Referrer-Policy", "Cross-Origin-Opener-Policy"],
        optionalHeaders: ["Content-Encoding", "Service-Worker-Allowed"]
      })
    )
    .annotateMerge(OpenApi.annotations({ summary, exclude: true }))
    .annotateMerge(access({ kind: "public", limited: false, onHangUp: "cancel" }))

const KeptSession = Schema.Struct({ success: Schema.Literal(true) })
const setsCookie = answers({ headers: ["Set-Cookie"] })
const path = "/console/session"
const usual = { idempotent: false, audits: false } as const

/** `/console`, its files, and its session. */
export const Console = HttpApiGroup.make("console")
  .annotateMerge(OpenApi.annotations({ exclude: true }))
  .add(
    file("page", "/console", "The console"),
    file("script", "/console/app.js", "Its script"),
    file("style", "/console/app.css", "Its style"),
    file("manifest", "/console/app.webmanifest", "What it is as an installed app"),
    file("pushWorker", "/console/push-worker.js", "What shows its notifications"),
    HttpApiEndpoint.post("keep", path, {
      headers: { authorization: Schema.String },
      success: KeptSession,
      error: failures(...sessionFailures)
    })
      .annotateMerge(setsCookie)
      .annotateMerge(OpenApi.annotations({ summary: "Keep this session in a cookie of the browser", exclude: true }))
      .annotateMerge(access({ ...usual, kind: "session", role: "viewer", onHangUp: "finish" })),
    HttpApiEndpoint.get("resume", path, {
      headers: { cookie: Schema.optionalKey(Schema.String), "sec-fetch-site": Schema.optionalKey(Schema.String) },
      success: Schema.Struct({ session: Schema.NullOr(SignedIn) }),
      error: failures(...publicFailures, "AuthInvalid", "Overloaded")
    })
      .annotateMerge(answers({ optionalHeaders: ["Set-Cookie"] }))
      .annotateMerge(OpenApi.annotations({ summary: "The session that the browser keeps", exclude: true }))
      .annotateMerge(access({ ...usual, kind: "public", onHangUp: "cancel" })),
    HttpApiEndpoint.delete("forget", path, { success: KeptSession, error: failures(...publicFailures) })
      .annotateMerge(setsCookie)
      .annotateMerge(OpenApi.annotations({ summary: "Forget it", exclude: true }))
      .annotateMerge(access({ ...usual, kind: "public", onHangUp: "finish" }))
  )
