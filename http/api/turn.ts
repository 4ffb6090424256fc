/** The contract of TURN credentials for the dashboard. Owns the path and the shape; issues nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { plans } from "../../src/domain/account/plans.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { failures, sessionFailures } from "./failures.ts"
import { Words } from "./shapes.ts"

const IceServer = Schema.Struct({
  urls: Schema.Array(Schema.String),
  username: Schema.optionalKey(Schema.String),
  credential: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "IceServer" })

const TurnCredentials = Schema.Struct({
  iceServers: Schema.Array(IceServer),
  turn: Schema.Boolean.annotate({ description: "false: STUN only" }),
  plan: Schema.Literals(plans),
  cached: Schema.Boolean,
  ttl: Schema.Int.annotate({ description: "Seconds until `expiresAt`" }),
  expiresAt: Schema.Int.annotate({ description: "Epoch milliseconds" })
}).annotate({ identifier: "TurnCredentials" })

/** `/api/v1/turn/credentials`. */
export const Turn = HttpApiGroup.make("turn")
  .annotateMerge(OpenApi.annotations({ description: "TURN credentials for the dashboard." }))
  .add(
    HttpApiEndpoint.get("credentials", "/api/v1/turn/credentials", {
      success: TurnCredentials,
      error: failures(...sessionFailures, "TokenExpired")
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotate(Words, ["TURN and STUN servers for the dashboard's peer-to-peer connection"])
      .annotateMerge(access({ kind: "session", role: "viewer", quota: false, tellsExpired: true, onHangUp: "cancel" }))
  )
