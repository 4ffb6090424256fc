/** The contract of an account's own data: its credential, and what is left of its limits. Owns paths and shapes. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { plans } from "../../src/domain/account/plans.ts"
import { roles } from "../../src/domain/account/roles.ts"
import { scopes } from "../../src/domain/account/scopes.ts"
import { access } from "./access.ts"
import { AccountRecord, PersonRecord } from "./auth.ts"
import { credentialFailures, failures } from "./failures.ts"
import { Words } from "./shapes.ts"

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
  people: Held.annotate({ description: "Members, and invitations that wait" }),
  serviceAccounts: Held.annotate({ description: "Service accounts, disabled ones included" }),
  pendingDeliveries: Volume.annotate({ description: "Deliveries that wait for an attempt" }),
  pendingDeliveryBytes: Volume.annotate({
    description: "The bytes of their bodies, and of the answers to their attempts"
  }),
  keptOutcomes: Volume.annotate({ description: "Outcomes kept for calls with an `Idempotency-Key`" }),
  keptOutcomeBytes: Volume.annotate({ description: "The bytes of their answers" }),
  keptCommands: Volume.annotate({ description: "Commands that outlive their call, running ones included" }),
  keptCommandBytes: Volume.annotate({ description: "The bytes of their results" })
}).annotate({ identifier: "Limits" })

const Membership = Schema.Struct({
  accountId: Schema.String,
  email: Schema.String.annotate({ description: "The address that the account bears" }),
  plan: Schema.Literals(plans),
  role: Schema.Literals(roles)
}).annotate({ identifier: "Membership" })

const Me = Schema.Struct({
  account: AccountRecord,
  person: Schema.NullOr(PersonRecord).annotate({
    description: "Who is signed in, or whose key it is; null: a service account's key, or the account's"
  }),
  serviceAccount: Schema.NullOr(Schema.String).annotate({ description: "Id of the service account whose key it is" }),
  role: Schema.Literals(roles).annotate({
    description: "In this account. A key has the scopes that it was given of it"
  }),
  selector: Schema.NullOr(Schema.String).annotate({
    description: "The daemons that this credential is bound to, by their tags; null: all of the account"
  }),
  memberships: Schema.Array(Membership).annotate({
    description: "The accounts that a session may switch to, this one included. A key is of one account: none"
  }),
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
      .annotate(Words, [
        "Who this credential is, what it may do and what is left of its limits",
        "`limits` names what the plan allows and how much of it is used; one more than `max` is refused."
      ])
      .annotateMerge(access({ kind: "any", role: "viewer", onHangUp: "cancel", tool: "get_account" })),
    HttpApiEndpoint.get("usage", "/api/v1/usage", { success: Usage, error: failures(...credentialFailures) })
      .annotate(Words, ["The month's calls, as the limiter sees them"])
      .annotateMerge(access({ kind: "any", role: "viewer", onHangUp: "cancel", tool: "get_usage" }))
  )
