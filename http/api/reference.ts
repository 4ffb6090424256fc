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

/** `/`, `/openapi.json`, `/asyncapi.json`, `/docs`, `/docs.md`, `/docs/….md` and `/llms.txt`. */
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
    HttpApiEndpoint.get("page", "/docs", {
      headers: unless,
      success: Schema.String.pipe(HttpApiSchema.asText()),
      error: failures("StoreFailed")
    })
      .annotateMerge(answers({ conditional: true, headers: ofPages }))
      .annotateMerge(OpenApi.annotations({ summary: "This contract as a page to read", exclude: true }))
      .annotateMerge(access(fromMemory)),
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
        OpenApi.annotations({ summary: "A guide, the errors, the events; one operation in Markdown", exclude: true })
      )
      .annotateMerge(access(fromMemory)),
    HttpApiEndpoint.get("llms", "/llms.txt", { headers: unless, success: text, error: failures("StoreFailed") })
      .annotateMerge(answers({ conditional: true }))
      .annotateMerge(OpenApi.annotations({ summary: "The index for language models", exclude: true }))
      .annotateMerge(access(fromMemory))
  )
