/**
 * The contract of the reference: the links at the root, the machine-readable documents, the page and its Markdown.
 * Owns paths; answers nothing.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { failures } from "./failures.ts"

const unless = { "if-none-match": Schema.optionalKey(Schema.String) }

const ofPages = ["Content-Security-Policy", "Referrer-Policy"] as const

const fromMemory = { kind: "public", limited: false, onHangUp: "cancel" } as const

const Home = Schema.Struct({
  name: Schema.String,
  console: Schema.String,
  docs: Schema.String,
  openapi: Schema.String,
  asyncapi: Schema.String,
  health: Schema.String,
  ready: Schema.String
}).annotate({ identifier: "Home" })

const text = Schema.String.pipe(HttpApiSchema.asText())

const page = <const Name extends string, const Path extends `/${string}`>(name: Name, path: Path, summary: string) =>
  HttpApiEndpoint.get(name, path, { headers: unless, success: text, error: failures("StoreFailed") })
    .annotateMerge(answers({ conditional: true, headers: ofPages }))
    .annotateMerge(OpenApi.annotations({ summary, exclude: true }))
    .annotateMerge(access(fromMemory))

/** `/`, `/openapi.json`, `/asyncapi.json`, `/docs`, `/docs/`, `/docs.md`, `/docs/…`, `/docs/….md` and `/llms.txt`. */
export const Reference = HttpApiGroup.make("reference")
  .annotateMerge(OpenApi.annotations({ exclude: true }))
  .add(
    HttpApiEndpoint.get("home", "/", {
      headers: { accept: Schema.optionalKey(Schema.String), ...unless },
      success: [Home, Schema.String.pipe(HttpApiSchema.asText())],
      error: failures("StoreFailed")
    })
      .annotateMerge(answers({ conditional: true, headers: ["Vary"], optionalHeaders: ofPages }))
      .annotateMerge(OpenApi.annotations({ summary: "Where everything is", exclude: true }))
      .annotateMerge(access(fromMemory)),
    HttpApiEndpoint.get("openapi", "/openapi.json", {
      headers: unless,
      success: Schema.Unknown,
      error: failures("StoreFailed")
    })
      .annotateMerge(answers({ conditional: true }))
      .annotateMerge(OpenApi.annotations({ summary: "This contract as an OpenAPI document", exclude: true }))
      .annotateMerge(access(fromMemory)),
    HttpApiEndpoint.get("asyncapi", "/asyncapi.json", {
      headers: unless,
      success: Schema.Unknown,
      error: failures("StoreFailed")
    })
      .annotateMerge(answers({ conditional: true }))
      .annotateMerge(OpenApi.annotations({ summary: "Frames, streams and webhooks as AsyncAPI", exclude: true }))
      .annotateMerge(access(fromMemory)),
    page("page", "/docs", "This contract as a page to read"),
    page("index", "/docs/", "The same: where a reader of /docs/… goes up to"),
    HttpApiEndpoint.get("markdown", "/docs.md", { headers: unless, success: text, error: failures("StoreFailed") })
      .annotateMerge(answers({ conditional: true }))
      .annotateMerge(OpenApi.annotations({ summary: "The same in Markdown", exclude: true }))
      .annotateMerge(access(fromMemory)),
    HttpApiEndpoint.get("operation", "/docs/:page", {
      params: { page: Schema.String },
      headers: unless,
      success: text,
      error: failures("NotFound", "StoreFailed")
    })
      .annotateMerge(answers({ conditional: true, optionalHeaders: ofPages }))
      .annotateMerge(
        OpenApi.annotations({
          summary: "A guide, the errors, the events; a guide or one operation in Markdown",
          exclude: true
        })
      )
      .annotateMerge(access(fromMemory)),
    HttpApiEndpoint.get("llms", "/llms.txt", { headers: unless, success: text, error: failures("StoreFailed") })
      .annotateMerge(answers({ conditional: true }))
      .annotateMerge(OpenApi.annotations({ summary: "The index for language models", exclude: true }))
      .annotateMerge(access(fromMemory))
  )
