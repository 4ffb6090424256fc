/** The contract of the routes for operators: alive, ready, measured. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { access } from "./access.ts"

const Alive = Schema.Struct({ status: Schema.Literal("alive") })
const Ready = Schema.Struct({
  status: Schema.Literals(["ready", "not ready"]),
  waitingFor: Schema.Array(Schema.String)
})

/** `/healthz`, `/readyz`, `/metrics`. */
export const System = HttpApiGroup.make("system").add(
  HttpApiEndpoint.get("health", "/healthz", { success: Alive })
    .annotateMerge(OpenApi.annotations({ summary: "Whether the hub is alive" }))
    .annotateMerge(access({ kind: "public", limited: false })),
  HttpApiEndpoint.get("ready", "/readyz", { success: [Ready, Ready.pipe(HttpApiSchema.status(503))] })
    .annotateMerge(
      OpenApi.annotations({ summary: "Whether the hub serves; 503 while it starts, drains or lacks its store" })
    )
    .annotateMerge(access({ kind: "public", limited: false })),
  HttpApiEndpoint.get("metrics", "/metrics", { success: Schema.String.pipe(HttpApiSchema.asText()) })
    .annotateMerge(OpenApi.annotations({ summary: "Figures in the Prometheus text format, to this machine only" }))
    .annotateMerge(access({ kind: "public", limited: false, loopback: true }))
)
