/** The contract of an account's own data: its credential, and what is left of its limits. Owns paths and shapes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { plans } from "../../src/domain/account/plans.ts"
import { scopes } from "../../src/domain/account/scopes.ts"
import { access } from "./access.ts"
import { AccountRecord } from "./auth.ts"
import { credentialFailures, failures } from "./failures.ts"

const Window = Schema.Struct({
  limit: Schema.Int,
  windowSeconds: Schema.Int,
  remaining: Schema.Int,
  resetSeconds: Schema.Int
}).annotate({ identifier: "RateWindow" })

const Usage = Schema.Struct({
  month: Schema.String.annotate({ description: "Calendar month, UTC: `2026-01`" }),
  plan: Schema.Literals(plans),
  used: Schema.Int,
  limit: Schema.NullOr(Schema.Int).annotate({ description: "null: unlimited" }),
  remaining: Schema.NullOr(Schema.Int),
  resetsAt: Schema.Int.annotate({ description: "Epoch milliseconds" })
}).annotate({ identifier: "Usage" })

const Credential = Schema.Union([
  Schema.Struct({ kind: Schema.tag("key"), id: Schema.String }).annotate({ identifier: "KeyCredential" }),
  Schema.Struct({ kind: Schema.tag("grant"), id: Schema.String, expiresAt: Schema.Int }).annotate({
    identifier: "GrantCredential",
    description: "What was granted to a connected app; `expiresAt`: its access token's end"
  }),
  Schema.Struct({
    kind: Schema.tag("session"),
    id: Schema.String,
    authenticatedAt: Schema.NullOr(Schema.Int),
    recentUntil: Schema.NullOr(Schema.Int).annotate({ description: "Until when the login counts as recent" }),
    expiresAt: Schema.Int
  }).annotate({ identifier: "SessionCredential" })
]).annotate({ identifier: "Credential" })

const Held = Schema.Struct({
  used: Schema.Int,
  max: Schema.NullOr(Schema.Int).annotate({ description: "null: unlimited" })
}).annotate({ identifier: "Held" })

const Volume = Schema.Struct({
  used: Schema.NullOr(Schema.Int).annotate({ description: "A minute old at most; null: not counted yet, ask again" }),
  max: Schema.Int
}).annotate({ identifier: "Volume" })

const Limits = Schema.Struct({
  key: Schema.NullOr(Window),
  ip: Window,
  month: Usage,
  daemons: Held.annotate({ description: "Daemons that are enrolled and not revoked" }),
  apiKeys: Held.annotate({ description: "API keys that are neither revoked nor expired" }),
  webhooks: Held.annotate({ description: "Webhooks, inactive ones included" }),
  pendingDeliveries: Volume.annotate({ description: "Deliveries that wait for an attempt" }),
  pendingDeliveryBytes: Volume.annotate({
    description: "The bytes of their bodies, and of the answers to their attempts"
  }),
  keptOutcomes: Volume.annotate({ description: "Outcomes kept for calls with an `Idempotency-Key`" }),
  keptOutcomeBytes: Volume.annotate({ description: "The bytes of their answers" }),
  keptCommands: Volume.annotate({ description: "Commands that outlive their call, running ones included" }),
  keptCommandBytes: Volume.annotate({ description: "The bytes of their results" })
}).annotate({ identifier: "Limits" })

const Me = Schema.Struct({
  account: AccountRecord,
  credential: Credential,
  scopes: Schema.Array(Schema.Literals(scopes)),
  limits: Limits
}).annotate({ identifier: "Me" })

/** `/api/v1/me`, `/api/v1/usage`. */
export const Account = HttpApiGroup.make("account")
  .annotateMerge(
    OpenApi.annotations({ description: "The account and credential of a call, and what is left of its limits." })
  )
  .add(
    HttpApiEndpoint.get("me", "/api/v1/me", { success: Me, error: failures(...credentialFailures) })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Who this credential is, what it may do and what is left of its limits",
          description: "`limits` names what the plan allows and how much of it is used; one more than `max` is refused."
        })
      )
      .annotateMerge(access({ kind: "any", role: "viewer", onHangUp: "cancel", tool: "get_account" })),
    HttpApiEndpoint.get("usage", "/api/v1/usage", { success: Usage, error: failures(...credentialFailures) })
      .annotateMerge(OpenApi.annotations({ summary: "The month's calls, as the limiter sees them" }))
      .annotateMerge(access({ kind: "any", role: "viewer", onHangUp: "cancel", tool: "get_usage" }))
  )
