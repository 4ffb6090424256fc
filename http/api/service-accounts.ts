/** The contract of service accounts. Owns paths and shapes; answers nothing. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { scopes } from "../../src/domain/account/scopes.ts"
import { serviceAccountNameCharsMax } from "../../src/limits/people.ts"
import { listPageMax } from "../../src/limits.ts"
import { access } from "./access.ts"
import { answers } from "./answers.ts"
import { bodyFailures, failures, idempotentFailures, recentLoginFailures, sessionFailures } from "./failures.ts"
import { CreatedKey } from "./keys.ts"
import { optional, optionalWord } from "./optional.ts"
import { millis, Name, nextCursor, pageQuery, Scopes, Words } from "./shapes.ts"

const roles = Schema.Literals(["viewer", "operator", "admin"])

const ServiceKey = Schema.Struct({
  id: Schema.String,
  expiresAt: Schema.NullOr(millis),
  lastUsedAt: Schema.NullOr(millis)
}).annotate({ identifier: "ServiceAccountKey" })

const ServiceAccount = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  role: Schema.NullOr(roles).annotate({ description: "null: its scopes were given one by one" }),
  scopes: Schema.Array(Schema.Literals(scopes)),
  selector: Schema.NullOr(Schema.String).annotate({
    description: "The daemons that it is bound to, by their tags; null: all of the account"
  }),
  disabled: Schema.Boolean.annotate({ description: "Its keys are refused for as long" }),
  createdBy: Schema.String.annotate({ description: "Id of the person who made it; it stays when they leave" }),
  createdAt: millis,
  keys: Schema.Array(ServiceKey).annotate({ description: "Those that are neither revoked nor expired" })
}).annotate({ identifier: "ServiceAccount" })

const NewServiceAccount = Schema.Struct({
  name: Name(serviceAccountNameCharsMax).check(Schema.isMinLength(1)),
  role: optional(roles, "What it may do; or `scopes`"),
  scopes: optional(Scopes, "What it may do, where that is no role"),
  selector: optionalWord(
    Schema.String,
    "Binds it to the daemons with these tags. Not with `webhook:manage` or `registry:publish`"
  )
}).annotate({ identifier: "NewServiceAccount" })

const ServiceAccountChange = Schema.Struct({ disabled: Schema.Boolean }).annotate({
  identifier: "ServiceAccountChange"
})
const NewServiceKey = Schema.Struct({ expiresAt: optional(millis, "90 days from now when absent") }).annotate({
  identifier: "NewServiceAccountKey"
})

const ServiceAccountList = Schema.Struct({ serviceAccounts: Schema.Array(ServiceAccount), nextCursor }).annotate({
  identifier: "ServiceAccountList"
})
const RemovedServiceAccount = Schema.Struct({
  success: Schema.Literal(true),
  id: Schema.String,
  revokedKeys: Schema.Array(Schema.String).annotate({ description: "Ids of its API keys, which ended with it" })
}).annotate({ identifier: "RemovedServiceAccount" })

const path = "/api/v1/service-accounts"
const one = { serviceAccountId: Schema.String.annotate({ description: "Id of a service account of this account" }) }
const read = { kind: "session", role: "admin", tool: false, onHangUp: "cancel" } as const
const change = {
  kind: "session",
  role: "admin",
  recent: true,
  tool: false,
  onHangUp: "finish",
  bodyBytes: 16_384
} as const

/** `/api/v1/service-accounts`. */
export const ServiceAccounts = HttpApiGroup.make("serviceAccounts")
  .annotateMerge(OpenApi.annotations({ description: "Service accounts: programs that are no person's." }))
  .add(
    HttpApiEndpoint.get("list", path, {
      query: pageQuery(listPageMax, "which it is when absent"),
      success: ServiceAccountList,
      error: failures(...sessionFailures, "ValidationFailed")
    })
      .annotate(Words, ["List service accounts", "With their keys that live."])
      .annotateMerge(access(read)),
    HttpApiEndpoint.post("create", path, {
      payload: NewServiceAccount,
      success: ServiceAccount.pipe(HttpApiSchema.status(201)),
      error: failures(...recentLoginFailures, ...bodyFailures, ...idempotentFailures, "ServiceAccountLimitReached")
    })
      .annotate(Words, [
        "Create a service account",
        "It does not sign in, and is never an owner: it acts by its keys only. Say either `role` or `scopes`."
      ])
      .annotateMerge(access({ ...change, audits: "service_account.created" })),
    HttpApiEndpoint.patch("change", `${path}/:serviceAccountId`, {
      params: one,
      payload: ServiceAccountChange,
      success: ServiceAccount,
      error: failures(...recentLoginFailures, ...bodyFailures, "NotFound")
    })
      .annotate(Words, ["Disable or enable a service account", "In force on every node within a second."])
      .annotateMerge(access({ ...change, audits: "service_account.changed" })),
    HttpApiEndpoint.delete("remove", `${path}/:serviceAccountId`, {
      params: one,
      success: RemovedServiceAccount,
      error: failures(...recentLoginFailures, "NotFound")
    })
      .annotate(Words, ["Remove a service account", "Revokes its keys, as a revocation of each would."])
      .annotateMerge(access({ ...change, audits: "service_account.removed" })),
    HttpApiEndpoint.post("createKey", `${path}/:serviceAccountId/keys`, {
      params: one,
      payload: NewServiceKey,
      success: CreatedKey.pipe(HttpApiSchema.status(201)),
      error: failures(
        ...recentLoginFailures,
        ...bodyFailures,
        ...idempotentFailures,
        "NotFound",
        "ApiKeyLimitReached",
        "ServiceKeyLimitReached"
      )
    })
      .annotateMerge(answers({ headers: ["Cache-Control"] }))
      .annotate(Words, [
        "Create a key of a service account",
        "Shown once, and good for 90 days unless it says otherwise. Two may live at a time, so that one is exchanged without a gap; `DELETE /api/v1/api-keys/{keyId}` revokes it."
      ])
      .annotateMerge(access({ ...change, secrets: ["key"], audits: "key.created" }))
  )
