/** The contract of the console's page: its document, script and style. Owns paths; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { failures } from "./failures.ts"

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
        optionalHeaders: ["Content-Encoding"]
      })
    )
    .annotateMerge(OpenApi.annotations({ summary, exclude: true }))
    .annotateMerge(access({ kind: "public", limited: false, onHangUp: "cancel" }))

/** `/console` and its two files. */
export const Console = HttpApiGroup.make("console")
  .annotateMerge(OpenApi.annotations({ exclude: true }))
  .add(
    file("page", "/console", "The console"),
    file("script", "/console/app.js", "Its script"),
    file("style", "/console/app.css", "Its style")
  )
