/** The contract of the routes for operators: alive, ready, measured. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { scrapesMax } from "../../src/limits/workers.ts"
import { access } from "./access.ts"
import { failures } from "./failures.ts"
import { Words } from "./shapes.ts"

const Alive = Schema.Struct({ status: Schema.Literal("alive") }).annotate({ identifier: "Alive" })
const Ready = Schema.Struct({
  status: Schema.Literals(["ready", "not ready"]),
  waitingFor: Schema.Array(Schema.String)
}).annotate({ identifier: "Readiness" })

/** `/healthz`, `/readyz`, `/metrics`. */
export const System = HttpApiGroup.make("system")
  .annotateMerge(
    OpenApi.annotations({ description: "What operators ask: whether the hub is alive and ready, and its figures." })
  )
  .add(
    HttpApiEndpoint.get("health", "/healthz", { success: Alive, error: failures("StoreFailed") })
      .annotate(Words, ["Whether the hub is alive"])
      .annotateMerge(access({ kind: "public", limited: false, onHangUp: "cancel" })),
    HttpApiEndpoint.get("ready", "/readyz", {
      success: [Ready, Ready.pipe(HttpApiSchema.status(503))],
      error: failures("StoreFailed")
    })
      .annotate(Words, ["Whether the hub serves; 503 while it starts, drains or lacks its store"])
      .annotateMerge(access({ kind: "public", limited: false, onHangUp: "cancel" })),
    HttpApiEndpoint.get("metrics", "/metrics", {
      success: Schema.String.pipe(HttpApiSchema.asText()),
      error: failures("NotFound", "RateLimited", "Overloaded", "StoreFailed")
    })
      .annotate(Words, [
        "Figures in the Prometheus text format, to peers on the loopback address and to the bearer of HUB_METRICS_TOKEN"
      ])
      .annotateMerge(
        access({ kind: "public", limited: false, onHangUp: "cancel", loopback: true, concurrency: scrapesMax })
      )
  )
